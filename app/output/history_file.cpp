#include "app/output/history_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <optional>
#include <string_view>
#include <thread>
#include <utility>

#include "app/output/file_output.hpp"
#include "engine/base/error.hpp"
#include "engine/base/interruption.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

namespace fs = std::filesystem;

/// A file that is open for appending, and locked against other writers as long as the object lives.
class LockedFile {
 public:
  /// Waits until others have written.
  explicit LockedFile(const fs::path& path) : path_(path) {
    while (!lock_current()) {
    }
  }
  ~LockedFile() { close(); }
  LockedFile(const LockedFile&) = delete;  // it stands for one lock
  LockedFile& operator=(const LockedFile&) = delete;

  [[nodiscard]] std::string content() const {
    std::string text;
    std::string part(std::size_t{1} << 16U, '\0');
    for (off_t at = 0;;) {
      const ssize_t count = ::pread(fd_, part.data(), part.size(), at);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) fail_to_write(path_, errno);
      if (count == 0) return text;
      text.append(part, 0, static_cast<std::size_t>(count));
      at += count;
    }
  }

  /// Appends all of the text, or leaves the file as long as it was.
  void append(std::string_view text, std::size_t length_before) const {
    while (!text.empty()) {
      const ssize_t written = ::write(fd_, text.data(), text.size());
      if (written < 0 && errno != EINTR) {
        const int error = errno;
        [[maybe_unused]] const int cut = ::ftruncate(fd_, static_cast<off_t>(length_before));
        fail_to_write(path_, error);
      }
      if (written > 0) text.remove_prefix(static_cast<std::size_t>(written));
    }
  }

 private:
  /// Returns false if another writer has replaced the file since it was opened.
  [[nodiscard]] bool lock_current() {
    close();
    fd_ = ::open(path_.c_str(), O_RDWR | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    if (fd_ < 0) fail_to_write(path_, errno);
    wait_for_lock();
    struct stat locked = {};
    struct stat named = {};
    if (::fstat(fd_, &locked) != 0) fail_to_write(path_, errno);
    return ::stat(path_.c_str(), &named) == 0 && locked.st_dev == named.st_dev && locked.st_ino == named.st_ino;
  }

  /// A writer takes milliseconds. One that was stopped must not stop all others for ever.
  void wait_for_lock() const {
    constexpr std::chrono::milliseconds pause{20};
    constexpr std::chrono::seconds longest{30};
    const auto end = std::chrono::steady_clock::now() + longest;
    while (::flock(fd_, LOCK_EX | LOCK_NB) != 0) {
      if (errno != EWOULDBLOCK && errno != EINTR) fail_to_write(path_, errno);
      if (std::chrono::steady_clock::now() > end) {
        throw OutputError(fmt::format("cannot write '{}': another program has had it locked for {} s; end that one",
                                      path_.string(), longest.count()));
      }
      stop_if_requested();
      std::this_thread::sleep_for(pause);
    }
  }

  void close() {
    if (fd_ >= 0) ::close(std::exchange(fd_, -1));
  }

  const fs::path& path_;
  int fd_ = -1;
};

/// A run, or the reason that a line is none.
struct Line {
  std::optional<report::EarlierRun> run = {};
  std::string wrong = {};
};

Line read_line(const std::string& text, const std::string& source) {
  try {
    auto run = report::read_history_line(text, source);
    if (!run) return {.wrong = source + ": a later version of gpumem wrote it"};
    return {.run = std::move(run)};
  } catch (const Error& error) {
    return {.wrong = error.what()};
  }
}

bool is_same(const report::EarlierRun& one, const report::EarlierRun& other) {
  return one.uuid == other.uuid && one.time == other.time && one.cases == other.cases;
}

}  // namespace

History read_history(const std::string& text, const std::string& source) {
  History history;
  std::size_t left_out = 0;
  std::string first;
  std::size_t number = 0;
  bool later = false;
  for (const std::string& line : report::split(text, '\n')) {
    ++number;
    if (line.empty()) continue;
    Line read = read_line(line, fmt::format("{}, line {}", source, number));
    if (read.run) {
      history.runs.push_back(*std::move(read.run));
      continue;
    }
    later = later || read.wrong.ends_with("wrote it");
    if (++left_out == 1) first = read.wrong;
  }
  if (left_out == 0) return history;
  if (history.runs.empty() && !later) {
    throw usage_error(
        fmt::format("--against: '{}' is no history of gpumem check; name a file that it made, or a new one", source));
  }
  history.notes.push_back(
      fmt::format("{} of the history left out, the first: {}", report::counted(left_out, "line"), first));
  return history;
}

std::string with_run(const std::string& text, const report::EarlierRun& run, std::size_t most) {
  const report::EarlierRun added = *report::read_history_line(report::history_line(run), "this run");
  std::vector<std::string> lines = report::split(text, '\n');
  std::erase(lines, "");
  std::vector<bool> of_gpu;
  std::size_t count = 1;
  for (const std::string& line : lines) {
    const Line read = read_line(line, "");
    if (read.run && is_same(*read.run, added)) return text;
    of_gpu.push_back(read.run && read.run->uuid == run.uuid);
    count += of_gpu.back() ? 1 : 0;
  }
  std::string kept;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (of_gpu[i] && count > most) {
      --count;
    } else {
      kept += lines[i] + '\n';
    }
  }
  return kept + report::history_line(run) + '\n';
}

void add_to_history(const std::filesystem::path& file, const report::EarlierRun& run, std::size_t most) {
  const LockedFile locked(file);
  const std::string before = locked.content();
  const std::string after = with_run(before, run, most);
  if (after == before) return;
  // A torn last line gets its end, so that the new line stands alone.
  const std::string ended = before.empty() || before.ends_with('\n') ? before : before + '\n';
  if (after.starts_with(ended)) {
    locked.append(std::string_view(after).substr(before.size()), before.size());
  } else {
    FileOutput(file, {}, MissingFolder::refused).replace(after);
  }
}

}  // namespace gpumem::app
