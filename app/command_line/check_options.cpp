#include <algorithm>
#include <charconv>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/command_line/run_options.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

constexpr unsigned most_attempts = 100;

class CheckCommand final : public CommandOptions {
 public:
  explicit CheckCommand(CLI::App& program)
      : CommandOptions(program, "check", "Hold a GPU to what is expected of it: pass, fail or skip, and an exit code"),
        run_(command(), arguments_) {
    command()
        .add_option("SUITE", arguments_.targets,
                    "Suites to run and hold: shipped ones (smoke, default, best-practices, full) or files. A saved "
                    "JSON report (- is standard input) is not measured again: the suites given are held against it, "
                    "or without any what every report can be asked")
        ->option_text("SUITE|REPORT...");
    add_value(command(), "attempts", attempts_, "N",
              "Measure what failed again, up to N times in all (default 1), before a busy machine is called a broken "
              "one; only the cases behind the failure are repeated, e.g. --attempts 3")
        ->group("Effort");
    run_.add_backend("Only say which cases would run and what they would be held to, e.g. to read a suite");
    add_results();
    run_.add_effort();
    command().footer(
        "Predictions are not held to anything unless --backend model asks for it.\n\n"
        "Exit codes: 0 nothing failed, 1 something did or nothing was checked, 3 no GPU\n"
        "or a required expectation was skipped, 2 usage, 130 interrupted.\n\n"
        "Examples:\n"
        "  gpumem check smoke                      a GPU before its first job, in seconds\n"
        "  gpumem check smoke --attempts 3 --junit smoke.xml --output smoke.json\n"
        "  gpumem check mine.json --format github  your own expectations, in a workflow\n"
        "  gpumem check smoke run.json             hold a saved report to a suite\n"
        "  gpumem check smoke --backend model --gpu h200");
  }

  [[nodiscard]] Request take() override {
    if (arguments_.targets.empty()) {
      throw usage_error("check needs a suite or a saved report; the shortest is: gpumem check smoke");
    }
    run_.take();
    arguments_.format = static_cast<CheckFormat>(index_of("format", format_, {"table", "json", "markdown", "github"}));
    arguments_.attempts = attempts();
    if (!junit_.empty()) arguments_.junit = junit_;
    if (!openmetrics_.empty()) arguments_.openmetrics = openmetrics_;
    for (const std::string& output : arguments_.outputs) {
      if (output == "-") throw usage_error("--output: stdout shows the checks; for the whole report use --format json");
    }
    if (arguments_.junit) require_own_file("junit", *arguments_.junit, arguments_.outputs);
    if (arguments_.openmetrics) {
      std::vector<std::string> others = arguments_.outputs;
      if (arguments_.junit) others.push_back(*arguments_.junit);
      require_own_file("openmetrics", *arguments_.openmetrics, others);
    }
    return std::move(arguments_);
  }

 private:
  void add_results() {
    const char* group = RunOptionGroup::results_group;
    add_value(command(), "format", format_, "table|json|markdown|github",
              "How stdout shows the checks: a line each (default), the whole report as json, markdown for an issue, or "
              "the lines and annotations of a GitHub workflow, e.g. --format github")
        ->group(group);
    run_.add_results(
        "Also write the whole report, checks included, in the format of the extension (.json, .csv, .md, .txt), also "
        "when the check fails; repeatable, e.g. --output run.json",
        "No progress, no notices, and no line for what passed, e.g. in a cron job");
    add_value(command(), "junit", junit_, "FILE",
              "Also write the checks as JUnit XML, which CI systems show as tests, e.g. --junit gpu.xml")
        ->group(group);
    add_value(command(), "openmetrics", openmetrics_, "FILE",
              "Also write gauges for node_exporter's textfile collector, to watch a GPU over months, e.g. "
              "--openmetrics /var/lib/node_exporter/gpumem.prom")
        ->group(group);
  }

  /// One of two files of one name would be lost, whichever is written last.
  static void require_own_file(const std::string& option, const std::string& file,
                               const std::vector<std::string>& others) {
    if (file == "-") {
      throw usage_error("--" + option +
                        ": stdout shows the checks; name a file, or save the report with --output and " +
                        "show it: gpumem show REPORT --format " + option);
    }
    const auto is_same = [path = normal(file)](const std::string& other) { return normal(other) == path; };
    if (file.starts_with("/dev/") || std::ranges::none_of(others, is_same)) return;
    throw usage_error("--" + option + ": '" + file + "' is to hold something else already; name another file");
  }

  static std::filesystem::path normal(const std::string& file) {
    std::error_code ignored;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
  }

  [[nodiscard]] unsigned attempts() const {
    unsigned number = 0;
    const char* end = attempts_.data() + attempts_.size();
    const auto parsed = std::from_chars(attempts_.data(), end, number);
    if (parsed.ec != std::errc() || parsed.ptr != end || number < 1 || number > most_attempts) {
      throw usage_error("--attempts: '" + attempts_ + "' is not a number from 1 to " + std::to_string(most_attempts));
    }
    return number;
  }

  CheckArguments arguments_;
  RunOptionGroup run_;
  std::string attempts_ = "1";
  std::string format_ = "table";
  std::string junit_;
  std::string openmetrics_;
};

}  // namespace

Command add_check_command(CLI::App& program) { return std::make_unique<CheckCommand>(program); }

}  // namespace gpumem::app
