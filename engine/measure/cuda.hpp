#pragma once
// CUDA runtime resources as move-only owners, and the one function that turns a CUDA error into ours.
//
// Owners release without throwing and without looking at the result: after a failed kernel the context is dead, every
// call in it fails, and the error that matters is already on its way. A moved-from owner is empty.

#include <cuda_runtime_api.h>

#include <chrono>
#include <cstddef>
#include <memory>
#include <source_location>
#include <string_view>
#include <type_traits>

namespace gpumem::measure {

/// Throws a probe error unless `status` is cudaSuccess. `what` says what was tried ("launch copy<4>"); the message adds
/// CUDA's name and text of the error and the caller's file:line. Clears the thread's last error, so that the next case
/// is not blamed for this one.
void check(cudaError_t status, std::string_view what, std::source_location location = std::source_location::current());

/// Loads a kernel now. CUDA does so at its first launch, which waits until no kernel runs.
void load_now(const void* kernel);

/// Lets a kernel use all the dynamic shared memory that a block can have beside its static shared memory. Each launch
/// says how much it uses, so launches of one kernel with different amounts can be prepared together.
void allow_all_shared_memory(const void* kernel);

/// Makes a device current, and the one before again at the end of the scope.
class CurrentDevice {
 public:
  explicit CurrentDevice(int device_index);
  ~CurrentDevice();
  CurrentDevice(const CurrentDevice&) = delete;
  CurrentDevice& operator=(const CurrentDevice&) = delete;

 private:
  int before_ = 0;
};

namespace detail {
struct DestroyStream {
  void operator()(cudaStream_t stream) const noexcept;
};
struct DestroyEvent {
  void operator()(cudaEvent_t event) const noexcept;
};
struct FreeDevice {
  void operator()(void* data) const noexcept;
};
struct FreeHost {
  void operator()(void* data) const noexcept;
};
}  // namespace detail

/// The priority of a stream: if several kernels have blocks waiting, the device starts those of the highest priority
/// first.
enum class Priority { usual, highest };

/// A stream of the current device. It does not synchronise with the legacy default stream, so nothing that a library
/// does there lands inside a timed region.
class Stream {
 public:
  Stream() : Stream(Priority::usual) {}
  explicit Stream(Priority priority);
  [[nodiscard]] cudaStream_t get() const noexcept { return stream_.get(); }
  void synchronize() const;  ///< reports errors of everything enqueued so far

 private:
  std::unique_ptr<std::remove_pointer_t<cudaStream_t>, detail::DestroyStream> stream_;
};

/// A point in a stream that records its time.
class Event {
 public:
  Event();
  [[nodiscard]] cudaEvent_t get() const noexcept { return event_.get(); }
  void record(const Stream& stream);
  void synchronize() const;            ///< waits on the host until the event is reached
  [[nodiscard]] bool reached() const;  ///< without waiting

 private:
  std::unique_ptr<std::remove_pointer_t<cudaEvent_t>, detail::DestroyEvent> event_;
};

/// Makes commands queued in `later` from now on wait for those that are in `earlier` now. Queues two commands. `event`
/// must serve no other purpose.
void order_streams(cudaStream_t earlier, cudaStream_t later, const Event& event);

/// GPU time between two recorded events of one device; waits for `stop`. Resolution is about 0.5 us (CUDA's
/// documentation), so shorter work has to be batched.
[[nodiscard]] std::chrono::duration<double> elapsed(const Event& start, const Event& stop);

/// Device memory of the current device, uninitialised. Aligned to at least 256 bytes.
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  /// Out of memory is a probe error that says how much was asked for and how much is free.
  explicit DeviceBuffer(std::size_t bytes);

  [[nodiscard]] void* data() const noexcept { return data_.get(); }
  template <typename T>
  [[nodiscard]] T* as() const noexcept {
    return static_cast<T*>(data_.get());
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return data_ ? bytes_ : 0; }

 private:
  std::unique_ptr<void, detail::FreeDevice> data_;
  std::size_t bytes_ = 0;
};

/// A little page-locked host memory through which host and kernels signal each other, uninitialised. Host memory that
/// is measured is a host::Buffer.
class PinnedBuffer {
 public:
  PinnedBuffer() = default;
  explicit PinnedBuffer(std::size_t bytes);

  [[nodiscard]] void* data() const noexcept { return data_.get(); }
  [[nodiscard]] void* device_data() const noexcept { return data_ ? device_data_ : nullptr; }  ///< the kernel's address
  template <typename T>
  [[nodiscard]] T* as() const noexcept {
    return static_cast<T*>(data_.get());
  }
  template <typename T>
  [[nodiscard]] T* device_as() const noexcept {
    return static_cast<T*>(device_data());
  }
  [[nodiscard]] std::size_t bytes() const noexcept { return data_ ? bytes_ : 0; }

 private:
  std::unique_ptr<void, detail::FreeHost> data_;
  void* device_data_ = nullptr;
  std::size_t bytes_ = 0;
};

}  // namespace gpumem::measure
