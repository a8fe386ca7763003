#include "app/output/file_output.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "engine/base/interruption.hpp"
#include "engine/base/unfinished_file.hpp"

namespace gpumem::app {

namespace {

namespace fs = std::filesystem;

std::string_view advice(int error) {
  switch (error) {
    case ENOSPC:
    case EDQUOT:
      return "free some space or choose another file";
    case EISDIR:
      return "name a file in it";
    default:
      return "choose another file";
  }
}

[[noreturn]] void fail(const fs::path& target, int error, std::string_view cure) {
  throw OutputError(
      fmt::format("cannot write '{}': {}; {}", target.string(), std::generic_category().message(error), cure));
}

/// Owns a file descriptor.
class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  ~Descriptor() {
    if (fd_ >= 0) ::close(fd_);
  }
  Descriptor(Descriptor&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  Descriptor& operator=(Descriptor&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  Descriptor(const Descriptor&) = delete;  // two owners would close it twice
  Descriptor& operator=(const Descriptor&) = delete;

  [[nodiscard]] int get() const { return fd_; }
  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  /// Closes now, because some file systems only then say that writing failed.
  void close(const fs::path& target) {
    if (::close(std::exchange(fd_, -1)) != 0) fail_to_write(target, errno);
  }

 private:
  int fd_;
};

void write_all(const Descriptor& file, std::string_view content, const fs::path& target) {
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written < 0 && errno != EINTR) fail_to_write(target, errno);
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
  }
}

/// Opens a file that exists, for writing.
Descriptor open_existing(const fs::path& target, int flags = 0) {
  Descriptor file(::open(target.c_str(), O_WRONLY | O_NOCTTY | O_CLOEXEC | flags));
  if (!file.is_open()) fail_to_write(target, errno);
  return file;
}

/// The status of the file that the target's name leads to, links followed; nullopt if there is none yet.
std::optional<struct stat> status_of(const fs::path& target) {
  struct stat status = {};
  if (::stat(target.c_str(), &status) == 0) return status;
  if (errno != ENOENT) fail_to_write(target, errno);
  return std::nullopt;
}

/// The path that a chain of links ends at, whether or not anything is there: a rename would replace the link itself.
fs::path resolved(const fs::path& target) {
  constexpr int longest_chain = 40;  // as in the kernel
  fs::path path = target;
  std::error_code error;
  for (int i = 0; i < longest_chain && fs::is_symlink(path, error); ++i) {
    const fs::path next = fs::read_symlink(path, error);
    if (error) fail_to_write(target, error.value());
    path = next.is_absolute() ? next : path.parent_path() / next;
  }
  if (!path.has_filename()) fail_to_write(target, target.empty() ? ENOENT : EISDIR);
  return path;
}

bool is_missing(const fs::path& folder) {
  std::error_code unknown;  // of a path through a file, say; writing says what is wrong with it
  return !folder.empty() && !fs::exists(folder, unknown);
}

/// The folder of a path if it has to be made, else nullopt. Throws if the folder may not be made.
std::optional<fs::path> folder_to_make(const fs::path& path, MissingFolder missing, const fs::path& target) {
  const fs::path folder = path.parent_path();
  if (!is_missing(folder)) return std::nullopt;
  if (missing == MissingFolder::refused) {
    fail(target, ENOENT, fmt::format("make '{}' first, or mount it: a gate makes no folder", folder.string()));
  }
  if (is_missing(folder.parent_path())) {
    fail(target, ENOENT, fmt::format("make '{}' first: only the last folder is made", folder.parent_path().string()));
  }
  return folder;
}

/// Succeeds if the folder is there already.
void make_folder(const fs::path& folder, const fs::path& target) {
  std::error_code error;
  fs::create_directory(folder, error);
  if (error) fail_to_write(target, error.value());
}

/// Makes a folder that is there as long as the object lives.
class TrialFolder {
 public:
  TrialFolder(const std::optional<fs::path>& folder, const fs::path& target) : folder_(folder) {
    if (folder_) make_folder(*folder_, target);
  }
  ~TrialFolder() {
    if (folder_) ::rmdir(folder_->c_str());
  }
  TrialFolder(const TrialFolder&) = delete;  // each would remove what the other needs
  TrialFolder& operator=(const TrialFolder&) = delete;

 private:
  const std::optional<fs::path>& folder_;
};

/// True for errors that concern a new file in the folder, or a rename there, but not writing to the file itself: it is
/// a mount point, or its folder permits less than the file.
bool is_of_the_folder_alone(int error) {
  return error == EBUSY || error == EXDEV || error == EACCES || error == EPERM || error == EROFS;
}

/// A new file in the directory that a target is in, removed again unless it is renamed over the target.
class Neighbour {
 public:
  explicit Neighbour(const fs::path& target) : target_(target), path_(resolved(target)), file_(create()) {}
  ~Neighbour() {
    if (error_ == 0 && !renamed_) ::unlink(name_.c_str());
  }
  Neighbour(const Neighbour&) = delete;  // it stands for one file
  Neighbour& operator=(const Neighbour&) = delete;

  /// The error of creating the file; 0 if there was none.
  [[nodiscard]] int error() const { return error_; }

  /// Gives the file the owner and permissions of the file that it will replace.
  void resemble(const struct stat& existing) const {
    // Giving a file away needs privileges; without them it is the user's own, as with any editor that saves this way.
    [[maybe_unused]] const int owned = ::fchown(file_.get(), existing.st_uid, existing.st_gid);
    struct stat own = {};
    const bool same = ::fstat(file_.get(), &own) == 0 && own.st_mode == existing.st_mode;
    if (!same && ::fchmod(file_.get(), existing.st_mode & 07777U) != 0) fail_to_write(target_, errno);
  }

  void write(std::string_view content) const {
    write_all(file_, content, target_);
    // A rename may reach the disk before the content does; after a crash the report would then be empty.
    if (::fsync(file_.get()) != 0 && errno != EINVAL && errno != ENOSYS) fail_to_write(target_, errno);
  }

  /// Returns 0, or the error.
  [[nodiscard]] int rename() {
    file_.close(target_);
    if (::rename(name_.c_str(), path_.c_str()) != 0) return errno;
    renamed_ = true;
    return 0;
  }

 private:
  /// Creates the file, with the permissions that the umask leaves a new file.
  [[nodiscard]] Descriptor create() {
    constexpr int attempts = 1000;
    for (int i = 0; i < attempts; ++i) {
      name_ = path_.parent_path() / fmt::format(".gpumem-{}-{}.tmp", ::getpid(), i);
      unfinished_.emplace(name_.string());  // first, because a signal may come as soon as the file is there
      Descriptor file(::open(name_.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      if (file.is_open()) return file;
      error_ = errno;
      unfinished_.reset();
      if (error_ != EEXIST) break;
      error_ = 0;
    }
    if (error_ == 0) error_ = EEXIST;
    return Descriptor(-1);
  }

  const fs::path& target_;
  const fs::path path_;
  fs::path name_;
  std::optional<UnfinishedFile> unfinished_;
  int error_ = 0;
  Descriptor file_;
  bool renamed_ = false;
};

/// Overwrites the target in place. Makes sure of the room before any old content is lost.
void overwrite(const fs::path& target, std::string_view content) {
  Descriptor file = open_existing(target);
  const auto size = static_cast<off_t>(content.size());
  if (::fallocate(file.get(), FALLOC_FL_KEEP_SIZE, 0, size) != 0 &&
      (errno == ENOSPC || errno == EDQUOT || errno == EFBIG)) {
    fail_to_write(target, errno);
  }
  write_all(file, content, target);
  if (::ftruncate(file.get(), size) != 0) fail_to_write(target, errno);
  file.close(target);
}

void write_to_device(const fs::path& target, std::string_view content) {
  Descriptor file = open_existing(target);
  write_all(file, content, target);
  file.close(target);
}

/// While an object lives, writing to a pipe without a reader is an error, and does not end the process.
class WithoutSigpipe {
 public:
  WithoutSigpipe() : before_(std::signal(SIGPIPE, SIG_IGN)) {}
  ~WithoutSigpipe() { std::signal(SIGPIPE, before_); }
  WithoutSigpipe(const WithoutSigpipe&) = delete;  // each would put back what the other put there
  WithoutSigpipe& operator=(const WithoutSigpipe&) = delete;

 private:
  void (*before_)(int);
};

/// Waits until a pipe has a reader, and until a slow one has read.
void write_to_pipe(const fs::path& target, std::string_view content) {
  constexpr std::chrono::milliseconds look_around{100};
  const auto open = [&] { return Descriptor(::open(target.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC)); };
  Descriptor file = open();
  while (!file.is_open()) {
    if (errno != ENXIO) fail_to_write(target, errno);
    stop_if_requested();
    std::this_thread::sleep_for(look_around / 4);
    file = open();
  }
  const WithoutSigpipe without;
  while (!content.empty()) {
    const ssize_t written = ::write(file.get(), content.data(), content.size());
    if (written > 0) content.remove_prefix(static_cast<std::size_t>(written));
    if (written >= 0 || errno == EINTR) continue;
    if (errno != EAGAIN) fail_to_write(target, errno);
    pollfd room{.fd = file.get(), .events = POLLOUT, .revents = 0};
    if (::poll(&room, 1, static_cast<int>(look_around.count())) == 0) stop_if_requested();
  }
  file.close(target);
}

bool is_same_file(const struct stat& left, const struct stat& right) {
  return left.st_dev == right.st_dev && left.st_ino == right.st_ino;
}

/// Refuses to write over a file that is read, even once it has been read: it may be the only copy of a measurement.
void refuse_input(const fs::path& target, const struct stat& status, std::span<const std::string> inputs) {
  for (const std::string& input : inputs) {
    struct stat read = {};
    const bool known = input == "-" ? ::fstat(STDIN_FILENO, &read) == 0 : ::stat(input.c_str(), &read) == 0;
    if (!known || !S_ISREG(read.st_mode) || !is_same_file(status, read)) continue;
    throw usage_error(fmt::format("cannot write '{}': it is read as well{}; choose another file", target.string(),
                                  input == "-"               ? ", as standard input"
                                  : input == target.string() ? ""
                                                             : ", as '" + input + "'"));
  }
}

}  // namespace

FileOutput::FileOutput(std::filesystem::path target, std::span<const std::string> inputs, MissingFolder missing)
    : target_(std::move(target)) {
  const auto status = status_of(target_);
  if (status && S_ISDIR(status->st_mode)) fail_to_write(target_, EISDIR);
  if (status) refuse_input(target_, *status, inputs);
  rewritable_ = !status || S_ISREG(status->st_mode);
  // Permissions are tried, not looked up: root, access lists and read-only file systems all have their own rules.
  // A pipe is not tried, since opening it waits for a reader, and closing it ends one.
  if (status && !S_ISFIFO(status->st_mode)) open_existing(target_, O_NONBLOCK);
  if (!rewritable_) return;
  if (!status) new_folder_ = folder_to_make(resolved(target_), missing, target_);
  const TrialFolder folder(new_folder_, target_);
  const Neighbour trial(target_);
  if (trial.error() != 0 && !(status && is_of_the_folder_alone(trial.error()))) fail_to_write(target_, trial.error());
}

void FileOutput::replace(const std::string& content) const {
  const auto status = status_of(target_);
  if (status && S_ISFIFO(status->st_mode)) return write_to_pipe(target_, content);
  if (status && !S_ISREG(status->st_mode)) return write_to_device(target_, content);
  if (new_folder_) make_folder(*new_folder_, target_);
  Neighbour file(target_);
  int error = file.error();
  if (error == 0) {
    if (status) file.resemble(*status);
    file.write(content);
    error = file.rename();
  }
  if (error == 0) return;
  if (!status || !is_of_the_folder_alone(error)) fail_to_write(target_, error);
  overwrite(target_, content);  // what was written beside it is there until this is done
}

void fail_to_write(const fs::path& target, int error) { fail(target, error, advice(error)); }

bool leads_to_same_file(const fs::path& left, const fs::path& right) {
  const auto resolved = [](const fs::path& path) {
    std::error_code unknown;  // of a path that leads nowhere; opening it says why
    return fs::weakly_canonical(fs::absolute(path, unknown), unknown);
  };
  return resolved(left) == resolved(right);
}

}  // namespace gpumem::app
