#include <fcntl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <iterator>
#include <string>
#include <thread>
#include <vector>

#include "app/output/file_output.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_file_output {

namespace {

namespace fs = std::filesystem;
using gpumem::test::content_of;
using gpumem::test::put;
using gpumem::test::TemporaryDirectory;

std::ptrdiff_t entries_of(const TemporaryDirectory& directory) {
  return std::distance(fs::directory_iterator(directory.path()), fs::directory_iterator());
}

unsigned mode_of(const fs::path& path) {
  struct stat status = {};
  REQUIRE(::stat(path.c_str(), &status) == 0);
  return status.st_mode & 07777U;
}

/// The message of the usage error that `action` throws.
template <typename Action>
std::string usage_error_of(const Action& action) {
  try {
    action();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  FAIL("no error was thrown");
  return {};
}

}  // namespace

TEST_CASE("A new file appears whole, with the permissions of the umask") {
  const TemporaryDirectory directory;
  const auto path = directory / "new.json";
  const mode_t before = ::umask(027);
  const FileOutput output(path);
  CHECK_FALSE(fs::exists(path));
  CHECK(output.rewritable());
  output.replace("one");
  ::umask(before);
  CHECK(content_of(path) == "one");
  CHECK(mode_of(path) == 0640);
  output.replace("two, longer");
  output.replace("3");
  CHECK(content_of(path) == "3");
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("An existing file is untouched until replaced, and keeps its permissions") {
  const TemporaryDirectory directory;
  const auto path = directory / "old.json";
  put(path, "old");
  REQUIRE(::chmod(path.c_str(), 0604) == 0);
  const FileOutput output(path);
  CHECK(content_of(path) == "old");
  output.replace("new");
  CHECK(content_of(path) == "new");
  CHECK(mode_of(path) == 0604);
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("A symbolic link stays one, and its target is replaced") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "deep");
  fs::create_symlink("deep/target.json", directory / "middle");
  fs::create_symlink("middle", directory / "link.json");
  const FileOutput output(directory / "link.json");  // dangling
  output.replace("one");
  CHECK(fs::is_symlink(directory / "link.json"));
  CHECK(content_of(directory / "deep/target.json") == "one");
  output.replace("two");
  CHECK(fs::is_symlink(directory / "middle"));
  CHECK(content_of(directory / "deep/target.json") == "two");
  CHECK(entries_of(directory) == 3);
}

TEST_CASE("A folder that is missing is made with the file, and not before") {
  const TemporaryDirectory directory;
  const auto path = directory / "new/y.json";
  const FileOutput output(path);
  const FileOutput beside(directory / "new/x.json");
  CHECK(entries_of(directory) == 0);
  output.replace("one");
  beside.replace("two");
  CHECK(content_of(path) == "one");
  CHECK(content_of(directory / "new/x.json") == "two");
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("Two folders that are missing are rather a mistake, and one may be a share that is not mounted") {
  const TemporaryDirectory directory;
  const auto deep = directory / "new/and/y.json";
  CHECK(usage_error_of([&] { FileOutput{deep}; }) ==
        "cannot write '" + deep.string() + "': No such file or directory; make '" + (directory / "new").string() +
            "' first: only the last folder is made");
  const auto gate = directory / "new/y.json";
  CHECK(usage_error_of([&] { FileOutput(gate, {}, MissingFolder::refused); }) ==
        "cannot write '" + gate.string() + "': No such file or directory; make '" + (directory / "new").string() +
            "' first, or mount it: a gate makes no folder");
  fs::create_directory(directory / "new");
  FileOutput(gate, {}, MissingFolder::refused).replace("x");
  CHECK(content_of(gate) == "x");
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("A folder that cannot be made is said at once") {
  CHECK(usage_error_of([] { FileOutput{"/proc/new/y.json"}; }) ==
        "cannot write '/proc/new/y.json': No such file or directory; choose another file");
}

TEST_CASE("A directory, a path through a file and an empty name are refused") {
  const TemporaryDirectory directory;
  fs::create_directory(directory / "d");
  put(directory / "f", "");
  CHECK(usage_error_of([&] { FileOutput{directory / "d"}; }).find("Is a directory; name a file in it") !=
        std::string::npos);
  CHECK(usage_error_of([&] { FileOutput{directory / "d/"}; }).find("Is a directory") != std::string::npos);
  CHECK(usage_error_of([&] { FileOutput{directory / "f/x.json"}; }).find("Not a directory") != std::string::npos);
  CHECK(usage_error_of([&] { FileOutput{""}; }).find("cannot write ''") != std::string::npos);
  CHECK(usage_error_of([&] { FileOutput{directory / "new/"}; }).find("Is a directory") != std::string::npos);
  CHECK(entries_of(directory) == 2);
}

TEST_CASE("A circle of links is refused") {
  const TemporaryDirectory directory;
  fs::create_symlink("b", directory / "a");
  fs::create_symlink("a", directory / "b");
  CHECK(usage_error_of([&] { FileOutput{directory / "a"}; }).find("symbolic links") != std::string::npos);
}

TEST_CASE("When replacing fails, the previous content stays and nothing is left beside it") {
  const TemporaryDirectory directory;
  const auto path = directory / "report.json";
  const FileOutput output(path);
  output.replace("previous");
  // The directory goes away under the report, and comes back after the failure.
  const auto moved = fs::path(directory.path().string() + "-moved");
  fs::rename(directory.path(), moved);
  CHECK(usage_error_of([&] { output.replace("next"); }).find("No such file or directory") != std::string::npos);
  fs::rename(moved, directory.path());
  CHECK(content_of(path) == "previous");
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("A disk that fills up while writing costs nothing but the new content") {
  const TemporaryDirectory directory;
  const auto path = directory / "report.json";
  const FileOutput output(path);
  output.replace("previous");
  // A limit on the size of files stands in for the full disk.
  struct rlimit limit = {};
  REQUIRE(::getrlimit(RLIMIT_FSIZE, &limit) == 0);
  const struct rlimit small = {1000, limit.rlim_max};
  auto* const handler = std::signal(SIGXFSZ, SIG_IGN);
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &small) == 0);
  const std::string message = usage_error_of([&] { output.replace(std::string(100'000, 'x')); });
  REQUIRE(::setrlimit(RLIMIT_FSIZE, &limit) == 0);
  std::signal(SIGXFSZ, handler);
  CHECK(message.find("File too large") != std::string::npos);
  CHECK(content_of(path) == "previous");
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("Something that took the file's place is not overwritten") {
  const TemporaryDirectory directory;
  const auto path = directory / "report.json";
  const FileOutput output(path);
  fs::create_directory(path);
  CHECK(usage_error_of([&] { output.replace("next"); }).find("Is a directory") != std::string::npos);
  CHECK(fs::is_directory(path));
  CHECK(entries_of(directory) == 1);
}

TEST_CASE("Devices are written to, not replaced") {
  const FileOutput null("/dev/null");
  CHECK_FALSE(null.rewritable());
  null.replace("anything");
  CHECK(fs::is_character_file("/dev/null"));

  if (!fs::exists("/dev/full")) return;
  const FileOutput full("/dev/full");
  CHECK(usage_error_of([&] { full.replace("anything"); }) ==
        "cannot write '/dev/full': No space left on device; free some space or choose another file");
  CHECK(fs::is_character_file("/dev/full"));
}

TEST_CASE("A pipe receives the content") {
  const TemporaryDirectory directory;
  const auto path = directory / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const FileOutput output(path);  // must not wait for a reader
  CHECK_FALSE(output.rewritable());
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  output.replace("through");
  char buffer[16] = {};
  const auto count = ::read(reader, buffer, sizeof buffer);
  ::close(reader);
  CHECK(std::string(buffer, static_cast<std::size_t>(std::max<ssize_t>(count, 0))) == "through");
  CHECK(fs::is_fifo(path));
}

TEST_CASE("A pipe whose reader has left is an error, and not the end") {
  const TemporaryDirectory directory;
  const auto path = directory / "pipe";
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const FileOutput output(path);
  const int reader = ::open(path.c_str(), O_RDONLY | O_NONBLOCK);
  REQUIRE(reader >= 0);
  std::thread leaves([reader] {
    std::this_thread::sleep_for(std::chrono::milliseconds(50));
    ::close(reader);
  });
  const std::string more_than_fits(1 << 20, 'x');
  CHECK(usage_error_of([&] { output.replace(more_than_fits); }).find("Broken pipe") != std::string::npos);
  leaves.join();
}

TEST_CASE("What is read is not written, by whatever name") {
  const TemporaryDirectory directory;
  const auto path = directory / "report.json";
  put(path, "measured");
  fs::create_symlink("report.json", directory / "soft.json");
  fs::create_hard_link(path, directory / "hard.json");
  const std::vector<std::string> inputs = {"-", "/dev/null", (directory / "missing").string(), path.string()};
  for (const char* name : {"report.json", "soft.json", "hard.json", "../report.json"}) {
    const fs::path output = name[0] == '.' ? directory / fs::path("x") / name : directory / name;
    fs::create_directories(directory / "x");
    INFO(output);
    CHECK(usage_error_of([&] { FileOutput(output, inputs); }).find("it is read as well") != std::string::npos);
  }
  CHECK_NOTHROW(FileOutput(directory / "other.json", inputs));
  CHECK_NOTHROW(FileOutput("/dev/null", inputs));
  CHECK(content_of(path) == "measured");
}

TEST_CASE("A file in a folder that takes no other is overwritten in place") {
  if (::geteuid() == 0) return;  // root may write anywhere
  const TemporaryDirectory directory;
  fs::create_directory(directory / "locked");
  const auto path = directory / "locked/report.json";
  put(path, "a longer text");
  REQUIRE(::chmod((directory / "locked").c_str(), 0500) == 0);
  const FileOutput output(path);
  CHECK(content_of(path) == "a longer text");
  output.replace("short");
  CHECK(content_of(path) == "short");
  output.replace("longer than that");
  CHECK(content_of(path) == "longer than that");
  REQUIRE(::chmod((directory / "locked").c_str(), 0700) == 0);
}

TEST_CASE("A read-only file or directory is refused before anything is measured") {
  if (::geteuid() == 0) return;  // root may write anywhere
  const TemporaryDirectory directory;
  const auto path = directory / "locked.json";
  put(path, "old");
  REQUIRE(::chmod(path.c_str(), 0400) == 0);
  CHECK(usage_error_of([&] { FileOutput{path}; }).find("Permission denied") != std::string::npos);
  fs::create_directory(directory / "locked");
  REQUIRE(::chmod((directory / "locked").c_str(), 0500) == 0);
  CHECK(usage_error_of([&] { FileOutput{directory / "locked/x.json"}; }).find("Permission denied") !=
        std::string::npos);
}

}  // namespace gpumem::app::test_file_output
