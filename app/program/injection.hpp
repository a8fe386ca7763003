#pragma once
// What is injected into a user's program and where it is found, and what it is told.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpumem::app {

/// What `gpumem run` asks of the injected library (inject/environment.hpp).
struct WatchOptions {
  bool counters = false;              ///< by the hardware's counters, not access by access
  bool replay = false;                ///< kernels are run again for what cannot be counted at once
  std::optional<std::string> kernel;  ///< extended regular expression
  std::optional<std::string> device;
  std::optional<std::uint64_t> launches =
      {};  ///< of each kernel, grid and block; absent: one, of few grids of a kernel
  std::uint64_t skip_first = 0;
  double max_overhead = 0.2;
};

/// Where files may be, and what is set there. Tests put their own in its place.
struct Places {
  std::filesystem::path program;                                        ///< this one
  std::function<std::optional<std::string>(const char*)> variable;      ///< of the environment
  std::vector<std::filesystem::path> systems = {"/usr/local", "/opt"};  ///< that toolkits are installed below
  /// Files of the driver of a GPU: a card's, an integrated one's, that of Windows below Linux.
  std::vector<std::filesystem::path> drivers = {"/dev/nvidiactl", "/dev/nvmap", "/dev/dxg"};
};
[[nodiscard]] Places real_places();

/// Whether there is the driver of a GPU. Without it no program can use one.
[[nodiscard]] bool has_driver(const Places& places);

/// The library to inject: beside the program, or where it is installed to. Absent: not there.
[[nodiscard]] std::optional<std::filesystem::path> injected_library(const Places& places);

/// A library of NVIDIA's that is loaded into the program, and never shipped with gpumem.
struct VendorLibrary {
  std::string file;
  const char* variable;                 ///< of the environment, that names it
  std::vector<const char*> in_toolkit;  ///< folders
  std::vector<const char*> in_package;  ///< of PyPI's, below site-packages/nvidia/*
};
[[nodiscard]] const VendorLibrary& sanitizer_library();
[[nodiscard]] const VendorLibrary& cupti_library();

struct FoundLibrary {
  std::optional<std::filesystem::path> file = {};    ///< absent: nowhere
  std::optional<std::filesystem::path> others = {};  ///< the first one that was left alone, for others can change it
};
/// Where it is: named by its variable; of the toolkit or Python environment that the environment names; of PyPI's
/// package, where a Python is beside the command; of a toolkit that is installed, the newest first; of PyPI's package
/// in the Python on the PATH, the system's or the user's. None that others could have put there (is_trusted), unless
/// the variable names it. Throws a usage error if the variable names no file. SECURITY.md lists the places.
[[nodiscard]] FoundLibrary find_library(const VendorLibrary& library, const Places& places, const std::string& command);

/// What the program's environment has to hold beside what it holds, by name. `vendors` is the library that the engine
/// asked for needs.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> injected_variables(
    const std::filesystem::path& library, const std::optional<std::filesystem::path>& vendors,
    const std::filesystem::path& folder, const WatchOptions& options);

}  // namespace gpumem::app
