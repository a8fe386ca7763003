#include "engine/measure/host_memory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <iterator>
#include <limits>
#include <mutex>
#include <system_error>
#include <thread>
#include <vector>

#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/measure/content.hpp"
#include "engine/measure/cuda.hpp"

namespace gpumem::host {

namespace {

using Clock = std::chrono::steady_clock;

/// A few cores saturate a node's memory; more would only be started and ended.
constexpr unsigned most_threads = 8;
/// Below this a thread takes longer to start than to do its part.
constexpr std::uint64_t bytes_per_thread = std::uint64_t{1} << 20U;

/// Calls work(begin, end) for parts of [0, bytes) that are whole words, side by side. Threads inherit the caller's
/// processors and memory policy.
template <class Work>
void in_parallel(std::uint64_t bytes, const Work& work) {
  const std::uint64_t parts = std::clamp<std::uint64_t>(
      bytes / bytes_per_thread, 1, std::clamp(std::thread::hardware_concurrency(), 1U, most_threads));
  const std::uint64_t part = bytes / parts / sizeof(std::uint32_t) * sizeof(std::uint32_t);
  std::vector<std::jthread> threads;
  threads.reserve(parts);
  for (std::uint64_t i = 1; i < parts; ++i) {
    const std::uint64_t begin = i * part;
    const std::uint64_t end = i + 1 == parts ? bytes : begin + part;
    try {
      threads.emplace_back([&work, begin, end] { work(begin, end); });
    } catch (const std::system_error&) {  // no more threads are allowed: this one does it
      work(begin, end);
    }
  }
  work(0, parts == 1 ? bytes : part);
}

template <class Work>
void in_parallel_words(std::uint64_t count, const Work& work) {
  constexpr std::uint64_t word = sizeof(std::uint32_t);
  in_parallel(count * word, [&work](std::uint64_t begin, std::uint64_t end) { work(begin / word, end / word); });
}

/// Writes to every page, for a page is only there once it was written to.
void touch(void* data, std::uint64_t bytes) {
  const auto page = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  in_parallel(bytes, [data, page](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t at = begin; at < end; at = (at / page + 1) * page) static_cast<volatile char*>(data)[at] = 0;
  });
}

/// Runs `call` and says how long that took.
template <class Call>
measure::Seconds duration_of(const Call& call) {
  const auto start = Clock::now();
  call();
  return Clock::now() - start;
}

/// "cannot page-lock" or "cannot allocate".
const char* refused(Memory memory) { return memory == Memory::pageable ? "cannot allocate" : "cannot page-lock"; }

/// Turns the result of page-locking into an error that says what may have been in the way.
void check_locked(cudaError_t status, Memory memory, std::size_t bytes) {
  const std::string what = fmt::format("{} {} of host memory", refused(memory), size_text(bytes));
  if (status == cudaErrorMemoryAllocation) {
    static_cast<void>(cudaGetLastError());
    rlimit limit{};
    if (getrlimit(RLIMIT_MEMLOCK, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && limit.rlim_cur < bytes) {
      throw probe_error(
          fmt::format("{}: the driver refuses, perhaps for the limit of {} on locked memory; raise it "
                      "(ulimit -l unlimited), or {}",
                      what, size_text(limit.rlim_cur), less_host_memory));
    }
    throw probe_error(fmt::format("{}: the driver refuses although {} are available; {}", what,
                                  size_text(available_host_bytes()), less_host_memory));
  }
  if (status == cudaErrorNotSupported) {
    static_cast<void>(cudaGetLastError());
    throw missing_capability_error(fmt::format("this GPU cannot use {} host memory", to_string(memory)));
  }
  measure::check(status, what);
}

/// The address that kernels use; null where they cannot, which matters only to those who want to.
void* device_address(void* data) {
  void* address = nullptr;
  if (cudaHostGetDevicePointer(&address, data, 0) == cudaSuccess) return address;
  static_cast<void>(cudaGetLastError());
  return nullptr;
}

}  // namespace

std::string_view to_string(Memory memory) {
  constexpr std::array<std::string_view, 4> names = {"pageable", "pinned", "registered", "write-combined"};
  return names.at(static_cast<std::size_t>(memory));
}

void detail::ReleaseHost::operator()(void* data) const noexcept {
  // Like the owners of engine/measure/cuda.hpp: after a failed kernel every call fails, and that error is on its way.
  cudaError_t status = cudaSuccess;
  if (memory == Memory::pinned || memory == Memory::write_combined) {
    status = cudaFreeHost(data);
  } else {
    if (memory == Memory::registered) status = cudaHostUnregister(data);
    munmap(data, bytes);
  }
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

Buffer::Buffer(Memory memory, std::size_t bytes) : memory_(memory), bytes_(bytes) {
  require_host_memory(bytes, refused(memory));
  if (memory == Memory::pinned || memory == Memory::write_combined) {
    allocate();
  } else {
    map();
    if (memory == Memory::registered) lock();
  }
  if (memory != Memory::pageable) device_data_ = device_address(data());
}

void Buffer::map() {
  void* data = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (data == MAP_FAILED) {
    throw probe_error(fmt::format("cannot allocate {} of host memory: {}; {}", size_text(bytes_),
                                  std::generic_category().message(errno), less_host_memory));
  }
  data_ = {data, detail::ReleaseHost{Memory::pageable, bytes_}};
  touch(data, bytes_);
}

void Buffer::allocate() {
  const unsigned flags =
      cudaHostAllocMapped | (memory_ == Memory::write_combined ? cudaHostAllocWriteCombined : cudaHostAllocDefault);
  void* data = nullptr;
  cudaError_t status = cudaSuccess;
  setup_ = duration_of([&] { status = cudaHostAlloc(&data, bytes_, flags); });
  check_locked(status, memory_, bytes_);
  data_ = {data, detail::ReleaseHost{memory_, bytes_}};
  touch(data, bytes_);
}

void Buffer::lock() {
  cudaError_t status = cudaSuccess;
  setup_ = duration_of([&] { status = cudaHostRegister(data(), bytes_, cudaHostRegisterMapped); });
  check_locked(status, memory_, bytes_);
  data_.get_deleter().memory = Memory::registered;
}

void fill_random(std::uint32_t* words, std::uint64_t count, std::uint64_t first) {
  in_parallel_words(count, [=](std::uint64_t begin, std::uint64_t end) {
    for (std::uint64_t i = begin; i < end; ++i) words[i] = measure::random_word(first + i);
  });
}

void fill_poison(std::uint32_t* words, std::uint64_t count) {
  in_parallel_words(count, [=](std::uint64_t begin, std::uint64_t end) {
    std::fill(words + begin, words + end, measure::poison_word);
  });
}

Difference compare_random(const std::uint32_t* words, std::uint64_t count, std::uint64_t first) {
  Difference all{0, std::numeric_limits<std::uint64_t>::max()};
  std::mutex guard;
  in_parallel_words(count, [&](std::uint64_t begin, std::uint64_t end) {
    Difference part;
    for (std::uint64_t i = begin; i < end; ++i) {
      if (words[i] == measure::random_word(first + i)) continue;
      if (part.mismatches == 0) part.first = i;
      ++part.mismatches;
    }
    if (part.mismatches == 0) return;
    const std::lock_guard lock(guard);
    all.mismatches += part.mismatches;
    all.first = std::min(all.first, part.first);
  });
  return all;
}

}  // namespace gpumem::host
