// The command-line options of `check`.

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/learn.hpp"
#include "app/commands/words.hpp"
#include "app/output/file_output.hpp"
#include "engine/base/error.hpp"

namespace gpumem::app {

namespace {

unsigned read_attempts(const std::string& text) {
  constexpr unsigned most = 100;
  unsigned number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc() || parsed.ptr != end || number < 1 || number > most) {
    throw usage_error("--attempts: '" + text + "' is not a number from 1 to " + std::to_string(most));
  }
  return number;
}

/// The options of --learn, the share as the user wrote it.
struct Learning {
  bool asked = false;
  std::optional<std::string> false_alarms;
};

/// Refuses two outputs with one file name: the one written last would replace the other.
void require_own_files(const CheckArguments& arguments) {
  std::vector<std::string> others = arguments.outputs;
  if (std::ranges::find(others, "-") != others.end()) {
    throw usage_error("--output: stdout shows the checks; for the whole report use --format json");
  }
  for (const auto& [option, file] :
       {std::pair("junit", arguments.junit), std::pair("openmetrics", arguments.openmetrics)}) {
    if (!file) continue;
    if (file == "-") {
      throw usage_error(
          fmt::format("--{0}: stdout shows the checks; name a file, or save the report with --output and "
                      "show it: gpumem show REPORT --format {0}",
                      option));
    }
    const auto is_same = [&](const std::string& other) { return leads_to_same_file(other, *file); };
    if (!file->starts_with("/dev/") && std::ranges::any_of(others, is_same)) {
      throw usage_error(fmt::format("--{}: '{}' is named twice; name another file", option, *file));
    }
    others.push_back(*file);
  }
}

Request request_to_learn(const CheckArguments& arguments, const std::optional<std::string>& false_alarms) {
  if (arguments.targets.empty()) throw usage_error("check --learn needs reports, or folders of them");
  return {learn_arguments(arguments, false_alarms), run_learn_command};
}

}  // namespace

MakeRequest check_options(CommandOptions& options, const KnownNames& known) {
  const auto arguments = std::make_shared<CheckArguments>();
  const auto learning = std::make_shared<Learning>();
  options.add_argument("SUITE|REPORT...", arguments->targets,
                       "Suites to run and check: shipped ones (smoke, default, best-practices, portrait, write-ups, "
                       "full; kernels for programs) or files. With saved JSON reports (- is standard input) nothing is "
                       "measured: the suites check those, and without a suite the common expectations do. With "
                       "--learn: reports of many GPUs, or folders of them");
  options.group("Criteria of a fleet");
  options.add_switch("learn", learning->asked,
                     "Make a suite of the reports of many GPUs of one kind: for each case a bound that healthy ones "
                     "keep. --output is the suite's file, e.g. --learn reports/ --output fleet.json");
  options.add_value("false-alarms", "SHARE", learning->false_alarms,
                    "With --learn, the share of checks of a healthy GPU that may fail (default 0.1%); more finds "
                    "smaller faults, e.g. --false-alarms 1%");
  options.group("Effort");
  options.add_value(
      "attempts", "N", [arguments](const std::string& text) { arguments->attempts = read_attempts(text); },
      "Measure the cases of failed expectations again, up to N times in all (default 1; 3 for cases that use the host, "
      "because others may use it too), so that a busy machine is not called broken, e.g. --attempts 3");
  add_backend_options(options, *arguments, "List the cases and their expectations and run none, e.g. to read a suite");
  options.group("Verdict");
  options.add_value(
      "against", "FILE", arguments->against,
      "Also fail if a case is slower than this very GPU was before, beyond its own noise, to notice a GPU "
      "that wears out. FILE is a history, which each check adds to, e.g. --against history.jsonl, or a "
      "folder of earlier reports, e.g. --against history/. It takes 5 earlier runs");
  options.add_switch("fail-on-skip", arguments->fail_on_skip,
                     "Fail if any expectation was skipped, e.g. in a gate that has to check everything. Those for GPUs "
                     "of another name are not there at all");
  options.group("Results");
  options.add_choice("format", "table|json|markdown|github", arguments->shown,
                     "Format on stdout: a line for each check (default), the whole report as json, markdown for an "
                     "issue, or the lines and annotations of a GitHub workflow, e.g. --format github");
  add_result_options(options, *arguments,
                     "Also write the whole report, checks included, in the format of the extension (.json, .csv, .md, "
                     ".txt; a page .html; a figure .svg, .png, .pdf), also when the check fails; repeatable. A gate "
                     "makes no folder: one that is missing may be a share that is not mounted, e.g. --output run.json",
                     "No progress, no notices, and on stdout the verdict alone, in one line, e.g. in a cron job");
  add_columns_option(options, *arguments);
  options.add_switch("verbose", arguments->verbose,
                     "A line for each expectation, also for those that passed, e.g. to see how far off its bounds a "
                     "GPU is");
  options.add_value("junit", "FILE", arguments->junit,
                    "Also write the checks as JUnit XML, which CI systems show as tests; its folder has to be there, "
                    "e.g. --junit gpu.xml");
  options.add_value("openmetrics", "FILE", arguments->openmetrics,
                    "Also write gauges for node_exporter's textfile collector, to watch a GPU over months; its folder "
                    "has to be there, e.g. --openmetrics /var/lib/node_exporter/gpumem.prom");
  add_effort_options(options, *arguments);
  options.footer(
      "Predictions are checked only with --backend model.\n\n"
      "Exit codes: 0 nothing failed; 1 an expectation failed, none of the suite's own expectations was checked, or "
      "with --fail-on-skip one was skipped; 2 usage; 3 no GPU, or a required expectation was skipped; 130 interrupted. "
      "A suite's own expectations are those that name cases.\n\n"
      "Examples:\n"
      "  gpumem check smoke                      a GPU before its first job, in seconds\n"
      "  gpumem check smoke --attempts 3 --junit smoke.xml --output smoke.json\n"
      "  gpumem check mine.json --format github  your own expectations, in a workflow\n"
      "  gpumem check smoke run.json             hold a saved report to a suite\n"
      "  gpumem check kernels app.json           and that of a program, by gpumem run\n"
      "  gpumem check smoke --against history.jsonl  slower than this GPU was?\n"
      "  gpumem check smoke --backend model --gpu h200\n"
      "  gpumem check --learn reports/ --output fleet.json  bounds of a whole fleet");
  return [arguments, learning, &known] {
    if (learning->asked) return request_to_learn(*arguments, learning->false_alarms);
    if (learning->false_alarms) {
      throw usage_error("--false-alarms is for --learn, which makes a suite of the reports of many GPUs");
    }
    if (arguments->targets.empty()) {
      throw usage_error("check needs a suite or a saved report; the shortest is: gpumem check smoke");
    }
    for (const std::string& target : arguments->targets) refuse_no_suite(target, known);
    refuse_directories(arguments->targets, "gpumem check SUITE");
    refuse_wrong_gpu(*arguments);
    require_own_files(*arguments);
    return Request(*arguments, run_check_command);
  };
}

}  // namespace gpumem::app
