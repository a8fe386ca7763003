#include "report/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <exception>
#include <filesystem>
#include <memory>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "app/command_line/command_options.hpp"
#include "app/command_line/run_options.hpp"
#include "app/commands/commands.hpp"
#include "app/output/file_output.hpp"
#include "app/output/result_outputs.hpp"
#include "app/run/plan.hpp"
#include "app/run/run.hpp"
#include "app/suite/suite.hpp"
#include "probes/error.hpp"
#include "probes/json_reader.hpp"
#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

namespace {

/// A suite to run, a saved report, or a saved report and the suite to hold against it.
struct Task {
  std::optional<Suite> suite;
  std::optional<report::Report> saved;
};

// ---- What was given

bool is_file(const std::string& target) {
  const std::vector<std::string> names = suite_names();
  if (std::ranges::find(names, target) != names.end()) return false;
  std::error_code ignored;
  return target == "-" || std::filesystem::exists(target, ignored);
}

/// By its content: a report has results, a suite has probes.
bool is_report(const std::string& text, const std::string& source) {
  constexpr std::array<std::string_view, 1> emptied = {"results"};
  const JsonText parsed(text, source, emptied);
  const JsonReader json = parsed.root();
  if (json.is_object() && json.has("results")) return true;
  if (json.is_object() && json.has("probes")) return false;
  throw usage_error(source + R"(: is neither a suite, which has "probes", nor a report, which has "results")");
}

std::vector<Task> tasks_of(const CheckArguments& arguments, const Environment& environment) {
  std::vector<Suite> suites;
  std::vector<report::Report> reports;
  for (const std::string& target : arguments.targets) {
    if (!is_file(target)) {
      suites.push_back(load_suite(target, environment.registry));
      continue;
    }
    const std::string text = report::read_text(target, environment.in);
    const std::string source = target == "-" ? "standard input" : target;
    if (is_report(text, source)) {
      reports.push_back(report::read_report(text, source));
    } else {
      suites.push_back(parse_suite(text, source, environment.registry));
    }
  }
  std::vector<Task> tasks;
  for (const Suite& suite : suites) {
    for (const report::Report& saved : reports) tasks.push_back({.suite = suite, .saved = saved});
    if (reports.empty()) tasks.push_back({.suite = suite, .saved = {}});
  }
  if (suites.empty()) {
    for (report::Report& saved : reports) tasks.push_back({.suite = {}, .saved = std::move(saved)});
  }
  return tasks;
}

void refuse_what_does_not_fit(const CheckArguments& arguments, const std::vector<Task>& tasks) {
  const bool saved = tasks.front().saved.has_value();
  if (saved && arguments.attempts > 1) {
    throw usage_error("--attempts measures again, which a saved report cannot; leave the report or the option out");
  }
  if (saved && arguments.dry_run) {
    throw usage_error("--dry-run says what would run, and a saved report is not run; leave one of them out");
  }
  if (tasks.size() == 1) return;
  const char* one = "one report of one suite; check one at a time, or use --junit, which takes them all";
  if (arguments.format == CheckFormat::json) throw usage_error(fmt::format("--format json is {}", one));
  if (!arguments.outputs.empty()) throw usage_error(fmt::format("--output holds {}", one));
}

// ---- From a task to a report with its checks

class Checking {
 public:
  Checking(const CheckArguments& arguments, const Environment& environment)
      : arguments_(arguments),
        environment_(environment),
        outputs_({.outputs = arguments.outputs,
                  .format = arguments.format == CheckFormat::json ? std::optional(report::Format::json) : std::nullopt,
                  .files_only = true},
                 false, standard_output(environment)) {
    if (arguments.junit) beside_.emplace_back(*arguments.junit, report::write_junit);
    if (arguments.openmetrics) beside_.emplace_back(*arguments.openmetrics, report::write_openmetrics);
  }

  /// Throws after what there is has been written.
  int all(std::vector<Task> tasks) {
    std::exception_ptr ended_early;
    int code = 0;
    for (Task& task : tasks) {
      try {
        do_task(task);
      } catch (...) {
        if (reports_.empty()) throw;  // not even begun
        ended_early = std::current_exception();
        break;
      }
      code = worse(code, exit_code(reports_.back(), task.suite.has_value()));
    }
    write_files();
    if (ended_early) std::rethrow_exception(ended_early);
    return code;
  }

 private:
  void do_task(Task& task) {
    if (arguments_.dry_run) {
      foresee(*task.suite);
    } else if (task.saved) {
      hold_saved(task);
    } else {
      measure(*task.suite);
    }
  }

  [[nodiscard]] bool accepts_predictions() const { return arguments_.backend == BackendChoice::model; }

  void foresee(const Suite& suite) {
    const Plan plan = make_plan(environment_.registry, suite);
    report::Report report = dry_report(plan, arguments_, environment_);
    report.suite = suite.name;
    report.checks = report::foreseen(suite.expectations, report);
    finish(std::move(report));
  }

  void hold_saved(Task& task) {
    report::Report& report = *task.saved;
    std::vector<report::Record> planned;
    std::vector<report::Expectation> expectations = report::common_expectations();
    if (task.suite) {
      expectations = task.suite->expectations;
      if (report.suite == task.suite->name) planned = planned_records(*task.suite);
      report.suite = task.suite->name;
    }
    report.checks = report::check(report, expectations, {accepts_predictions(), planned});
    finish(std::move(report));
  }

  void measure(const Suite& suite) {
    const std::vector<report::Record> planned = planned_records(suite);
    const report::CheckRules rules{accepts_predictions(), planned};
    Run run(make_plan(environment_.registry, suite), with_suite(arguments_, suite.options), outputs_, environment_);
    run.report().suite = suite.name;
    std::exception_ptr ended_early;
    try {
      run.all();
      run.report().checks = report::check(report::completed(run.report()), suite.expectations, rules);
      for (unsigned attempt = 2; attempt <= arguments_.attempts; ++attempt) {
        if (!try_again(run, suite, rules, attempt)) break;
      }
    } catch (...) {
      ended_early = std::current_exception();  // what was done until then is held to the suite all the same
      run.report().checks = report::check(report::completed(run.report()), suite.expectations, rules);
    }
    run.clear_progress();
    finish(run.report());
    if (ended_early) std::rethrow_exception(ended_early);
  }

  /// False if there is nothing to measure again.
  bool try_again(Run& run, const Suite& suite, const report::CheckRules& rules, unsigned attempt) {
    report::Report& report = run.report();
    const std::vector<std::size_t> cases = report::cases_of_failures(report.checks);
    if (cases.empty()) return false;
    run.clear_progress();
    if (!arguments_.quiet) {
      const std::size_t failed = report::tally(report.checks).failed;
      environment_.err << fmt::format("gpumem: note: attempt {} of {}: measuring {} again for {}\n", attempt,
                                      arguments_.attempts, report::counted(cases.size(), "case"),
                                      report::counted(failed, "failed expectation"))
                       << std::flush;
    }
    run.again(cases);
    report.checks =
        report::check_again(std::move(report.checks), report::completed(report), suite.expectations, rules, attempt);
    return true;
  }

  [[nodiscard]] std::vector<report::Record> planned_records(const Suite& suite) const {
    return dry_report(make_plan(environment_.registry, suite), arguments_, environment_).results;
  }

  // ---- Where it goes

  void finish(report::Report report) {
    reports_.push_back(report::completed(std::move(report)));
    std::exception_ptr failure;
    try {
      outputs_.finish(reports_.back());
    } catch (const Error&) {
      failure = std::current_exception();  // of no concern to stdout
    }
    write_result(environment_.out, shown(reports_.back()));
    if (failure) std::rethrow_exception(failure);
  }

  [[nodiscard]] std::string shown(const report::Report& report) const {
    std::ostringstream text;
    const report::TableStyle style = table_style(environment_.out_terminal, arguments_.no_color);
    if (reports_.size() > 1) text << '\n';
    if (arguments_.dry_run && arguments_.format == CheckFormat::table) {
      report::write(text, report, report::Format::table, style);
      return text.str();
    }
    switch (arguments_.format) {
      case CheckFormat::table:
        report::write_checks(text, report, style, arguments_.quiet);
        break;
      case CheckFormat::json:
        report::write_json(text, report);
        break;
      case CheckFormat::markdown:
        report::write_checks_markdown(text, report, arguments_.quiet);
        break;
      case CheckFormat::github:
        report::write_checks_github(text, report, arguments_.quiet);
        break;
    }
    return text.str();
  }

  void write_files() const {
    std::exception_ptr failure;
    for (const auto& [file, write] : beside_) {
      std::ostringstream text;
      write(text, reports_);
      try {
        file.replace(text.str());
      } catch (const Error&) {
        if (!failure) failure = std::current_exception();  // of no concern to the other file
      }
    }
    if (failure) std::rethrow_exception(failure);
  }

  // ---- What it comes to

  /// A failure says more than a skip.
  static int worse(int one, int other) { return one == 1 || other == 1 ? 1 : std::max(one, other); }

  [[nodiscard]] int exit_code(const report::Report& report, bool of_suite) const {
    if (arguments_.dry_run) return 0;
    const report::CheckTally all = report::tally(report.checks);
    const auto say = [&](const std::string& what, const report::CheckRecord& check) {
      environment_.err << fmt::format("gpumem: {}: {}, {}: {}\n", report::one_line(report.suite.value_or("report")),
                                      what, report::one_line(check.name), report::one_line(check.reason));
    };
    if (all.failed > 0) {
      say(fmt::format("{} failed, the first", report::counted(all.failed, "expectation")),
          *std::ranges::find(report.checks, report::Verdict::fail, &report::CheckRecord::verdict));
      return 1;
    }
    if (report::nothing_checked(report.checks, of_suite)) {
      say("nothing was checked; the first expectation skipped", report::asked(report.checks, of_suite).front());
      return 1;
    }
    const auto required = std::ranges::find_if(report.checks, [](const report::CheckRecord& check) {
      return check.required && check.verdict == report::Verdict::skip;
    });
    if (required == report.checks.end()) return 0;
    say("a required expectation was skipped", *required);
    return 3;
  }

  const CheckArguments& arguments_;
  const Environment& environment_;
  Outputs outputs_;
  std::vector<std::pair<FileOutput, void (*)(std::ostream&, std::span<const report::Report>)>> beside_;
  std::vector<report::Report> reports_;
};

// ---- Options

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

std::filesystem::path normal(const std::string& file) {
  std::error_code ignored;
  return std::filesystem::weakly_canonical(std::filesystem::absolute(file, ignored), ignored);
}

/// One of two files of one name would be lost, whichever is written last.
void require_own_file(const std::string& option, const std::string& file, const std::vector<std::string>& others) {
  if (file == "-") {
    throw usage_error("--" + option + ": stdout shows the checks; name a file, or save the report with --output and " +
                      "show it: gpumem show REPORT --format " + option);
  }
  const auto is_same = [path = normal(file)](const std::string& other) { return normal(other) == path; };
  if (file.starts_with("/dev/") || std::ranges::none_of(others, is_same)) return;
  throw usage_error("--" + option + ": '" + file + "' is to hold something else already; name another file");
}

void require_own_files(const CheckArguments& arguments) {
  std::vector<std::string> others = arguments.outputs;
  if (std::ranges::find(others, "-") != others.end()) {
    throw usage_error("--output: stdout shows the checks; for the whole report use --format json");
  }
  if (arguments.junit) {
    require_own_file("junit", *arguments.junit, others);
    others.push_back(*arguments.junit);
  }
  if (arguments.openmetrics) require_own_file("openmetrics", *arguments.openmetrics, others);
}

}  // namespace

int run_check_command(const CheckArguments& arguments, const Environment& environment) {
  std::vector<Task> tasks = tasks_of(arguments, environment);
  refuse_what_does_not_fit(arguments, tasks);
  return Checking(arguments, environment).all(std::move(tasks));
}

MakeRequest check_options(CommandOptions& options, const Known&) {
  const auto arguments = std::make_shared<CheckArguments>();
  options.add_argument("SUITE|REPORT...", arguments->targets,
                       "Suites to run and hold: shipped ones (smoke, default, best-practices, full) or files. A saved "
                       "JSON report (- is standard input) is not measured again: the suites given are held against "
                       "it, or without any what every report can be asked");
  options.group("Effort");
  options.add_value(
      "attempts", "N", [arguments](const std::string& text) { arguments->attempts = read_attempts(text); },
      "Measure what failed again, up to N times in all (default 1), before a busy machine is called a broken one; only "
      "the cases behind the failure are repeated, e.g. --attempts 3");
  add_backend_options(options, *arguments,
                      "Only say which cases would run and what they would be held to, e.g. to read a suite");
  options.group("Results");
  options.add_choice("format", "table|json|markdown|github", arguments->format,
                     "How stdout shows the checks: a line each (default), the whole report as json, markdown for an "
                     "issue, or the lines and annotations of a GitHub workflow, e.g. --format github");
  add_result_options(
      options, *arguments,
      "Also write the whole report, checks included, in the format of the extension (.json, .csv, .md, .txt), also "
      "when the check fails; repeatable, e.g. --output run.json",
      "No progress, no notices, and no line for what passed, e.g. in a cron job");
  options.add_value("junit", "FILE", arguments->junit,
                    "Also write the checks as JUnit XML, which CI systems show as tests, e.g. --junit gpu.xml");
  options.add_value("openmetrics", "FILE", arguments->openmetrics,
                    "Also write gauges for node_exporter's textfile collector, to watch a GPU over months, e.g. "
                    "--openmetrics /var/lib/node_exporter/gpumem.prom");
  add_effort_options(options, *arguments);
  options.footer(
      "Predictions are not held to anything unless --backend model asks for it.\n\n"
      "Exit codes: 0 nothing failed, 1 something did or nothing was checked, 3 no GPU\n"
      "or a required expectation was skipped, 2 usage, 130 interrupted.\n\n"
      "Examples:\n"
      "  gpumem check smoke                      a GPU before its first job, in seconds\n"
      "  gpumem check smoke --attempts 3 --junit smoke.xml --output smoke.json\n"
      "  gpumem check mine.json --format github  your own expectations, in a workflow\n"
      "  gpumem check smoke run.json             hold a saved report to a suite\n"
      "  gpumem check smoke --backend model --gpu h200");
  return [arguments] {
    if (arguments->targets.empty()) {
      throw usage_error("check needs a suite or a saved report; the shortest is: gpumem check smoke");
    }
    refuse_wrong_gpu(*arguments);
    require_own_files(*arguments);
    return Request(*arguments, run_check_command);
  };
}

}  // namespace gpumem::app
