#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/command_line/command_options.hpp"
#include "app/command_line/shares_and_times.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

/// "offset=1", "0..5". A report that is missing is one by its name.
bool is_case_word(const std::string& word) {
  constexpr std::string_view of_positions = "0123456789.,:*";
  if (word.empty() || std::filesystem::exists(word)) return false;
  if (word.find_first_not_of(of_positions) == std::string::npos) return true;
  return word.find('=') != std::string::npos && !word.ends_with(".json");
}

class CompareCommand final : public CommandOptions {
 public:
  explicit CompareCommand(CLI::App& program)
      : CommandOptions(program, "compare", "Compare saved reports case by case, or the machines of a fleet") {
    command()
        .add_option("REPORT", arguments_.reports,
                    "JSON reports: OLD, and one or more NEW that are each held against it; - is standard input. With "
                    "--fleet one per machine, or directories of them")
        ->option_text("REPORT...");
    command()
        .add_option("CASE", arguments_.cases,
                    "Only these cases: by parameter (offset=1 op=write), or by position in OLD (3, 0..5), with --fleet "
                    "in each report; without any, all. What is an existing file is a report")
        ->option_text("[CASE...]")
        ->expected(0, 1);  // REPORT takes all words: CLI11 allows only one to do so, and tells none from the other
    add_comparison();
    add_results();
    command().footer(
        "A change is of speed: new bandwidth / old bandwidth, or old time / new time.\n\n"
        "Examples:\n"
        "  gpumem compare before.json after.json --changed   what a driver update changed\n"
        "  gpumem compare before.json after.json offset=1 op=copy   of these cases alone\n"
        "  gpumem compare main.json - --fail-on-regression 3% < branch.json  a gate in CI\n"
        "  gpumem compare --fleet reports/                   which machines fall behind");
  }

  [[nodiscard]] Request take() override {
    if (!tolerance_.empty()) arguments_.tolerance = parse_fraction("tolerance", tolerance_);
    if (!regression_.empty()) arguments_.fail_on_regression = parse_fraction("fail-on-regression", regression_);
    arguments_.format = format_named(format_, report::table_formats());
    take_case_words();
    refuse_too_few();
    if (arguments_.tolerance && arguments_.fail_on_regression &&
        *arguments_.fail_on_regression < *arguments_.tolerance) {
      throw usage_error(
          fmt::format("--fail-on-regression {} is less than --tolerance {}, within which cases are the "
                      "same; lower the tolerance",
                      regression_, tolerance_));
    }
    if (arguments_.fleet && arguments_.changed_only) {
      throw usage_error("--changed is about two reports; --fleet shows what stands out in any case");
    }
    return std::move(arguments_);
  }

 private:
  /// Both are words without a flag: those that say which cases follow the reports.
  void take_case_words() {
    const auto words = std::ranges::stable_partition(arguments_.reports, std::not_fn(is_case_word));
    std::ranges::move(words, std::back_inserter(arguments_.cases));
    arguments_.reports.erase(words.begin(), words.end());
  }

  void refuse_too_few() const {
    const std::size_t count = arguments_.reports.size();
    if (arguments_.fleet) {
      if (count == 0) throw usage_error("compare --fleet needs reports, or directories of them");
      return;
    }
    constexpr const char* usage =
        "gpumem compare OLD NEW [MORE...]; write reports with: gpumem probe ... --output old.json";
    if (count == 0) throw usage_error(fmt::format("compare needs two reports: {}", usage));
    if (count == 1) {
      throw usage_error(fmt::format("compare needs a second report beside '{}': {}", arguments_.reports[0], usage));
    }
  }

  void add_comparison() {
    constexpr const char* group = "Comparison";
    add_value(command(), "tolerance", tolerance_, "SHARE",
              "Differences within it are the same (default 1%, since runs of one GPU repeat within that); raise it "
              "for machines that vary more, e.g. --tolerance 2%")
        ->group(group);
    add_value(command(), "fail-on-regression", regression_, "SHARE",
              "Exit with 1 when a case is surely slower by more than this, or failed or moved wrong data where it did "
              "not before: a gate for CI, e.g. --fail-on-regression 3%")
        ->group(group);
    add_switch(command(), "fleet", arguments_.fleet,
               "One report per machine instead of old and new: find the machines that stand out among those with the "
               "same GPU")
        ->group(group);
  }

  void add_results() {
    constexpr const char* group = "Results";
    add_switch(command(), "changed", arguments_.changed_only,
               "Leave the cases that are the same out of the table, e.g. for long sweeps")
        ->group(group);
    add_value(command(), "format", format_, "table|json|csv|markdown",
              "How stdout shows the comparison: a table for people (default), json or csv for programs, markdown for a "
              "pull request, e.g. --format markdown")
        ->group(group);
    add_value(command(), "output", arguments_.outputs, "FILE",
              "Also write it to a file, in the format of its extension (.json, .csv, .md, .txt); repeatable, - is "
              "stdout, e.g. --output changes.md")
        ->group(group);
    add_switch(command(), "quiet", arguments_.quiet,
               "No notices; with --output, nothing on stdout either, e.g. in a script")
        ->group(group);
    add_switch(command(), "no-color", arguments_.no_color,
               "No colours in the table, as with NO_COLOR set, e.g. in a console that shows their codes")
        ->group(group);
  }

  CompareArguments arguments_;
  std::string tolerance_;
  std::string regression_;
  std::string format_;
};

}  // namespace

Command add_compare_command(CLI::App& program) { return std::make_unique<CompareCommand>(program); }

}  // namespace gpumem::app
