#include "engine/base/trusted_files.hpp"

#include <grp.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

#include <optional>
#include <string_view>

namespace gpumem {

namespace {

namespace fs = std::filesystem;
using FileStatus = struct stat;

std::optional<FileStatus> file_status(const fs::path& path) {
  FileStatus status{};
  return stat(path.c_str(), &status) == 0 ? std::optional(status) : std::nullopt;
}

/// Systems make a group for each user, with the user's name and nobody else in it.
bool is_group_of_one(uid_t user, gid_t group) {
  if (group == 0) return true;
  const struct passwd* owner = getpwuid(user);
  const struct group* of_file = getgrgid(group);
  return owner != nullptr && of_file != nullptr && std::string_view(owner->pw_name) == of_file->gr_name &&
         (of_file->gr_mem == nullptr || *of_file->gr_mem == nullptr);
}

bool can_others_write(const FileStatus& status, const FileStatus& installed) {
  const bool sticky = S_ISDIR(status.st_mode) && (status.st_mode & S_ISVTX) != 0;
  if (sticky) return false;
  if ((status.st_mode & S_IWOTH) != 0) return true;
  const bool group_installed = (installed.st_mode & S_IWGRP) != 0 && installed.st_gid == status.st_gid;
  return (status.st_mode & S_IWGRP) != 0 && !group_installed && !is_group_of_one(status.st_uid, status.st_gid);
}

/// Returns true if others can change neither the file nor a folder on its path. The path is absolute and has no dots.
/// Folders above the installation may belong to anyone whom the system lets have them.
bool is_path_trusted(const fs::path& file, const fs::path& folder, const FileStatus& installed) {
  const std::string above = folder.string() + "/";
  for (fs::path at = file; at.has_relative_path(); at = at.parent_path()) {
    const auto status = file_status(at);
    if (!status || can_others_write(*status, installed)) return false;
    const uid_t owner = status->st_uid;
    const bool within = at.string().starts_with(above);
    if (within && owner != 0 && owner != geteuid() && owner != installed.st_uid) return false;
  }
  return true;
}

}  // namespace

bool is_trusted(const fs::path& file, const fs::path& installed) {
  const auto status = file_status(installed);
  if (!status) return false;
  std::error_code failed;
  const auto trusted = [&](const auto& path_of) {
    const fs::path path = path_of(file);
    const fs::path folder = failed ? fs::path() : path_of(installed);
    return !failed && is_path_trusted(path, folder, *status);
  };
  return trusted([&](const fs::path& path) { return fs::absolute(path, failed).lexically_normal(); }) &&
         trusted([&](const fs::path& path) { return fs::canonical(path, failed); });
}

}  // namespace gpumem
