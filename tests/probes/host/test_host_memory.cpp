#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "probes/error.hpp"
#include "probes/host/host_memory.hpp"
#include "probes/measure/content.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

using namespace gpumem::host;
using gpumem::Error;
using gpumem::ErrorKind;
using gpumem::measure::poison_word;
using gpumem::measure::random_word;

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

/// The files of /proc and /sys that say how much memory there is, of a machine that is not this one.
class Machine {
 public:
  Machine& with(const std::string& file, const std::string& text) {
    gpumem::test::put(root_ / file, text);
    return *this;
  }
  [[nodiscard]] std::uint64_t available(std::optional<unsigned> node = std::nullopt) const {
    return available_bytes(root_.path(), node);
  }

 private:
  gpumem::test::TemporaryDirectory root_;
};

std::string kilobytes(std::uint64_t bytes) { return std::to_string(bytes / kib) + " kB\n"; }
std::string bytes_line(std::uint64_t bytes) { return std::to_string(bytes) + "\n"; }
std::uint64_t less_margin(std::uint64_t bytes) { return bytes - std::min(bytes / 16, 4 * gib); }

std::string meminfo(std::uint64_t available) {
  return "MemTotal:       " + kilobytes(128 * gib) + "MemFree:        " + kilobytes(1 * gib) +
         "MemAvailable:   " + kilobytes(available) + "Buffers:  " + kilobytes(2 * mib);
}

Error failure_of(const auto& call) {
  try {
    static_cast<void>(call());
  } catch (const Error& error) {
    return error;
  }
  return {ErrorKind::no_gpu, "no error"};
}

}  // namespace

TEST_CASE("kinds of host memory have the names of the command line", "[host memory]") {
  for (const std::string_view name : memory_names) CHECK(to_string(memory_of(name)) == name);
  CHECK(memory_of("write-combined") == Memory::write_combined);
  CHECK_THROWS_AS(memory_of("managed"), std::logic_error);
}

TEST_CASE("available memory: what the system says, less a margin", "[host memory]") {
  Machine machine;
  CHECK(machine.available() == 0);
  machine.with("proc/meminfo", meminfo(8 * gib));
  CHECK(machine.available() == 8 * gib - 512 * mib);
  machine.with("proc/meminfo", meminfo(512 * gib));
  CHECK(machine.available() == 508 * gib);
  machine.with("proc/meminfo", meminfo(0));
  CHECK(machine.available() == 1);  // known, and nothing
}

TEST_CASE("available memory: control groups of version 2, up to the root", "[host memory]") {
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

TEST_CASE("available memory: a container whose group's path is the host's", "[host memory]") {
  Machine machine;
  machine.with("proc/meminfo", meminfo(100 * gib))
      .with("proc/self/cgroup", "0::/kubepods/pod-17/abc\n")
      .with("sys/fs/cgroup/memory.max", bytes_line(8 * gib))
      .with("sys/fs/cgroup/memory.current", bytes_line(2 * gib));
  CHECK(machine.available() == less_margin(6 * gib));
}

TEST_CASE("available memory: control groups of version 1", "[host memory]") {
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

TEST_CASE("available memory: of the node that memory is bound to", "[host memory]") {
  Machine machine;
  machine.with("proc/meminfo", meminfo(100 * gib))
      .with("sys/devices/system/node/node1/meminfo",
            "Node 1 MemTotal:       " + kilobytes(64 * gib) + "Node 1 MemFree:        " + kilobytes(5 * gib) +
                "Node 1 Inactive:       " + kilobytes(9 * gib) + "Node 1 Inactive(file): " + kilobytes(3 * gib));
  CHECK(machine.available(1) == less_margin(8 * gib));
  CHECK(machine.available() == less_margin(100 * gib));
  CHECK(machine.available(0) == less_margin(100 * gib));
}

TEST_CASE("pageable memory needs no GPU", "[host memory]") {
  CHECK(available_bytes() > mib);
  Buffer buffer(Memory::pageable, 3 * mib + 4);
  REQUIRE(buffer.words() != nullptr);
  CHECK(buffer.memory() == Memory::pageable);
  CHECK(buffer.bytes() == 3 * mib + 4);
  CHECK(buffer.device_words() == nullptr);
  CHECK(buffer.setup_time().count() == 0);
  const std::uint64_t words = buffer.bytes() / 4;
  CHECK(std::count(buffer.words(), buffer.words() + words, 0U) == static_cast<std::ptrdiff_t>(words));

  std::uint32_t* data = buffer.words();
  const Buffer moved = std::move(buffer);
  CHECK(moved.words() == data);
  CHECK(moved.bytes() == 3 * mib + 4);
  CHECK(buffer.bytes() == 0);  // NOLINT(bugprone-use-after-move): what the class promises
  CHECK(buffer.data() == nullptr);
  CHECK(Buffer().bytes() == 0);
}

TEST_CASE("more host memory than there is: said without trying", "[host memory]") {
  REQUIRE(available_bytes() > 0);
  for (const Memory memory : {Memory::pinned, Memory::registered, Memory::write_combined, Memory::pageable}) {
    const Error error = failure_of([&] { return Buffer(memory, std::uint64_t{1} << 60U); });
    const std::string message = error.what();
    INFO(message);
    CHECK(error.kind() == ErrorKind::probe_failed);
    const std::string verb = memory == Memory::pageable ? "cannot allocate" : "cannot page-lock";
    CHECK(message.starts_with(verb + " 1048576 TiB of host memory: "));
    CHECK(message.ends_with(" are available; pass a smaller --size or --buffer"));
  }
}

TEST_CASE("a little more host memory than there is: not said to be as much", "[host memory]") {
  // What is available changes from moment to moment, but not by gibibytes between these two lines.
  const std::uint64_t available = available_bytes();
  REQUIRE(available > 0);
  CHECK_NOTHROW(require_available(available / 2, "cannot allocate"));
  const std::string message = failure_of([&] {
                                require_available(available + gib, "cannot allocate");
                                return 0;
                              }).what();
  INFO(message);
  const std::string needed = message.substr(0, message.find(" of host memory: "));
  CHECK(message.find(needed.substr(std::string("cannot allocate ").size()) + " are available") == std::string::npos);
}

TEST_CASE("filling and comparing, in whole and in parts", "[host memory]") {
  // One word, less than a thread's part, and several threads' parts that do not divide evenly.
  for (const std::uint64_t count : {std::uint64_t{1}, std::uint64_t{1000}, 3 * mib / 4 + 5, 21 * mib / 4 + 3}) {
    INFO(count);
    constexpr std::uint64_t first = 12345678901;
    std::vector<std::uint32_t> words(count + 1, 7);
    fill_random(words.data(), count, first);
    CHECK(words.front() == random_word(first));
    CHECK(words[count / 2] == random_word(first + count / 2));
    CHECK(words[count - 1] == random_word(first + count - 1));
    CHECK(words[count] == 7);
    CHECK(compare_random(words.data(), count, first).mismatches == 0);
    CHECK(compare_random(words.data(), count, first + 1).mismatches > 0);

    words[count - 1] ^= 1U << 31U;
    words[count / 2] ^= 1U;
    const Difference difference = compare_random(words.data(), count, first);
    CHECK(difference.first == count / 2);
    CHECK(difference.mismatches == (count == 1 ? 1 : 2));

    fill_poison(words.data(), count);
    CHECK(std::count(words.begin(), words.end() - 1, poison_word) == static_cast<std::ptrdiff_t>(count));
    CHECK(words[count] == 7);
    CHECK(compare_random(words.data(), count, first).mismatches == count);
    CHECK(compare_random(words.data(), count, first).first == 0);
  }
  CHECK(compare_random(nullptr, 0).mismatches == 0);
}
