#pragma once
// Notes the callers of launches.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>

#include "program/watch/callers/allocator_hook.hpp"
#include "program/watch/callers/known_frames.hpp"
#include "program/watch/callers/native_frames.hpp"
#include "program/watch/kernels.hpp"
#include "program/watch/output.hpp"
#include "program/watch/overhead.hpp"

namespace gpumem::inject {

/// The callers of launches, as far as they were written.
class Callers {
 public:
  Callers(Output& output, Overhead& overhead, AllocatorHook& allocator, NativeFrames& native, KnownFrames& python)
      : output_(output), overhead_(overhead), allocator_(allocator), native_(native), python_(python) {}

  /// Writes the caller of the slot's last counted launch, if that is the slot's first launch or one of the next ones
  /// from a new place. Called by the thread that launches, with the lock of watch.hpp held.
  void note(const Slot& slot);

 private:
  /// Places that a slot's launches came from, those that were written.
  struct Places {
    std::array<std::uint64_t, kept_callers> keys{};
    std::size_t count = 0;
  };

  void write(const Slot& slot);

  Output& output_;
  Overhead& overhead_;
  AllocatorHook& allocator_;
  NativeFrames& native_;
  KnownFrames& python_;
  std::unordered_map<std::uint32_t, Places> places_of_slots_;
};

}  // namespace gpumem::inject
