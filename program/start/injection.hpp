#pragma once
// The library that is injected into a user's program, the places where it is found, and the variables that configure
// it.

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace gpumem::program {

/// The requests of `gpumem run` to the injected library (program/watch/environment.hpp).
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

/// The places where files may be, and the environment's variables. Tests use their own.
struct Places {
  std::filesystem::path program;                                        ///< this one
  std::function<std::optional<std::string>(const char*)> variable;      ///< of the environment
  std::vector<std::filesystem::path> systems = {"/usr/local", "/opt"};  ///< that toolkits are installed below
  /// Device files of a GPU's driver: that of a card, of an integrated GPU, and of Windows below Linux.
  std::vector<std::filesystem::path> drivers = {"/dev/nvidiactl", "/dev/nvmap", "/dev/dxg"};
};
[[nodiscard]] Places real_places();

/// True if the driver of a GPU is there. Without it no program can use one.
[[nodiscard]] bool has_driver(const Places& places);

/// The library to inject: beside the program, or where it is installed to; nullopt if it is missing.
[[nodiscard]] std::optional<std::filesystem::path> injected_library(const Places& places);

/// A library by NVIDIA that is loaded into the program, and never shipped with gpumem.
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
  std::optional<std::filesystem::path> others = {};  ///< the first one that was not used, because others can change it
};
/// Finds the library in the first of these places: the file that its variable names; the toolkit or Python environment
/// that the environment names; PyPI's package in a Python beside the command; an installed toolkit, the newest first;
/// PyPI's package in the Python on the PATH, the system's or the user's. Files that others could have put there
/// (is_trusted) are not used, unless the variable names them. Throws a usage error if the variable names no file.
/// SECURITY.md lists the places.
[[nodiscard]] FoundLibrary find_library(const VendorLibrary& library, const Places& places, const std::string& command);

/// The variables to add to the program's environment, by name. `vendors` is the library that the chosen engine needs.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> injected_variables(
    const std::filesystem::path& library, const std::optional<std::filesystem::path>& vendors,
    const std::filesystem::path& folder, const WatchOptions& options);

}  // namespace gpumem::program
