#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <optional>
#include <string>

#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::test_available_memory {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

/// The files of /proc and /sys that say how much memory there is, of a machine that is not this one.
class Machine {
 public:
  Machine& with(const std::string& file, const std::string& text) {
    test::put(root_ / file, text);
    return *this;
  }
  [[nodiscard]] std::uint64_t available(std::optional<unsigned> node = std::nullopt) const {
    return available_host_bytes(root_.path(), node);
  }

 private:
  test::TemporaryDirectory root_;
};

std::string kilobytes(std::uint64_t bytes) { return std::to_string(bytes / kib) + " kB\n"; }
std::string bytes_line(std::uint64_t bytes) { return std::to_string(bytes) + "\n"; }
std::uint64_t less_margin(std::uint64_t bytes) { return bytes - std::min(bytes / 16, 4 * gib); }

std::string meminfo(std::uint64_t available) {
  return "MemTotal:       " + kilobytes(128 * gib) + "MemFree:        " + kilobytes(1 * gib) +
         "MemAvailable:   " + kilobytes(available) + "Buffers:  " + kilobytes(2 * mib);
}

}  // namespace

TEST_CASE("available memory: what the system says, less a margin", "[available memory]") {
  Machine machine;
  CHECK(machine.available() == 0);
  machine.with("proc/meminfo", meminfo(8 * gib));
  CHECK(machine.available() == 8 * gib - 512 * mib);
  machine.with("proc/meminfo", meminfo(512 * gib));
  CHECK(machine.available() == 508 * gib);
  machine.with("proc/meminfo", meminfo(0));
  CHECK(machine.available() == 1);  // known, and nothing
}

TEST_CASE("available memory: control groups of version 2, up to the root", "[available memory]") {
  Machine machine;
  machine.with("proc/meminfo", meminfo(100 * gib)).with("proc/self/cgroup", "0::/jobs/one\n");
  const auto group = [&](const std::string& path, const std::string& limit, std::uint64_t usage,
                         std::uint64_t inactive_file) {
    machine.with("sys/fs/cgroup/" + path + "memory.max", limit + "\n")
        .with("sys/fs/cgroup/" + path + "memory.current", bytes_line(usage))
        .with("sys/fs/cgroup/" + path + "memory.stat",
              "anon 17\nactive_file 99\ninactive_file " + bytes_line(inactive_file));
  };
  group("jobs/one/", "max", 3 * gib, 0);
  CHECK(machine.available() == less_margin(100 * gib));
  group("jobs/", std::to_string(16 * gib), 4 * gib, 0);
  CHECK(machine.available() == less_margin(12 * gib));
  group("jobs/", std::to_string(16 * gib), 4 * gib, 1 * gib);  // page cache is given up
  CHECK(machine.available() == less_margin(13 * gib));
  group("jobs/one/", std::to_string(2 * gib), 1 * gib, 0);
  CHECK(machine.available() == less_margin(1 * gib));
  group("jobs/one/", std::to_string(2 * gib), 3 * gib, 0);
  CHECK(machine.available() == 1);
}

TEST_CASE("available memory: a container whose group's path is the host's", "[available memory]") {
  Machine machine;
  machine.with("proc/meminfo", meminfo(100 * gib))
      .with("proc/self/cgroup", "0::/kubepods/pod-17/abc\n")
      .with("sys/fs/cgroup/memory.max", bytes_line(8 * gib))
      .with("sys/fs/cgroup/memory.current", bytes_line(2 * gib));
  CHECK(machine.available() == less_margin(6 * gib));
}

TEST_CASE("available memory: control groups of version 1", "[available memory]") {
  Machine machine;
  machine.with("proc/meminfo", meminfo(100 * gib))
      .with("proc/self/cgroup", "5:cpu,cpuacct:/elsewhere\n4:hugetlb,memory:/box\n1:name=systemd:/\n0::/\n")
      .with("sys/fs/cgroup/memory/box/memory.limit_in_bytes", bytes_line(10 * gib))
      .with("sys/fs/cgroup/memory/box/memory.usage_in_bytes", bytes_line(7 * gib))
      .with("sys/fs/cgroup/memory/box/memory.stat", "inactive_file 5\ntotal_inactive_file " + bytes_line(3 * gib))
      .with("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n")
      .with("sys/fs/cgroup/memory/memory.usage_in_bytes", bytes_line(20 * gib));
  CHECK(machine.available() == less_margin(6 * gib));
}

TEST_CASE("available memory: of the node that memory is bound to", "[available memory]") {
  Machine machine;
  machine.with("proc/meminfo", meminfo(100 * gib))
      .with("sys/devices/system/node/node1/meminfo",
            "Node 1 MemTotal:       " + kilobytes(64 * gib) + "Node 1 MemFree:        " + kilobytes(5 * gib) +
                "Node 1 Inactive:       " + kilobytes(9 * gib) + "Node 1 Inactive(file): " + kilobytes(3 * gib));
  CHECK(machine.available(1) == less_margin(8 * gib));
  CHECK(machine.available() == less_margin(100 * gib));
  CHECK(machine.available(0) == less_margin(100 * gib));
}

TEST_CASE("available memory: no more than a limit of the process leaves, which errors name", "[available memory]") {
  rlimit before{};
  REQUIRE(::getrlimit(RLIMIT_AS, &before) == 0);
  std::uint64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  const std::uint64_t used = pages * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  rlimit small = before;
  small.rlim_cur = used + gib / 2;
  REQUIRE(::setrlimit(RLIMIT_AS, &small) == 0);
  const std::uint64_t available = available_host_bytes();
  const std::string words = process_limit_words();
  REQUIRE(::setrlimit(RLIMIT_AS, &before) == 0);
  CHECK(available > 0);
  CHECK(available <= gib / 2);
  // Under the sanitizers a process has more address space than there is memory.
  if (used < gib) CHECK(words == "; 'ulimit -v' allows this process " + size_text(small.rlim_cur) + ": raise it");
  if (before.rlim_cur == RLIM_INFINITY) CHECK(process_limit_words().find("ulimit -v") == std::string::npos);
}

TEST_CASE("a little more host memory than there is: not said to be as much", "[available memory]") {
  // The available memory changes from moment to moment, but not by gibibytes between these two lines.
  const std::uint64_t available = available_host_bytes();
  REQUIRE(available > 0);
  CHECK_NOTHROW(require_host_memory(available / 2, "cannot allocate"));
  std::string message;
  try {
    require_host_memory(available + gib, "cannot allocate");
  } catch (const Error& error) {
    message = error.what();
  }
  INFO(message);
  const std::string needed = message.substr(0, message.find(" of host memory: "));
  CHECK(message.find(needed.substr(std::string("cannot allocate ").size()) + " are available") == std::string::npos);
}

}  // namespace gpumem::test_available_memory
