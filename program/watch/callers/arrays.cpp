#include "program/watch/callers/arrays.hpp"

#include <vector>

#include "program/watch/callers/frame.hpp"

namespace gpumem::inject {

void write_arrays(Output& output, Allocations& allocations, const SampleEvent& sample, std::span<const Site> sites) {
  for (const Site& site : sites) {
    const bool in_memory = site.space == RawSpace::global || site.space == RawSpace::host;
    if (!in_memory || site.shown == 0 || site.request[0].active == 0) continue;
    const ShownRequest& request = site.request[0];
    const auto found = allocations.find(request.address[__builtin_ctz(request.active)]);
    if (!found) continue;
    std::vector<std::byte> place;
    std::uint32_t frames = 0;
    for (const Frame* frame = found->made_at; frame != nullptr && frames < most_caller_frames; frame = frame->caller) {
      append_frame(place, *frame);
      ++frames;
    }
    const ArrayEvent event{.slot = sample.slot,
                           .frames = frames,
                           .order = sample.order,
                           .pc = site.pc,
                           .space = static_cast<std::uint64_t>(site.space),
                           .bytes = found->bytes};
    output.write_event(EventKind::array, {part_of(event), place});
  }
}

}  // namespace gpumem::inject
