#include "program/watch/callers/callers.hpp"

#include <algorithm>
#include <vector>

#include "program/watch/callers/frame.hpp"
#include "program/watch/callers/operators.hpp"
#include "program/watch/ranges.hpp"

namespace gpumem::inject {

namespace {

// Launches of a slot of which it is looked where they come from: looking costs less where Python tells.
constexpr std::uint64_t looked_at_python = 64;
constexpr std::uint64_t looked_at_native = 4;

/// Native code of the program's own was called by its Python, if there is both. Outer libraries' frames give way where
/// there is no room for all.
std::vector<const Frame*> shown(const NativeCalls& native, const std::vector<const Frame*>& python) {
  std::vector<const Frame*> all;
  for (const Frame& frame : native.own) all.push_back(&frame);
  all.insert(all.end(), python.begin(), python.end());
  for (std::size_t i = all.size(); i-- > 0 && all.size() > most_caller_frames;) {
    if (all[i]->library) all.erase(all.begin() + static_cast<std::ptrdiff_t>(i));
  }
  if (all.size() > most_caller_frames) all.resize(most_caller_frames);
  return all;
}

}  // namespace

void Callers::write(const Slot& slot) {
  const NativeCalls native = native_.calls();
  const std::vector<const Frame*> frames = shown(native, python_.all());
  std::string operation = native.operation;
  if (const Range* range = current_range(); operation.empty() && range != nullptr) {
    operation = operator_of_range(range->name).value_or("");
  }
  if (frames.empty() && operation.empty()) return;
  std::vector<std::byte> bytes;
  for (const Frame* frame : frames) append_frame(bytes, *frame);
  const CallerEvent event{.slot = slot.number,
                          .frames = static_cast<std::uint32_t>(frames.size()),
                          .order = std::max(slot.counts->launches, std::uint64_t{1}) - 1,
                          .operator_bytes = static_cast<std::uint32_t>(operation.size())};
  output_.write_event(EventKind::caller, {part_of(event), part_of(std::string_view(operation)), bytes});
}

void Callers::note(const Slot& slot) {
  const std::uint64_t launches = slot.counts->launches;
  if (launches > looked_at_python || overhead_.left_ns() < 0) return;
  allocator_.install();
  Places& places = places_of_slots_[slot.number];
  if (places.count == kept_callers) return;
  const Frame* own = python_.innermost_own();
  if (own == nullptr && launches > looked_at_native) return;
  const std::uint64_t key = own != nullptr ? reinterpret_cast<std::uintptr_t>(own) : native_stack_hash();
  const auto end = places.keys.begin() + static_cast<std::ptrdiff_t>(places.count);
  if (std::find(places.keys.begin(), end, key) != end) return;
  places.keys[places.count++] = key;
  const Spending spending(overhead_);
  write(slot);
}

}  // namespace gpumem::inject
