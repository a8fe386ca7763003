#include "report/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <optional>
#include <sstream>
#include <system_error>
#include <utility>

#include "app/command_line/build_information.hpp"
#include "app/commands/against_history.hpp"
#include "app/commands/check_attempts.hpp"
#include "app/commands/commands.hpp"
#include "app/expected/guesses.hpp"
#include "app/output/file_output.hpp"
#include "app/run/case_records.hpp"
#include "app/run/interrupts.hpp"
#include "app/run/run.hpp"
#include "app/suite/suite.hpp"
#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "report/explain/explain.hpp"
#include "report/fleet/side_by_side.hpp"
#include "report/read/read_report.hpp"
#include "report/record/gpus.hpp"
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

bool names_file(const std::string& target) {
  const std::vector<std::string> names = suite_names();
  if (std::ranges::find(names, target) != names.end()) return false;
  std::error_code ignored;
  return target == "-" || std::filesystem::exists(target, ignored);
}

/// Tells by the content: a report has results; a suite has probes, or, if it is about kernels, only expectations.
bool is_report(const std::string& text, const std::string& source) {
  constexpr std::array<std::string_view, 1> emptied = {"results"};
  const JsonText parsed(text, source, emptied);
  const JsonReader json = parsed.root();
  if (json.is_object() && json.has("results")) return true;
  if (json.is_object() && (json.has("probes") || json.has("expectations"))) return false;
  refuse_other_document(text, source, "suite or report");
  return false;
}

std::vector<Task> tasks_of(const CheckArguments& arguments, const Environment& environment) {
  std::vector<std::optional<Suite>> suites;
  std::vector<std::optional<report::Report>> reports;
  for (const std::string& target : arguments.targets) {
    if (!names_file(target)) {
      suites.emplace_back(load_suite(target, environment.registry));
      continue;
    }
    const std::string text = report::read_text(target, environment.in);
    const std::string source = target == "-" ? "standard input" : target;
    if (is_report(text, source)) {
      reports.emplace_back(report::read_report(text, source));
    } else {
      suites.emplace_back(parse_suite(text, source, environment.registry, folder_of(target)));
    }
  }
  if (suites.empty()) suites.emplace_back();
  if (reports.empty()) reports.emplace_back();
  std::vector<Task> tasks;
  for (const auto& suite : suites) {
    for (const auto& saved : reports) tasks.push_back({.suite = suite, .saved = saved});
  }
  return tasks;
}

void refuse_what_does_not_fit(const CheckArguments& arguments, const std::vector<Task>& tasks) {
  const bool saved = tasks.front().saved.has_value();
  for (const Task& task : tasks) {
    if (!saved) refuse_nothing_to_run(*task.suite);
  }
  if (saved && arguments.attempts > 1) {
    throw usage_error("--attempts measures again, which a saved report cannot; leave the report or the option out");
  }
  if (saved && arguments.gpu && arguments.backend == BackendChoice::cuda) {
    throw usage_error("--gpu predicts beside a measurement, and a saved report is not measured; leave it out");
  }
  if (saved && arguments.dry_run) {
    throw usage_error("--dry-run lists cases to run, and a saved report is not run; leave one of them out");
  }
  if (tasks.size() == 1) return;
  const char* single = "one report of one suite; check one at a time, or use --junit, which takes them all";
  if (arguments.shown == CheckFormat::json) throw usage_error(fmt::format("--format json is {}", single));
  if (!arguments.outputs.empty()) throw usage_error(fmt::format("--output holds {}", single));
}

/// The files that are read.
std::vector<std::string> inputs_of(const CheckArguments& arguments, const std::vector<Task>& tasks) {
  std::vector<std::string> inputs = profile_files(arguments.gpu);
  std::ranges::copy_if(arguments.targets, std::back_inserter(inputs), names_file);
  for (const Task& task : tasks) {
    if (task.suite) std::ranges::move(files_of(task.suite->plan), std::back_inserter(inputs));
  }
  return inputs;
}

/// The request for outputs: stdout shows the checks, and files hold the whole report.
ResultRequest shown_in_files(const CheckArguments& arguments, const std::vector<std::string>& inputs) {
  ResultRequest request = reading(arguments, inputs);
  request.files_only = true;
  request.missing_folder = MissingFolder::refused;
  if (arguments.shown == CheckFormat::json) request.format = report::Format::json;
  return request;
}

// ---- From a task to a report with its checks

class Checking {
 public:
  /// `inputs` are files that are read.
  Checking(const CheckArguments& arguments, const std::vector<std::string>& inputs, const Environment& environment)
      : arguments_(arguments),
        environment_(environment),
        history_(arguments, inputs, environment),
        outputs_(shown_in_files(arguments, inputs), report::table_formats(), environment.out,
                 environment.out_terminal) {
    const auto add = [&](const std::optional<std::string>& path, auto write) {
      if (path) beside_.emplace_back(FileOutput(*path, inputs, MissingFolder::refused), write);
    };
    add(arguments.junit, report::write_junit);
    add(arguments.openmetrics, report::write_openmetrics);
  }

  /// Throws only after the results so far have been written. An output that cannot be written does not stop the
  /// measurements and says nothing about the GPU, so its error is thrown last.
  int all(std::vector<Task> tasks) {
    const KeepWhatIsMeasured keep;
    int code = 0;
    keeping_results(
        [&] {
          for (Task& task : tasks) {
            if (arguments_.dry_run) {
              foresee(*task.suite);
            } else if (task.saved) {
              hold_saved(task);
            } else {
              measure(*task.suite);
            }
            const int own = exit_code(reports_.back());
            if (code != 1 && own != 0) code = own;  // a failure says more than a skip
          }
        },
        [&] {
          if (reports_.empty()) return false;  // it was not even begun
          unless_unwritable([&] { write_files(); });
          if (unwritable_) throw OutputError(*unwritable_);
          return true;
        });
    return code;
  }

 private:
  [[nodiscard]] bool accepts_predictions() const { return arguments_.backend == BackendChoice::model; }

  void foresee(const Suite& suite) {
    report::Report report = dry_report(suite.plan, arguments_, environment_);
    report.checks = report::foreseen(suite.expectations, report);
    finish(std::move(report));
  }

  /// The cases that the report should hold: those of the plan that its GPU can run, once for each GPU if there are
  /// several.
  static std::vector<report::Record> planned_for(const Plan& plan, const report::Report& report) {
    if (!report.device) return planned_records(on_one_gpu(plan));
    std::vector<std::uint64_t> gpus;
    for (const Device& gpu : report::gpus_side_by_side(report)) gpus.emplace_back(*gpu.index);
    if (gpus.empty()) return planned_records(fitted(on_one_gpu(plan), *report.device));
    return planned_records(on_each_gpu(fitted(plan, *report.device), gpus));
  }

  /// Checks each GPU against the expectations and its history, and that several GPUs agree, which stands last.
  std::vector<report::CheckRecord> held(const report::Report& report, std::span<const report::Expectation> expectations,
                                        const report::CheckRules& rules) const {
    std::vector<report::CheckRecord> checks = report::check(report, expectations, rules);
    history_.add_to(checks, report);
    if (auto agreement = report::check_agreement(report)) checks.push_back(*std::move(agreement));
    return checks;
  }

  void hold_saved(Task& task) {
    report::Report& report = *task.saved;
    std::vector<report::Record> planned;
    std::vector<report::Expectation> expectations = report::common_expectations(report);
    if (task.suite) {
      expectations = task.suite->expectations;
      // Another version's suite of the same name may have had other cases.
      const bool same_version = report.tool.git_commit == build_information().git_commit;
      if (same_version && report.suite == task.suite->name) planned = planned_for(task.suite->plan, report);
      report.suite = task.suite->name;
    }
    flag_guesses(report, expectations, environment_.registry);
    report.checks = held(report, expectations, {accepts_predictions(), planned});
    judge(report, task.suite.has_value());
    finish(std::move(report));
  }

  void measure(const Suite& suite) {
    RunOptions options = with_suite(arguments_, suite.options);
    options.host_in_turns = true;  // no GPU is blamed for what they share
    Run run(suite.plan, options, outputs_, environment_);
    const std::vector<report::Record> planned = planned_for(suite.plan, run.report());
    const report::CheckRules rules{accepts_predictions(), planned};
    const auto evaluate_checks = [&] {
      flag_guesses(run.report(), suite.expectations, environment_.registry);
      run.report().checks = held(report::completed(run.report()), suite.expectations, rules);
    };
    both(
        [&] {
          try {
            run.all();
            evaluate_checks();
            const unsigned most = std::max(arguments_.attempts, attempts_unasked);
            for (unsigned attempt = 2; attempt <= most; ++attempt) {
              if (!try_again(run, suite, rules, attempt)) break;
            }
          } catch (...) {
            evaluate_checks();  // the cases measured until then are checked all the same
            throw;
          }
        },
        [&] {
          run.clear_progress();
          if (!run.has_results()) return;
          judge(run.report(), true);
          finish(run.report());
        });
  }

  /// Measures the cases of failed checks again. Returns false if there is nothing to measure again.
  bool try_again(Run& run, const Suite& suite, const report::CheckRules& rules, unsigned attempt) {
    report::Report& report = run.report();
    const bool asked_for = attempt <= arguments_.attempts;
    std::vector<report::CheckRecord> failed = report.checks;
    std::erase_if(failed, [&](const report::CheckRecord& check) {
      return check.verdict != report::Verdict::fail || (!asked_for && !tried_unasked(report, check));
    });
    const std::vector<std::size_t> cases = report::cases_of_failures(failed);
    if (cases.empty()) return false;
    run.clear_progress();
    if (!arguments_.quiet) {
      say(environment_.err,
          fmt::format("note: attempt {} of {}: measuring {} again for {}{}", attempt,
                      asked_for ? arguments_.attempts : attempts_unasked, report::counted(cases.size(), "case"),
                      report::counted(failed.size(), "failed expectation"), asked_for ? "" : why_unasked(failed)));
    }
    run.again(cases);
    flag_guesses(report, suite.expectations, environment_.registry);
    const report::Report whole = report::completed(report);
    auto agreement = report::check_agreement(whole);
    if (agreement && report.checks.back().verdict == report::Verdict::fail) {
      agreement->attempts = attempt;
      if (agreement->verdict == report::Verdict::pass) agreement->reason += report::passed_at(attempt);
    }
    const std::vector<report::CheckRecord> before = report.checks;
    report.checks = report::check_again(before, whole, suite.expectations, rules, attempt);
    history_.add_again(report.checks, before, whole, attempt);
    if (agreement) report.checks.push_back(*std::move(agreement));
    return true;
  }

  // ---- What it comes to

  /// Adds a check if nothing was checked, and the verdict of all checks together. Expectations for other GPUs are
  /// dropped, unless they are why nothing was checked.
  void judge(report::Report& report, bool of_suite) const {
    std::vector<report::CheckRecord> nothing = report::nothing_checked(report.checks, of_suite);
    if (nothing.empty()) std::erase_if(report.checks, [](const auto& check) { return check.for_other_gpu; });
    if (arguments_.fail_on_skip) {
      for (report::CheckRecord& check : report.checks) check.required = true;
    }
    std::ranges::move(nothing, std::back_inserter(report.checks));
    report.passed = std::ranges::none_of(report.checks, report::fails_run);
  }

  [[nodiscard]] int exit_code(const report::Report& report) const {
    if (report.passed.value_or(true)) return 0;  // nothing is known of a dry run
    constexpr int failed = 1;
    constexpr int required_skipped = 3;
    const auto failure = std::ranges::find(report.checks, report::Verdict::fail, &report::CheckRecord::verdict);
    if (failure == report.checks.end()) {
      const report::CheckRecord& skipped = *std::ranges::find_if(report.checks, report::fails_run);
      const char* which = arguments_.fail_on_skip ? "an" : "a required";
      say_of(report, skipped, fmt::format("{} expectation was skipped, {}:", which, skipped.name));
      return arguments_.fail_on_skip ? failed : required_skipped;
    }
    const std::string all = report::counted(report::tally(report.checks).failed, "expectation");
    say_of(report, *failure,
           report::says_nothing_checked(*failure) ? "nothing was checked;"
                                                  : fmt::format("{} failed, the first, {}:", all, failure->name));
    return failed;
  }

  void say_of(const report::Report& report, const report::CheckRecord& check, const std::string& what) const {
    const std::string gpu =
        check.device ? report::gpu_identity(*check.device, report::device_of(report, *check.device)) + ": " : "";
    say(environment_.err, fmt::format("{}: {} {}{}", report.suite.value_or("report"), what, gpu, check.reason));
  }

  // ---- Where it goes

  void finish(report::Report report) {
    reports_.push_back(report::completed(std::move(report)));
    both([&] { unless_unwritable([&] { outputs_.finish(reports_.back()); }); },
         [&] {
           std::ostringstream text;
           if (reports_.size() > 1) text << '\n';
           show(text, reports_.back());
           unless_unwritable([&] { write_result(environment_.out, text.str()); });
           unless_unwritable([&] { history_.remember(reports_.back()); });
         });
  }

  /// Goes on if an output cannot be written; all() throws the error at the end.
  template <class Action>
  void unless_unwritable(const Action& action) {
    try {
      action();
    } catch (const OutputError& error) {
      if (!unwritable_) unwritable_ = error;
    }
  }

  [[nodiscard]] report::CheckLines lines() const {
    if (arguments_.quiet) return report::CheckLines::none;
    return arguments_.verbose ? report::CheckLines::all : report::CheckLines::exceptions;
  }

  void show(std::ostream& out, const report::Report& report) const {
    const report::TableStyle style = table_style(environment_.out_terminal, arguments_.color);
    switch (arguments_.shown) {
      case CheckFormat::table:
        if (arguments_.dry_run) return report::write(out, report, report::Format::table, style);
        return report::write_checks(out, report, style, lines());
      case CheckFormat::json:
        return report::write_json(out, report);
      case CheckFormat::markdown:
        return report::write_checks_markdown(out, report, lines());
      case CheckFormat::github:
        return report::write_checks_github(out, report, lines());
    }
  }

  void write_files() const {
    try_each(beside_, [&](const auto& beside) {
      std::ostringstream text;
      beside.second(text, reports_);
      beside.first.replace(text.str());
    });
  }

  const CheckArguments& arguments_;
  const Environment& environment_;
  AgainstHistory history_;
  ResultOutputs outputs_;
  std::vector<std::pair<FileOutput, void (*)(std::ostream&, std::span<const report::Report>)>> beside_;
  std::vector<report::Report> reports_;
  std::optional<OutputError> unwritable_;  ///< the first
};

}  // namespace

int run_check_command(const CheckArguments& arguments, const Environment& environment) {
  std::vector<Task> tasks = tasks_of(arguments, environment);
  refuse_what_does_not_fit(arguments, tasks);
  const std::vector<std::string> inputs = inputs_of(arguments, tasks);
  return Checking(arguments, inputs, environment).all(std::move(tasks));
}

}  // namespace gpumem::app
