#include "app/commands/against_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <string_view>
#include <system_error>
#include <utility>

#include "app/output/file_output.hpp"
#include "app/output/terminal.hpp"
#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "report/check/against_history.hpp"
#include "report/read/read_report.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

namespace fs = std::filesystem;

bool is_report_name(const fs::path& path) {
  const std::string name = path.filename().string();
  return !name.starts_with('.') && (name.ends_with(".json") || name.ends_with(".json.gz"));
}

/// The reports of a folder that changed last, as many as a file keeps runs.
std::vector<fs::path> latest_reports(const std::string& folder) {
  std::vector<std::pair<fs::file_time_type, fs::path>> found;
  std::error_code error;
  fs::directory_iterator entries(folder, error);
  if (error) throw usage_error(fmt::format("--against: cannot read '{}': {}", folder, error.message()));
  for (const fs::directory_entry& entry : entries) {
    if (!is_report_name(entry.path()) || !entry.is_regular_file(error)) continue;
    const fs::file_time_type time = entry.last_write_time(error);
    if (!error) found.emplace_back(time, entry.path());
  }
  std::ranges::sort(found);
  const std::size_t kept = std::min(found.size(), most_runs_of_a_gpu);
  std::vector<fs::path> paths;
  std::transform(found.end() - static_cast<std::ptrdiff_t>(kept), found.end(), std::back_inserter(paths),
                 [](const auto& item) { return item.second; });
  return paths;
}

History read_folder(const std::string& folder, std::istream& in) {
  constexpr std::array<std::string_view, 1> emptied = {"samples"};
  History history;
  std::size_t unreadable = 0;
  std::string first;
  for (const fs::path& path : latest_reports(folder)) {
    try {
      std::ranges::move(report::runs_of(report::read_report_file(path.string(), in, emptied)),
                        std::back_inserter(history.runs));
    } catch (const Error& error) {
      if (++unreadable == 1) first = error.what();
    }
  }
  if (unreadable > 0) {
    history.notes.push_back(
        fmt::format("{} of the history left out, the first: {}", report::counted(unreadable, "file"), first));
  }
  return history;
}

void refuse_what_measures_nothing(const CheckArguments& arguments) {
  const char* given = arguments.dry_run                           ? "--dry-run"
                      : arguments.backend == BackendChoice::model ? "--backend model"
                                                                  : nullptr;
  if (given == nullptr) return;
  throw usage_error(fmt::format(
      "--against holds measurements to earlier ones, and {} measures nothing; leave one of them out", given));
}

}  // namespace

AgainstHistory::AgainstHistory(const CheckArguments& arguments, std::span<const std::string> inputs,
                               const Environment& environment)
    : path_(arguments.against) {
  if (!path_) return;
  refuse_what_measures_nothing(arguments);
  std::error_code error;
  if (fs::is_directory(*path_, error)) {
    history_ = read_folder(*path_, environment.in);
  } else if (path_->ends_with(".jsonl")) {
    is_file_ = true;
    if (fs::exists(*path_, error) && !fs::is_regular_file(*path_, error)) {
      throw usage_error(fmt::format("--against: '{}' is neither a file nor a folder; name one of them", *path_));
    }
    const FileOutput writable(*path_, inputs, MissingFolder::refused);
    if (fs::exists(*path_, error) && fs::file_size(*path_, error) > 0) {
      history_ = read_history(read_input_file(*path_), *path_);
    }
  } else if (fs::exists(*path_, error)) {
    throw usage_error(
        fmt::format("--against: '{}' is neither a folder of reports nor a history, whose name ends in .jsonl", *path_));
  } else {
    throw usage_error(fmt::format(
        "--against: there is no folder '{}'; make it and save reports in it, or name a file: history.jsonl", *path_));
  }
  if (arguments.quiet) return;
  for (const std::string& note : history_.notes) say(environment.err, "note: " + note);
}

void AgainstHistory::add_to(std::vector<report::CheckRecord>& checks, const report::Report& report) const {
  if (path_) std::ranges::move(report::check_history(report, history_.runs), std::back_inserter(checks));
}

void AgainstHistory::add_again(std::vector<report::CheckRecord>& checks, std::span<const report::CheckRecord> before,
                               const report::Report& report, unsigned attempt) const {
  if (!path_) return;
  std::ranges::move(report::check_history_again(before, report, history_.runs, attempt), std::back_inserter(checks));
}

void AgainstHistory::remember(const report::Report& report) const {
  if (!path_ || !is_file_) return;
  for (const report::EarlierRun& run : report::runs_of(report)) {
    if (!run.uuid.empty()) add_to_history(*path_, run);
  }
}

}  // namespace gpumem::app
