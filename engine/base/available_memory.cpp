#include "engine/base/available_memory.hpp"

#include <fmt/format.h>
#include <linux/mempolicy.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <bit>
#include <charconv>
#include <fstream>

#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/words.hpp"

namespace gpumem {

namespace {

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

/// The names of a control group's files.
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

/// Has `least` take the bytes that a group and all groups above it leave. In a container the path may be one of the
/// host's that is not mounted there. The mount itself is the container's group then.
void take_groups(Least& least, const std::filesystem::path& mount, std::string_view path, const GroupFiles& files) {
  std::string group(path);
  while (!group.empty() && group != "/") {
    least.take(left_by_group(mount / group.substr(1), files));
    group.erase(group.rfind('/'));
  }
  least.take(left_by_group(mount, files));
}

/// Has `least` take the bytes that the groups in /proc/self/cgroup leave. Its lines are "0::/path" for version 2,
/// "4:memory:/path" for version 1.
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

/// A limit on what one process has.
struct ProcessLimit {
  decltype(RLIMIT_AS) resource;
  unsigned used;  ///< the field of /proc/self/statm that has the pages which count
  const char* command;
};
constexpr ProcessLimit process_limits[] = {{RLIMIT_AS, 0, "ulimit -v"}, {RLIMIT_DATA, 5, "ulimit -d"}};

std::optional<std::uint64_t> bytes_of(const ProcessLimit& limit) {
  rlimit set{};
  if (getrlimit(limit.resource, &set) != 0 || set.rlim_cur == RLIM_INFINITY) return std::nullopt;
  return set.rlim_cur;
}

/// Returns the bytes that a process limit leaves, or nullopt if the limit is not set.
std::optional<std::uint64_t> left_by(const ProcessLimit& limit) {
  const auto bytes = bytes_of(limit);
  if (!bytes) return std::nullopt;
  std::ifstream fields("/proc/self/statm");
  std::uint64_t pages = 0;
  for (unsigned field = 0; field <= limit.used; ++field) fields >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  return *bytes - std::min(used, *bytes);
}

/// Returns the bytes less the margin that is kept for the system; at least 1.
std::uint64_t less_margin(std::uint64_t bytes) {
  constexpr std::uint64_t most_margin = std::uint64_t{4} << 30U;
  return std::max<std::uint64_t>(bytes - std::min(bytes / 16, most_margin), 1);
}

/// A node has no MemAvailable: what is free, and the page cache that would be given up first.
std::optional<std::uint64_t> node_kib(const std::string& meminfo) {
  const auto free_kib = number_after(meminfo, "MemFree:");
  if (!free_kib) return std::nullopt;
  return *free_kib + number_after(meminfo, "Inactive(file):").value_or(0);
}

}  // namespace

std::optional<unsigned> bound_memory_node() {
  constexpr unsigned most_nodes = 1024;  // of any kernel
  constexpr unsigned word_bits = 64;
  int mode = MPOL_DEFAULT;
  std::array<std::uint64_t, most_nodes / word_bits> nodes{};
  const auto no_flags = 0UL;
  if (syscall(SYS_get_mempolicy, &mode, nodes.data(), most_nodes, nullptr, no_flags) != 0) return std::nullopt;
  if ((mode & ~MPOL_MODE_FLAGS) != MPOL_BIND) return std::nullopt;
  std::optional<unsigned> bound;
  for (unsigned i = 0; i < nodes.size(); ++i) {
    if (nodes[i] == 0) continue;
    if (bound || !std::has_single_bit(nodes[i])) return std::nullopt;
    bound = i * word_bits + static_cast<unsigned>(std::countr_zero(nodes[i]));
  }
  return bound;
}

std::uint64_t available_host_bytes() {
  std::uint64_t least = available_host_bytes("/", bound_memory_node());
  for (const ProcessLimit& limit : process_limits) {
    const auto left = left_by(limit);
    if (left && (least == 0 || less_margin(*left) < least)) least = less_margin(*left);
  }
  return least;
}

std::uint64_t available_host_bytes(const std::filesystem::path& root, std::optional<unsigned> node) {
  constexpr std::uint64_t kib = 1024;
  const auto in_bytes = [](std::optional<std::uint64_t> in_kib) {
    return in_kib ? std::optional(*in_kib * kib) : std::nullopt;
  };
  Least least;
  least.take(in_bytes(number_after(read_file(root / "proc/meminfo"), "MemAvailable:")));
  take_control_groups(least, root);
  if (node) {
    least.take(in_bytes(node_kib(read_file(root / fmt::format("sys/devices/system/node/node{}/meminfo", *node)))));
  }
  return least.get() ? less_margin(*least.get()) : 0;
}

std::string process_limit_words() {
  const std::uint64_t of_host = available_host_bytes("/", bound_memory_node());
  for (const ProcessLimit& limit : process_limits) {
    const auto bytes = bytes_of(limit);
    if (bytes && (of_host == 0 || *bytes < of_host)) {
      return fmt::format("; '{}' allows this process {}: raise it", limit.command, size_text(*bytes));
    }
  }
  return "";
}

void require_host_memory(std::uint64_t bytes, std::string_view what) {
  const std::uint64_t available = available_host_bytes();
  if (available == 0 || bytes <= available) return;
  const auto [needed, had] = sizes_apart(bytes, available);
  throw probe_error(fmt::format("{} {} of host memory: {} are available; {}{}", what, needed, had, less_host_memory,
                                process_limit_words()));
}

}  // namespace gpumem
