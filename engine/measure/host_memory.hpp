#pragma once
// Host memory of every kind a transfer can start from or end in, as a move-only owner. It is touched before it is
// handed out, so that no page fault falls into a timed region.

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "engine/statistics/statistics.hpp"

namespace gpumem::host {

enum class Memory {
  pageable,       ///< mmap, as malloc does for large blocks
  pinned,         ///< cudaHostAlloc, mapped
  registered,     ///< pageable memory after cudaHostRegister, mapped
  write_combined  ///< cudaHostAlloc, mapped and write-combined: the host may write it but reads it very slowly
};

[[nodiscard]] std::string_view to_string(Memory memory);

namespace detail {
struct ReleaseHost {
  Memory memory = Memory::pageable;
  std::size_t bytes = 0;
  void operator()(void* data) const noexcept;
};
}  // namespace detail

class Buffer {
 public:
  Buffer() = default;
  /// Throws a probe error if `bytes` are more than available_host_bytes() (without trying), or if the driver refuses;
  /// it says what was asked for and what there is. Throws a missing-capability error if this GPU cannot use host memory
  /// of that kind. Nothing stays allocated or locked then. Pageable memory needs no GPU.
  Buffer(Memory memory, std::size_t bytes);

  [[nodiscard]] Memory memory() const noexcept { return memory_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return data_ ? bytes_ : 0; }
  [[nodiscard]] void* data() const noexcept { return data_.get(); }
  [[nodiscard]] std::uint32_t* words() const noexcept { return static_cast<std::uint32_t*>(data_.get()); }
  /// The same memory as kernels address it; null for pageable memory, and where the GPU does not map host memory.
  [[nodiscard]] std::uint32_t* device_words() const noexcept {
    return data_ ? static_cast<std::uint32_t*>(device_data_) : nullptr;
  }
  /// The time taken to make the memory usable for transfers: cudaHostAlloc, or cudaHostRegister of touched memory; 0
  /// for pageable memory.
  [[nodiscard]] measure::Seconds setup_time() const noexcept { return setup_; }

 private:
  void map();       ///< fresh pages of the system, touched
  void allocate();  ///< by the driver
  void lock();      ///< registers what was mapped

  Memory memory_ = Memory::pageable;
  std::size_t bytes_ = 0;
  std::unique_ptr<void, detail::ReleaseHost> data_;
  void* device_data_ = nullptr;
  measure::Seconds setup_{};
};

/// Writes random_word(first + i) to every word, with several threads.
void fill_random(std::uint32_t* words, std::uint64_t count, std::uint64_t first = 0);
/// Writes poison_word to every word, with several threads.
void fill_poison(std::uint32_t* words, std::uint64_t count);

struct Difference {
  std::uint64_t mismatches = 0;
  std::uint64_t first = 0;  ///< smallest index that differs; meaningless without mismatches
};
/// Compares with random_word(first + i), with several threads. Slow on write-combined memory: see
/// verify_in_host_memory.
[[nodiscard]] Difference compare_random(const std::uint32_t* words, std::uint64_t count, std::uint64_t first = 0);

}  // namespace gpumem::host
