#pragma once
// A user's command that runs with the injected library, and the raw files that it leaves.

#include <filesystem>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "program/start/injection.hpp"
#include "program/start/raw_folder.hpp"
#include "program/start/signals.hpp"

namespace gpumem::program {

/// The environment variables that a command is started with, and what has to be said about them.
struct Injection {
  std::filesystem::path raw_files = {};  ///< the folder that holds them afterwards
  std::vector<std::pair<std::string, std::string>> variables = {};
  std::vector<std::string> notes = {};
  std::optional<std::string> missing = {};  ///< a library of NVIDIA's, and where to get it
};

/// While an object lives, signals are handled as Signals says, and before one ends this process its raw files are
/// removed.
class WatchedCommand {
 public:
  /// Prepares to run the command, whose words must outlive the object. Throws a usage error if the raw files have no
  /// place, and a missing_capability_error if the injected library is missing though there is a driver.
  WatchedCommand(const std::vector<std::string>& command, const WatchOptions& options, const Places& places);

  /// As run_command().
  [[nodiscard]] int run();

  [[nodiscard]] const Injection& injection() const { return injection_; }
  /// As RawFolder::note_if_full().
  [[nodiscard]] std::optional<std::string> note_if_full() const { return folder_.note_if_full(); }
  /// Removes the raw files, unless they are to be kept.
  void remove_raw_files() const { folder_.remove(); }

 private:
  const std::vector<std::string>& command_;
  RawFolder folder_;
  Signals signals_;
  Injection injection_;
};

}  // namespace gpumem::program
