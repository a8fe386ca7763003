#pragma once
// The file of a history: a line of JSON for each run of each GPU (report/record/history.hpp). Several programs may add
// to it at the same time.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "report/record/history.hpp"

namespace gpumem::app {

/// The lines of a GPU that a file keeps; the oldest are dropped.
inline constexpr std::size_t most_runs_of_a_gpu = 400;

struct History {
  std::vector<report::EarlierRun> runs;
  std::vector<std::string> notes;  ///< lines for the user, about parts that were left out
};

/// Reads lines. A torn or foreign line, and one that a later version wrote, is left out with a note. Throws a usage
/// error if the text has lines, and none of them is of a history.
[[nodiscard]] History read_history(const std::string& text, const std::string& source);

/// Returns the text of a history file with this run added, and without the oldest of its GPU's lines beyond `most`.
/// Other lines stay as they are, also those that cannot be read: a later version may know them. Returns the text as it
/// is if it has the same run already.
[[nodiscard]] std::string with_run(const std::string& text, const report::EarlierRun& run, std::size_t most);

/// Adds a run to a file, which is made if it is missing. Waits for other writers, and appends a whole line, or replaces
/// the file as a whole if lines have to go. Throws an OutputError if that is impossible, and leaves the file whole.
void add_to_history(const std::filesystem::path& file, const report::EarlierRun& run,
                    std::size_t most = most_runs_of_a_gpu);

}  // namespace gpumem::app
