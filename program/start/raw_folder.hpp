#pragma once
// The folder that the injected library leaves its files in.

#include <filesystem>
#include <optional>
#include <string>

#include "program/start/injection.hpp"

namespace gpumem::program {

/// Below $TMPDIR and removed in the end, or what $GPUMEM_RUN_KEEP names, which stays.
class RawFolder {
 public:
  /// Throws a usage error if nothing can be written there, or the one to keep has files of another run.
  explicit RawFolder(const Places& places);
  ~RawFolder() { remove(); }
  RawFolder(const RawFolder&) = delete;
  RawFolder& operator=(const RawFolder&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const { return path_; }
  /// A line, where there is no room for more by now: what came last is missing.
  [[nodiscard]] std::optional<std::string> note_if_full() const;
  /// Removes it, unless it is to be kept. May be called again, and from another thread.
  void remove() const;

 private:
  [[nodiscard]] std::string place() const;  ///< that the user has named

  std::filesystem::path path_;
  bool temporary_ = true;
};

}  // namespace gpumem::program
