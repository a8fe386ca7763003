#include "probes/host/host_memory.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <fstream>
#include <iterator>
#include <limits>
#include <mutex>
#include <stdexcept>
#include <system_error>
#include <thread>
#include <vector>

#include "probes/error.hpp"
#include "probes/measure/content.hpp"
#include "probes/measure/cuda.hpp"
#include "probes/measure/numa.hpp"
#include "probes/read_file.hpp"
#include "probes/words.hpp"

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

/// The number after a key at a beginning of a line or after a blank: "MemAvailable:   123 kB", "inactive_file 123".
std::optional<std::uint64_t> number_after(std::string_view text, std::string_view key) {
  for (std::size_t at = text.find(key); at != std::string_view::npos; at = text.find(key, at + 1)) {
    if (at != 0 && text[at - 1] != '\n' && text[at - 1] != ' ') continue;
    const std::size_t digits = text.find_first_not_of(' ', at + key.size());
    if (digits == std::string_view::npos) return std::nullopt;
    std::uint64_t number = 0;
    const auto parsed = std::from_chars(text.data() + digits, text.data() + text.size(), number);
    return parsed.ec == std::errc{} ? std::optional(number) : std::nullopt;  // "max" is no number
  }
  return std::nullopt;
}

/// The least of what is known.
class Least {
 public:
  void take(std::optional<std::uint64_t> bytes) {
    if (bytes) bytes_ = std::min(bytes_.value_or(*bytes), *bytes);
  }
  [[nodiscard]] std::optional<std::uint64_t> get() const { return bytes_; }

 private:
  std::optional<std::uint64_t> bytes_;
};

/// What the files of a control group are called.
struct GroupFiles {
  const char* limit;
  const char* usage;
  const char* inactive_file;  ///< in memory.stat: page cache that the group gives up when it needs memory
};
constexpr GroupFiles version_1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file "};
constexpr GroupFiles version_2 = {"memory.max", "memory.current", "inactive_file "};

std::optional<std::uint64_t> left_by_group(const std::filesystem::path& group, const GroupFiles& files) {
  const auto limit = number_after(read_file(group / files.limit), "");
  const auto usage = number_after(read_file(group / files.usage), "");
  if (!limit || !usage) return std::nullopt;
  const std::uint64_t cache = number_after(read_file(group / "memory.stat"), files.inactive_file).value_or(0);
  const std::uint64_t used = *usage - std::min(cache, *usage);
  return *limit - std::min(used, *limit);
}

/// What a group and all above it leave. In a container the path may be one of the host's that is not mounted there,
/// but the mount itself then is the container's group.
void take_groups(Least& least, const std::filesystem::path& mount, std::string_view path, const GroupFiles& files) {
  std::string group(path);
  while (!group.empty() && group != "/") {
    least.take(left_by_group(mount / group.substr(1), files));
    group.erase(group.rfind('/'));
  }
  least.take(left_by_group(mount, files));
}

/// From the lines of /proc/self/cgroup: "0::/path" for version 2, "4:memory:/path" for version 1.
void take_control_groups(Least& least, const std::filesystem::path& root) {
  std::ifstream lines(root / "proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const std::size_t controllers = line.find(':') + 1;
    const std::size_t path = line.find(':', controllers) + 1;
    if (controllers == 0 || path == 0 || path >= line.size() || line[path] != '/') continue;
    const std::string names = "," + line.substr(controllers, path - 1 - controllers) + ",";
    const std::string_view group = std::string_view(line).substr(path);
    if (names == ",,") {
      take_groups(least, root / "sys/fs/cgroup", group, version_2);
    } else if (names.find(",memory,") != std::string::npos) {
      take_groups(least, root / "sys/fs/cgroup/memory", group, version_1);
    }
  }
}

/// A node has no MemAvailable: what is free, and the page cache that would be given up first.
std::optional<std::uint64_t> node_kib(const std::string& meminfo) {
  const auto free_kib = number_after(meminfo, "MemFree:");
  if (!free_kib) return std::nullopt;
  return *free_kib + number_after(meminfo, "Inactive(file):").value_or(0);
}

/// "cannot page-lock" or "cannot allocate".
const char* refused(Memory memory) { return memory == Memory::pageable ? "cannot allocate" : "cannot page-lock"; }

constexpr const char* remedy = "pass a smaller --size or --buffer";

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
                      what, size_text(limit.rlim_cur), remedy));
    }
    throw probe_error(fmt::format("{}: the driver refuses although {} are available; {}", what,
                                  size_text(available_bytes()), remedy));
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

Memory memory_of(std::string_view name) {
  const auto found = std::ranges::find(memory_names, name);
  if (found == memory_names.end()) throw std::logic_error("no kind of host memory is called " + std::string(name));
  return static_cast<Memory>(found - memory_names.begin());
}

std::string_view to_string(Memory memory) { return memory_names.at(static_cast<std::size_t>(memory)); }

std::uint64_t available_bytes() { return available_bytes("/", measure::bound_node()); }

std::uint64_t available_bytes(const std::filesystem::path& root, std::optional<unsigned> node) {
  constexpr std::uint64_t kib = 1024;
  constexpr std::uint64_t most_margin = std::uint64_t{4} << 30U;
  const auto in_bytes = [](std::optional<std::uint64_t> in_kib) {
    return in_kib ? std::optional(*in_kib * kib) : std::nullopt;
  };
  Least least;
  least.take(in_bytes(number_after(read_file(root / "proc/meminfo"), "MemAvailable:")));
  take_control_groups(least, root);
  if (node) {
    least.take(in_bytes(node_kib(read_file(root / fmt::format("sys/devices/system/node/node{}/meminfo", *node)))));
  }
  if (!least.get()) return 0;
  const std::uint64_t bytes = *least.get();
  return std::max<std::uint64_t>(bytes - std::min(bytes / 16, most_margin), 1);
}

void require_available(std::uint64_t bytes, std::string_view what) {
  const std::uint64_t available = available_bytes();
  if (available == 0 || bytes <= available) return;
  const auto [needed, had] = sizes_apart(bytes, available);
  throw probe_error(fmt::format("{} {} of host memory: {} are available; {}", what, needed, had, remedy));
}

void detail::ReleaseHost::operator()(void* data) const noexcept {
  // Like the owners of probes/measure/cuda.hpp: after a failed kernel every call fails, and that error is on its way.
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
  require_available(bytes, refused(memory));
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
                                  std::generic_category().message(errno), remedy));
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
