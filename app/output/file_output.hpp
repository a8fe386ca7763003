#pragma once
// Report files that are always whole: written beside the target and renamed over it.

#include <filesystem>
#include <optional>
#include <span>
#include <string>

#include "engine/base/error.hpp"

namespace gpumem::app {

/// A failure to write the output: a usage error to whoever started the program. It says nothing about the content.
class OutputError : public Error {
 public:
  explicit OutputError(const std::string& message) : Error(ErrorKind::usage, message) {}
};

/// The treatment of a missing folder of a file.
enum class MissingFolder {
  made,    ///< if its parent is there: two missing folders are rather a mistake
  refused  ///< a gate's folder may be missing because its share is not mounted
};

/// Replaces files of any kind safely. A regular file, or the target of a link, is written beside the old one and
/// renamed over it. A device or pipe such as /dev/null must not be replaced and is written to. A file that cannot be
/// renamed over is overwritten in place: one that is mounted into a container, for example, or one in a folder that
/// takes no other file.
class FileOutput {
 public:
  /// Throws a usage error that names the path and the reason if the target could not be written later: no permission,
  /// or a directory in its place. Also if the target is, under any name, one of `inputs`: files that are read ("-" is
  /// standard input). Leaves an existing file as it is, and makes neither a file nor a folder that stays.
  explicit FileOutput(std::filesystem::path target, std::span<const std::string> inputs = {},
                      MissingFolder missing = MissingFolder::made);

  /// Replaces the target's content as a whole, and makes its folder if that was missing when the object was made. A
  /// folder that has gone since, such as an unmounted disk, is an error. Throws an OutputError on failure (disk full,
  /// ...), and then leaves the previous content in place. Waits until somebody reads a pipe, and throws Interrupted if
  /// a stop is requested meanwhile (engine/base/interruption.hpp).
  void replace(const std::string& content) const;

  /// False for devices and pipes, where a second `replace` adds to the first. Write those once, at the end.
  [[nodiscard]] bool rewritable() const { return rewritable_; }

 private:
  std::filesystem::path target_;
  std::optional<std::filesystem::path> new_folder_;
  bool rewritable_ = true;
};

/// Throws an OutputError that says why a file cannot be written, by the number of the system's error, and what to do.
[[noreturn]] void fail_to_write(const std::filesystem::path& target, int error);

/// True if two paths name the same file, which need not exist.
[[nodiscard]] bool leads_to_same_file(const std::filesystem::path& left, const std::filesystem::path& right);

}  // namespace gpumem::app
