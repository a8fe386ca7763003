#pragma once
// A user's defaults for options: in a file, and in the environment, which counts more.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gpumem::app {

/// An option's value where the command line has none, and the name of what says so.
struct Setting {
  std::string option;  ///< without dashes: "ci-width"
  std::string text;
  std::string source;  ///< "GPUMEM_BACKEND", or the path of the file
};

struct Settings {
  std::vector<Setting> options = {};  ///< for commands that have them
  std::optional<Setting> gpu = {};    ///< the GPU to predict for; a measured one needs no name
};

/// Reads GPUMEM_BACKEND and GPUMEM_GPU, and the file (empty or missing: none): a JSON object of texts named backend,
/// gpu, color, ci_width, time_budget and numa. `variable` returns the value of one, empty if it is not set. Throws a
/// usage error for a file that cannot be read, is no such object, or has another member.
[[nodiscard]] Settings read_settings(const std::filesystem::path& file,
                                     const std::function<std::string(const char* name)>& variable);

/// The process' own: $XDG_CONFIG_HOME/gpumem/config.json, or the same in ~/.config, and its environment.
[[nodiscard]] Settings own_settings();

}  // namespace gpumem::app
