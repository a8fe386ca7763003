#pragma once
// Calls of the driver that a guest makes in the program's threads.

#include "inject/driver.hpp"

namespace gpumem::inject {

/// While it lives, calls of this thread are ours: no stream capture of the program's takes offence at them, and they
/// are not watched.
class Unnoticed {
 public:
  Unnoticed() {
    ++depth;
    static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode_));
  }
  ~Unnoticed() {
    static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode_));
    --depth;
  }
  Unnoticed(const Unnoticed&) = delete;
  Unnoticed& operator=(const Unnoticed&) = delete;

  [[nodiscard]] static bool here() { return depth > 0; }

 private:
  static inline thread_local unsigned depth = 0;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace gpumem::inject
