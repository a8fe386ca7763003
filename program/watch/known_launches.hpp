#pragma once
// Launches like others before them: of these nothing has to be asked of the driver, which takes longer than all else
// that is done with a launch.

#include <cuda.h>

#include <array>
#include <atomic>
#include <cstddef>

#include "program/watch/kernels.hpp"

namespace gpumem::inject {

struct KnownLaunch {
  CUcontext context = nullptr;
  CUfunction function = nullptr;  ///< as the program names it; null: none
  Shape shape;
  Slot* slot = nullptr;
  Unseen standing = Unseen::none;  ///< why none like it is ever looked at closely
};

class KnownLaunches {
 public:
  // With the lock of `watch()` held:

  /// Null where none is known.
  [[nodiscard]] KnownLaunch* find(CUcontext context, CUfunction function, const Shape& shape);
  void remember(const KnownLaunch& launch) { place_of(launch.function, launch.shape) = launch; }

  /// Handles may name something else from now on. Any thread, with or without locks.
  void forget() { outdated_ = true; }

 private:
  static constexpr std::size_t places = 4096;  // a power of two

  KnownLaunch& place_of(CUfunction function, const Shape& shape);

  std::array<KnownLaunch, places> known_;  ///< each launch has one place, which a later one may take
  std::atomic<bool> outdated_ = false;
};

}  // namespace gpumem::inject
