#include "program/start/injection.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>

#include "engine/base/error.hpp"
#include "engine/base/trusted_files.hpp"
#include "program/watch/environment.hpp"

namespace gpumem::program {

namespace {

namespace fs = std::filesystem;
constexpr const char* library_name = "libgpumem_inject.so";

bool is_file(const fs::path& path) {
  std::error_code ignored;
  return fs::is_regular_file(path, ignored);
}

/// Folders in `folder` whose names begin with `beginning`, the newest version first: "cuda-13.0" before "cuda-12.8".
std::vector<fs::path> folders_in(const fs::path& folder, const std::string& beginning) {
  std::vector<fs::path> found;
  std::error_code ignored;
  for (fs::directory_iterator entry(folder, ignored), end; !ignored && entry != end; entry.increment(ignored)) {
    if (entry->path().filename().string().starts_with(beginning)) found.push_back(entry->path());
  }
  const auto longer_is_newer = [](const fs::path& path) {
    const std::string name = path.filename().string();
    return std::pair(name.size(), name);
  };
  std::ranges::sort(found, std::ranges::greater(), longer_is_newer);
  return found;
}

/// A file that may exist, and the folder of the installation that it would belong to.
struct Candidate {
  fs::path file;
  fs::path installed;
};

FoundLibrary first_trusted(const std::vector<Candidate>& candidates) {
  FoundLibrary found;
  for (const auto& [file, installed] : candidates) {
    if (!is_file(file)) continue;
    std::error_code failed;
    const fs::path absolute = fs::absolute(file, failed);  // the command may change to another folder
    if (failed) continue;
    if (is_trusted(absolute, installed)) {
      found.file = absolute;
      return found;
    }
    if (!found.others) found.others = absolute;
  }
  return found;
}

/// Files where the library may be, in order of preference.
struct Candidates {
  const VendorLibrary& library;
  std::vector<Candidate> files = {};

  void add_toolkit(const fs::path& toolkit) {
    for (const char* folder : library.in_toolkit) files.push_back({toolkit / folder / library.file, toolkit});
  }
  /// Adds the packages of a Python whose files are below `prefix`.
  void add_python(const fs::path& prefix) {
    for (const fs::path& version : folders_in(prefix / "lib", "python3")) {
      for (const char* packages : {"site-packages", "dist-packages"}) {
        for (const fs::path& package : folders_in(version / packages / "nvidia", "")) {
          for (const char* folder : library.in_package) files.push_back({package / folder / library.file, prefix});
        }
      }
    }
  }
};

/// Finds a program as a shell would; empty if it is not there.
fs::path found_program(const Places& places, const std::string& name) {
  if (name.find('/') != std::string::npos) return is_file(name) ? fs::path(name) : fs::path();
  const std::string path = places.variable("PATH").value_or("");
  for (std::size_t begin = 0; begin <= path.size();) {
    const std::size_t end = std::min(path.find(':', begin), path.size());
    const fs::path file = fs::path(path.substr(begin, end - begin)) / name;
    if (is_file(file)) return file;
    begin = end + 1;
  }
  return {};
}

/// A program's own path, and the path that it leads to if it is a link. Virtual environments have such links.
std::vector<fs::path> files_of(const fs::path& program) {
  std::error_code failed;
  if (program.empty()) return {};
  return {fs::absolute(program, failed), fs::canonical(program, failed)};
}

/// Returns the parent of the folder that holds a program: "/usr" for "/usr/bin/nvcc".
fs::path prefix_of(const fs::path& program) { return program.parent_path().parent_path(); }

bool is_of_python(const fs::path& program) {
  return program.filename().string().starts_with("python3") || is_file(program.parent_path() / "python3");
}

}  // namespace

Places real_places() {
  std::error_code failed;
  const fs::path program = fs::read_symlink("/proc/self/exe", failed);
  return {.program = failed ? fs::path() : program, .variable = [](const char* name) -> std::optional<std::string> {
            const char* value = std::getenv(name);
            return value == nullptr || *value == '\0' ? std::nullopt : std::optional<std::string>(value);
          }};
}

bool has_driver(const Places& places) {
  return std::ranges::any_of(places.drivers, [](const fs::path& driver) {
    std::error_code unknown;
    return fs::exists(driver, unknown) || unknown;
  });
}

std::optional<fs::path> injected_library(const Places& places) {
  const fs::path folder = places.program.parent_path();
  const fs::path prefix = folder.parent_path();
  std::vector<Candidate> candidates;
  for (const char* name : {"lib", "lib64"}) {
    const fs::path libraries = prefix / name;
    candidates.push_back({libraries / "gpumem" / library_name, prefix});
    for (const fs::path& architecture : folders_in(libraries, "")) {
      candidates.push_back({architecture / "gpumem" / library_name, prefix});
    }
  }
  const fs::path beside = folder / library_name;  // whoever can change that can change the program
  std::optional<fs::path> found = is_file(beside) ? beside : first_trusted(candidates).file;
  std::error_code failed;
  if (found) found = fs::canonical(*found, failed);
  return failed ? std::nullopt : found;
}

const VendorLibrary& sanitizer_library() {
  static const VendorLibrary library{
      .file = "libsanitizer-public.so",
      .variable = "GPUMEM_SANITIZER",
      .in_toolkit = {"compute-sanitizer", "extras/compute-sanitizer", "extras/Sanitizer"},
      .in_package = {"compute-sanitizer", "", "lib"}};
  return library;
}

const VendorLibrary& cupti_library() {
  static const VendorLibrary library{.file = fmt::format("libcupti.so.{}", CUDART_VERSION / 1000),
                                     .variable = "GPUMEM_CUPTI",
                                     .in_toolkit = {"extras/CUPTI/lib64", "lib64"},
                                     .in_package = {"lib"}};
  return library;
}

FoundLibrary find_library(const VendorLibrary& library, const Places& places, const std::string& command) {
  if (const auto named = places.variable(library.variable)) {
    std::error_code failed;
    if (!is_file(*named)) throw usage_error(fmt::format("{}: there is no file '{}'", library.variable, *named));
    return {.file = fs::absolute(*named, failed)};
  }
  Candidates candidates{library};
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH", "CONDA_PREFIX"}) {
    if (const auto toolkit = places.variable(variable)) candidates.add_toolkit(*toolkit);
  }
  for (const char* variable : {"VIRTUAL_ENV", "CONDA_PREFIX"}) {
    if (const auto prefix = places.variable(variable)) candidates.add_python(*prefix);
  }
  for (const fs::path& program : files_of(found_program(places, command))) {
    if (is_of_python(program)) candidates.add_python(prefix_of(program));
  }
  for (const fs::path& system : places.systems) {
    candidates.add_toolkit(system / "cuda");
    for (const fs::path& toolkit : folders_in(system, "cuda-")) candidates.add_toolkit(toolkit);
  }
  for (const fs::path& nvcc : files_of(found_program(places, "nvcc"))) candidates.add_toolkit(prefix_of(nvcc));
  for (const fs::path& python : files_of(found_program(places, "python3"))) candidates.add_python(prefix_of(python));
  for (const fs::path& system : places.systems) candidates.add_python(system);
  if (const auto home = places.variable("HOME")) candidates.add_python(fs::path(*home) / ".local");
  return first_trusted(candidates.files);
}

std::vector<std::pair<std::string, std::string>> injected_variables(const fs::path& library,
                                                                    const std::optional<fs::path>& vendors,
                                                                    const fs::path& folder,
                                                                    const WatchOptions& options) {
  std::vector<std::pair<std::string, std::string>> variables = {
      {"CUDA_INJECTION64_PATH", library.string()},
      {inject::folder_variable, folder.string()},
      // All variables are set: those of a gpumem around this one would be inherited.
      {inject::engine_variable, options.counters ? inject::counters_engine_name : ""},
      {inject::sanitizer_variable, vendors && !options.counters ? vendors->string() : ""},
      {inject::cupti_variable, vendors && options.counters ? vendors->string() : ""},
      {inject::replay_variable, options.replay ? "1" : ""},
      {inject::launches_variable, options.launches ? fmt::format("{}", *options.launches) : ""},
      {inject::skip_first_variable, fmt::format("{}", options.skip_first)},
      {inject::overhead_variable, fmt::format("{}", options.max_overhead)},
      {inject::kernel_variable, options.kernel.value_or("")},
      {inject::device_variable, options.device.value_or("")},
  };
  return variables;
}

}  // namespace gpumem::program
