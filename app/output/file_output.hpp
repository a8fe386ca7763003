#pragma once
// Report files that are always whole: written beside the target and renamed over it.

#include <filesystem>
#include <string>

namespace gpumem::app {

/// Replaces files of any kind safely: a regular file (or a link to one) by writing beside it and renaming; a device
/// or pipe such as /dev/null, which must not be replaced, by writing to it.
class FileOutput {
 public:
  /// Throws a usage error naming the path and the reason when the target could not be written later: missing
  /// directory, no permission, a directory in its place. Leaves an existing file as it is.
  explicit FileOutput(std::filesystem::path target);

  /// Replaces the target's content as a whole. Throws a usage error on failure (disk full, ...), and then leaves the
  /// previous content in place.
  void replace(const std::string& content) const;

  /// False for devices and pipes, where a second `replace` adds to the first: write those once, at the end.
  [[nodiscard]] bool rewritable() const { return rewritable_; }

 private:
  std::filesystem::path target_;
  bool rewritable_ = true;
};

}  // namespace gpumem::app
