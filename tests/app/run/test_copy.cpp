// A process that works for this one: what it says, and how it ends.

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <string>

#include "app/run/connection.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_copy {

namespace {

using Clock = std::chrono::steady_clock;

/// A script in the place of the copy.
class Script {
 public:
  explicit Script(const std::string& text) {
    gpumem::test::put(path_, "#!/bin/sh\n" + text);
    std::filesystem::permissions(path_, std::filesystem::perms::owner_all);
  }
  [[nodiscard]] std::unique_ptr<Connection> start(bool interrupted = false, const std::string& only_gpu = "") const {
    return start_copy([interrupted] { return interrupted; }, path_.string(), only_gpu);
  }

 private:
  gpumem::test::TemporaryDirectory directory_;
  std::filesystem::path path_ = directory_ / "copy";
};

}  // namespace

TEST_CASE("a copy is told by its argument what it is, and answers a line for a line", "[copy]") {
  const Script script("echo \"$1\"; while read line; do echo \"<$line>\"; done");
  const auto copy = script.start();
  CHECK(copy->receive_line() == worker_argument);
  copy->send_line("one");
  CHECK(copy->receive_line() == "<one>");
  const std::string long_line(1 << 20, 'x');
  copy->send_line(long_line);
  CHECK(copy->receive_line() == "<" + long_line + ">");
}

TEST_CASE("a copy sees the environment, and of the GPUs no more than it is to see", "[copy]") {
  const Script script("read line; echo \"$CUDA_VISIBLE_DEVICES $GPUMEM_COPY_TEST\"");
  setenv("CUDA_VISIBLE_DEVICES", "0,1", 1);
  setenv("GPUMEM_COPY_TEST", "kept", 1);
  for (const std::string only : {"", "GPU-8f2a11c0"}) {
    const auto copy = script.start(false, only);
    copy->send_line("go on");
    CHECK(copy->receive_line() == (only.empty() ? "0,1 kept" : "GPU-8f2a11c0 kept"));
  }
  unsetenv("CUDA_VISIBLE_DEVICES");
  unsetenv("GPUMEM_COPY_TEST");
}

TEST_CASE("a copy that ends has no answer, and how it ended is known", "[copy]") {
  const Script killed("read line; kill -9 $$");
  auto copy = killed.start();
  copy->send_line("go on");
  CHECK_FALSE(copy->receive_line());
  CHECK(copy->end_in_words() == "killed by signal 9 (Killed)");
  const Script left("exit 3");
  copy = left.start();
  CHECK_FALSE(copy->receive_line());
  copy->send_line("is lost");
  CHECK(copy->end_in_words() == "exit code 3");
}

TEST_CASE("a copy that is busy ends when it is told to, and one that does not listen is ended", "[copy]") {
  const auto start = Clock::now();
  { const auto copy = Script("echo ready; exec sleep 60").start(); }
  CHECK(Clock::now() - start < std::chrono::seconds(4));
  {
    const Script deaf("trap '' TERM; echo ready; while true; do sleep 0.1; done");
    const auto copy = deaf.start();
    CHECK(copy->receive_line() == "ready");
  }
  CHECK(Clock::now() - start < std::chrono::seconds(30));
}

TEST_CASE("an interrupt of this process alone reaches the copy that it waits for", "[copy]") {
  const Script script("trap 'echo interrupted; exit' TERM; while true; do sleep 0.05; done");
  const auto copy = script.start(true);
  CHECK(copy->receive_line() == "interrupted");
}

TEST_CASE("a copy that cannot be started is a probe error", "[copy]") {
  CHECK(test::error_of([] { static_cast<void>(start_copy([] { return false; }, "/nowhere")); },
                       ErrorKind::probe_failed) == "cannot start a process to measure in: No such file or directory");
}

}  // namespace gpumem::app::test_copy
