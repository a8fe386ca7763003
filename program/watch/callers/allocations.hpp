#pragma once
// Allocations of GPU memory that are in use, and the places where they were made.

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/watch/callers/frame.hpp"
#include "program/watch/callers/known_frames.hpp"
#include "program/watch/callers/native_frames.hpp"
#include "program/watch/launch_count.hpp"

namespace gpumem::inject {

/// The allocator. Memory from a framework lies within memory that the framework has from the driver.
enum class AllocatedBy : std::uint8_t {
  driver,
  loader,  ///< the driver, for a module's own variables
  framework
};

struct Allocation {
  std::uint64_t bytes = 0;
  const Frame* made_at = nullptr;  ///< null: not known
};

/// Any thread may call its functions, whatever locks it holds: they wait for no locks but their own.
class Allocations {
 public:
  Allocations(NativeFrames& native, KnownFrames& python, const LaunchCount& launches)
      : native_(native), python_(python), launches_(launches) {}

  /// Notes an allocation that the calling thread makes. For one of a framework this takes a fraction of a microsecond.
  /// Driver memory of a Python package is not kept: it is a pool, and its parts become arrays of one place now and of
  /// another later.
  void note(AllocatedBy by, std::uintptr_t address, std::uint64_t bytes);
  void note_free(AllocatedBy by, std::uintptr_t address);
  /// The allocation that the address is in, the framework's if there are two; nullopt if none was noted.
  [[nodiscard]] std::optional<Allocation> find(std::uintptr_t address);

  /// Nothing is noted from here on: a child has no GPU.
  void after_fork_in_child() { in_child_ = true; }

 private:
  using ByAddress = std::map<std::uintptr_t, Allocation>;  // of where they begin

  [[nodiscard]] bool is_missed(AllocatedBy by);
  [[nodiscard]] const Frame* native_place(std::vector<Frame> frames);
  [[nodiscard]] std::optional<const Frame*> driver_place();
  [[nodiscard]] std::optional<const Frame*> place_of(AllocatedBy by);
  [[nodiscard]] ByAddress& of(AllocatedBy by) { return by == AllocatedBy::framework ? of_framework_ : of_driver_; }
  [[nodiscard]] static std::optional<Allocation> found_in(const ByAddress& allocations, std::uintptr_t address);

  NativeFrames& native_;
  KnownFrames& python_;
  const LaunchCount& launches_;
  bool in_child_ = false;

  std::mutex mutex_;  ///< of the next three; never held while anything else is called
  ByAddress of_driver_;
  ByAddress of_framework_;
  std::map<std::vector<std::pair<std::string, std::uint64_t>>, std::vector<Frame>> native_places_;

  /// True after allocations of a framework were ignored. This happens in a loop that launches nothing new, where noting
  /// them would cost more than all else. The framework's allocations that were known before are out of date then.
  std::atomic<bool> framework_missed_ = false;
};

}  // namespace gpumem::inject
