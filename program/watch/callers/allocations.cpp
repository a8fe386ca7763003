#include "program/watch/callers/allocations.hpp"

#include <atomic>
#include <map>
#include <mutex>
#include <utility>
#include <vector>

#include "program/watch/callers/known_frames.hpp"
#include "program/watch/callers/native_frames.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

using Allocations = std::map<std::uintptr_t, Allocation>;  // by where they begin

struct Live {
  std::mutex mutex;  // never held while anything else is called
  Allocations of_driver;
  Allocations of_framework;
  std::map<std::vector<std::pair<std::string, std::uint64_t>>, std::vector<Frame>> native_places;

  Allocations& of(AllocatedBy by) { return by == AllocatedBy::framework ? of_framework : of_driver; }
};

Live& live() {
  static Live& the_only = *new Live;  // threads of the program may allocate until the very end
  return the_only;
}

/// The most allocations that are known of each kind; further ones are ignored.
constexpr std::size_t most_allocations = std::size_t{1} << 20U;

/// True after allocations of a framework were ignored. This happens in a loop that launches nothing new, where noting
/// them would cost more than all else. The framework's allocations that were known before are out of date then.
std::atomic<bool> framework_missed = false;

/// True if the allocation is ignored for that reason. If not, forgets the allocations that are out of date.
bool is_missed(AllocatedBy by) {
  if (by != AllocatedBy::framework) return false;
  if (watch().launch_count.is_settled()) {
    framework_missed.store(true, std::memory_order_relaxed);
    return true;
  }
  if (framework_missed.load(std::memory_order_relaxed) && framework_missed.exchange(false)) {
    const std::lock_guard lock(live().mutex);
    live().of_framework.clear();
  }
  return false;
}

/// Returns the innermost of these frames, linked to its callers. If the CUDA runtime is linked into the program, this
/// frame is the runtime's. Each place is kept once.
const Frame* native_place(std::vector<Frame> frames) {
  std::vector<std::pair<std::string, std::uint64_t>> key;
  for (const Frame& frame : frames) key.emplace_back(frame.file, frame.address);
  const std::lock_guard lock(live().mutex);
  const auto [place, is_new] = live().native_places.try_emplace(std::move(key), std::move(frames));
  std::vector<Frame>& kept = place->second;
  for (std::size_t i = 1; is_new && i < kept.size(); ++i) kept[i - 1].caller = &kept[i];
  return kept.data();
}

/// The place where the program asked the driver for memory; nullopt if a package asked. This is rare, so that the stack
/// may be walked.
std::optional<const Frame*> driver_place() {
  NativeCalls calls = native_calls();
  if (calls.from_library) return std::nullopt;
  if (calls.own.empty()) return own_python_frame();
  return native_place(std::move(calls.own));
}

/// The place where the calling thread is; null if it is not known, and nullopt if the allocation is not to be kept.
std::optional<const Frame*> place_of(AllocatedBy by) {
  switch (by) {
    case AllocatedBy::driver:
      return driver_place();
    case AllocatedBy::framework:
      return own_python_frame();
    case AllocatedBy::loader:
      break;
  }
  return nullptr;
}

std::optional<Allocation> found_in(const Allocations& allocations, std::uintptr_t address) {
  const auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return std::nullopt;
  const auto& [begin, allocation] = *std::prev(after);
  return address - begin < allocation.bytes ? std::optional(allocation) : std::nullopt;
}

}  // namespace

void note_allocation(AllocatedBy by, std::uintptr_t address, std::uint64_t bytes) {
  if (watch().in_child || address == 0 || is_missed(by)) return;
  const auto place = place_of(by);
  if (!place) return;
  const std::lock_guard lock(live().mutex);
  Allocations& allocations = live().of(by);
  if (allocations.size() < most_allocations) allocations[address] = {.bytes = bytes, .made_at = *place};
}

void note_free(AllocatedBy by, std::uintptr_t address) {
  if (watch().in_child || is_missed(by)) return;
  const std::lock_guard lock(live().mutex);
  live().of(by).erase(address);
}

std::optional<Allocation> allocation_of(std::uintptr_t address) {
  const std::lock_guard lock(live().mutex);
  if (!framework_missed) {
    if (const auto found = found_in(live().of_framework, address)) return found;
  }
  return found_in(live().of_driver, address);
}

}  // namespace gpumem::inject
