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
  made,    ///< if the folder around it is there: two that are missing are rather a mistake
  refused  ///< it may be what a share that is not mounted has left, and nobody would look for a gate's file here
};

/// Replaces files of any kind safely: a regular file (or a link to one) by writing beside it and renaming; a device
/// or pipe such as /dev/null, which must not be replaced, by writing to it. What cannot be renamed over, such as a file
/// that is mounted into a container, or one in a folder that takes no other, is overwritten in place.
class FileOutput {
 public:
  /// Throws a usage error naming the path and the reason when the target could not be written later: no permission, a
  /// directory in its place; or when it is one of `inputs`, files that are read ("-" is standard input), by whatever
  /// name. Leaves an existing file as it is, and no new one, nor a new folder.
  explicit FileOutput(std::filesystem::path target, std::span<const std::string> inputs = {},
                      MissingFolder missing = MissingFolder::made);

  /// Replaces the target's content as a whole, and makes its folder if that was not there when this was made; one that
  /// has gone since, as a disk that was unmounted, is missed. Throws an OutputError on failure (disk full, ...), and
  /// then leaves the previous content in place. A pipe is waited for until somebody reads it; throws
  /// Interrupted when a stop is requested meanwhile (engine/base/interruption.hpp).
  void replace(const std::string& content) const;

  /// False for devices and pipes, where a second `replace` adds to the first: write those once, at the end.
  [[nodiscard]] bool rewritable() const { return rewritable_; }

 private:
  std::filesystem::path target_;
  std::optional<std::filesystem::path> new_folder_;
  bool rewritable_ = true;
};

/// Whether two paths name one file, be it there already or not.
[[nodiscard]] bool leads_to_same_file(const std::filesystem::path& left, const std::filesystem::path& right);

}  // namespace gpumem::app
