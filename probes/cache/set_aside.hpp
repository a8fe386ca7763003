#pragma once
// A part of L2 for persisting accesses, and windows of addresses whose accesses persist (CUDA C++ Programming Guide,
// device memory L2 access management).

#include <cuda_runtime_api.h>

#include <cstdint>
#include <utility>

namespace gpumem::cache {

/// A part of L2 set aside for persisting accesses. The destructor gives all of it back, so that others have the whole
/// L2.
class SetAside {
 public:
  SetAside() = default;
  /// As much as the GPU allows of so many bytes. Throws a missing-capability error if it allows none.
  explicit SetAside(std::uint64_t wanted_bytes);
  ~SetAside();
  SetAside(SetAside&& other) noexcept : bytes_(std::exchange(other.bytes_, 0)) {}
  SetAside& operator=(SetAside&& other) noexcept {
    std::swap(bytes_, other.bytes_);
    return *this;
  }
  SetAside(const SetAside&) = delete;
  SetAside& operator=(const SetAside&) = delete;

  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }

 private:
  std::uint64_t bytes_ = 0;
};

/// The launch attribute that makes accesses to `bytes` from `data` on persist. If `bytes` is more than what is set
/// aside, only the share that fits there persists. Otherwise its parts would drive each other out.
[[nodiscard]] cudaLaunchAttribute persisting_window(const void* data, std::uint64_t bytes, const SetAside& set_aside);

}  // namespace gpumem::cache
