#include "program/start/raw_folder.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "engine/base/error.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

namespace {

namespace fs = std::filesystem;

constexpr const char* keep_variable = "GPUMEM_RUN_KEEP";
constexpr off_t least_room = 1 << 20;  // of a process that launches a few kernels

/// For the command may change to another folder.
fs::path absolute(const fs::path& folder, const char* variable) {
  std::error_code failed;
  fs::path path = fs::absolute(folder, failed);
  if (!failed) return path;
  throw usage_error(fmt::format("{}: '{}' is relative to a current folder that cannot be used: {}; name it from /",
                                variable, folder.string(), failed.message()));
}

fs::path kept_folder(const std::string& name) {
  std::error_code failed;
  fs::create_directories(name, failed);
  fs::directory_iterator entry;
  if (!failed) entry = fs::directory_iterator(name, failed);
  if (failed) throw usage_error(fmt::format("{}: cannot use '{}': {}", keep_variable, name, failed.message()));
  for (; !failed && entry != fs::directory_iterator(); entry.increment(failed)) {
    if (entry->path().extension() == inject::events_suffix) {
      throw usage_error(fmt::format("{}: '{}' has the files of another run; name a new folder", keep_variable, name));
    }
  }
  return absolute(name, keep_variable);
}

fs::path temporary_folder(const fs::path& parent) {
  std::string name = absolute(parent, "TMPDIR") / "gpumem-run-XXXXXX";
  if (::mkdtemp(name.data()) == nullptr) {
    throw usage_error(
        fmt::format("cannot make a folder in '{}': {}; set TMPDIR to another", parent.string(), std::strerror(errno)));
  }
  return name;
}

/// Why there is no room in the folder, or 0.
int full(const fs::path& folder) {
  const fs::path trial = folder / "room";
  const int file = open(trial.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) return errno;
  const int failure = posix_fallocate(file, 0, least_room);
  close(file);
  unlink(trial.c_str());
  return failure;
}

}  // namespace

RawFolder::RawFolder(const Places& places) {
  if (const auto kept = places.variable(keep_variable)) {
    path_ = kept_folder(*kept);
    temporary_ = false;
  } else {
    path_ = temporary_folder(places.variable("TMPDIR").value_or("/tmp"));
  }
  if (const int failure = full(path_); failure != 0) {
    remove();
    throw usage_error(fmt::format("cannot write to '{}': {}; set {} to another folder", place(), std::strerror(failure),
                                  temporary_ ? "TMPDIR" : keep_variable));
  }
}

std::optional<std::string> RawFolder::note_if_full() const {
  const int failure = full(path_);
  if (failure == 0) return std::nullopt;
  return fmt::format("'{}' became full ({}): what came last was not seen; set {} to a folder with more room", place(),
                     std::strerror(failure), temporary_ ? "TMPDIR" : keep_variable);
}

std::string RawFolder::place() const { return (temporary_ ? path_.parent_path() : path_).string(); }

void RawFolder::remove() const {
  std::error_code ignored;
  if (temporary_) fs::remove_all(path_, ignored);
}

}  // namespace gpumem::program
