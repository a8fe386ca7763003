#include "program/start/watched_command.hpp"

#include <fmt/format.h>

#include "engine/base/error.hpp"
#include "program/start/command.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

/// Says that the engine's library by NVIDIA was not found, or only where others could change it.
std::string missing_words(const WatchOptions& options, const FoundLibrary& search) {
  const VendorLibrary& library = options.counters ? cupti_library() : sanitizer_library();
  if (search.others) {
    return fmt::format(
        "'{1}' was left alone, because others can change it or put another in its place; if you trust "
        "it, name it: {0}={1}; without it no kernel can be {2}",
        library.variable, report::one_line(search.others->string()), options.counters ? "counted" : "watched");
  }
  return fmt::format(
      "the library {0} was not found, and no kernel can be {1} without it; install it with: pip install {2}; or name "
      "it with {3}=/path/to/{0}",
      library.file, options.counters ? "counted" : "watched",
      options.counters ? "nvidia-cuda-cupti" : "nvidia-cuda-sanitizer-api", library.variable);
}

Injection injection_of(const std::string& command, const WatchOptions& options, const Places& places,
                       const RawFolder& folder) {
  // Tests, and users who look at a run again, name the raw files of a run that was kept.
  if (const auto kept = places.variable("GPUMEM_RUN_RAW")) return {.raw_files = *kept};
  const auto library = injected_library(places);
  if (!library) {
    // Without the library nobody can tell if the command used a GPU, unless there is no driver.
    if (!has_driver(places)) return {.raw_files = folder.path()};
    throw missing_capability_error(
        fmt::format("libgpumem_inject.so is neither beside {} nor in ../lib/gpumem, so the command was not run; "
                    "install gpumem as a whole",
                    places.program.string()));
  }
  const FoundLibrary vendors = find_library(options.counters ? cupti_library() : sanitizer_library(), places, command);
  Injection result;
  result.raw_files = folder.path();
  result.variables = injected_variables(*library, vendors.file, folder.path(), options);
  if (!vendors.file) result.missing = missing_words(options, vendors);
  if (const auto theirs = places.variable("CUDA_INJECTION64_PATH")) {
    result.notes.push_back(
        fmt::format("CUDA_INJECTION64_PATH names {}, which was not loaded because only one library can be; run the "
                    "command without gpumem to load it",
                    report::one_line(*theirs)));
  }
  constexpr const char* marks = "NVTX_INJECTION64_PATH";
  const auto theirs = places.variable(marks);
  if (theirs && *theirs != library->string()) {
    result.notes.push_back(
        fmt::format("{} is {} and was kept, so ranges of the program are not seen; unset it to see them", marks,
                    report::one_line(*theirs)));
  } else {
    result.variables.emplace_back(marks, library->string());
  }
  return result;
}

}  // namespace

WatchedCommand::WatchedCommand(const std::vector<std::string>& command, const WatchOptions& options,
                               const Places& places)
    : command_(command),
      folder_(places),
      signals_([this] { folder_.remove(); }),
      injection_(injection_of(command.front(), options, places, folder_)) {}

int WatchedCommand::run() { return run_command(command_, injection_.variables, signals_); }

}  // namespace gpumem::program
