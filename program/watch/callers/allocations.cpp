#include "program/watch/callers/allocations.hpp"

namespace gpumem::inject {

namespace {

/// The most allocations that are known of each kind; further ones are ignored.
constexpr std::size_t most_allocations = std::size_t{1} << 20U;

}  // namespace

/// True if the allocation is ignored for that reason. If not, forgets the allocations that are out of date.
bool Allocations::is_missed(AllocatedBy by) {
  if (by != AllocatedBy::framework) return false;
  if (launches_.is_settled()) {
    framework_missed_.store(true, std::memory_order_relaxed);
    return true;
  }
  if (framework_missed_.load(std::memory_order_relaxed) && framework_missed_.exchange(false)) {
    const std::lock_guard lock(mutex_);
    of_framework_.clear();
  }
  return false;
}

/// Returns the innermost of these frames, linked to its callers. If the CUDA runtime is linked into the program, this
/// frame is the runtime's. Each place is kept once.
const Frame* Allocations::native_place(std::vector<Frame> frames) {
  std::vector<std::pair<std::string, std::uint64_t>> key;
  for (const Frame& frame : frames) key.emplace_back(frame.file, frame.address);
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = native_places_.try_emplace(std::move(key), std::move(frames));
  std::vector<Frame>& kept = place->second;
  for (std::size_t i = 1; is_new && i < kept.size(); ++i) kept[i - 1].caller = &kept[i];
  return kept.data();
}

/// The place where the program asked the driver for memory; nullopt if a package asked. This is rare, so that the stack
/// may be walked.
std::optional<const Frame*> Allocations::driver_place() {
  NativeCalls calls = native_.calls();
  if (calls.from_library) return std::nullopt;
  if (calls.own.empty()) return python_.innermost_own();
  return native_place(std::move(calls.own));
}

/// The place where the calling thread is; null if it is not known, and nullopt if the allocation is not to be kept.
std::optional<const Frame*> Allocations::place_of(AllocatedBy by) {
  switch (by) {
    case AllocatedBy::driver:
      return driver_place();
    case AllocatedBy::framework:
      return python_.innermost_own();
    case AllocatedBy::loader:
      break;
  }
  return nullptr;
}

std::optional<Allocation> Allocations::found_in(const ByAddress& allocations, std::uintptr_t address) {
  const auto after = allocations.upper_bound(address);
  if (after == allocations.begin()) return std::nullopt;
  const auto& [begin, allocation] = *std::prev(after);
  return address - begin < allocation.bytes ? std::optional(allocation) : std::nullopt;
}

void Allocations::note(AllocatedBy by, std::uintptr_t address, std::uint64_t bytes) {
  if (in_child_ || address == 0 || is_missed(by)) return;
  const auto place = place_of(by);
  if (!place) return;
  const std::lock_guard lock(mutex_);
  ByAddress& allocations = of(by);
  if (allocations.size() < most_allocations) allocations[address] = {.bytes = bytes, .made_at = *place};
}

void Allocations::note_free(AllocatedBy by, std::uintptr_t address) {
  if (in_child_ || is_missed(by)) return;
  const std::lock_guard lock(mutex_);
  of(by).erase(address);
}

std::optional<Allocation> Allocations::find(std::uintptr_t address) {
  const std::lock_guard lock(mutex_);
  if (!framework_missed_) {
    if (const auto found = found_in(of_framework_, address)) return found;
  }
  return found_in(of_driver_, address);
}

}  // namespace gpumem::inject
