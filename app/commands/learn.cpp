#include "app/commands/learn.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>
#include <sstream>
#include <utility>

#include "app/command_line/values.hpp"
#include "app/commands/fleet_files.hpp"
#include "app/suite/learned_suite.hpp"
#include "engine/base/error.hpp"
#include "report/fleet/learn.hpp"
#include "report/text/text.hpp"
#include "report/write/fleets/learned.hpp"

namespace gpumem::app {

namespace {

/// Throws for the first option that is about running or judging a check.
void refuse_options_of_check(const CheckArguments& arguments) {
  const std::pair<bool, const char*> given[] = {{arguments.attempts > 1, "--attempts"},
                                                {arguments.backend != BackendChoice::cuda, "--backend"},
                                                {arguments.gpu.has_value(), "--gpu"},
                                                {arguments.device.has_value(), "--device"},
                                                {arguments.counting.has_value(), "--counters"},
                                                {arguments.dry_run, "--dry-run"},
                                                {arguments.effort.ci_width.has_value(), "--ci-width"},
                                                {arguments.effort.time_budget.has_value(), "--time-budget"},
                                                {arguments.numa.has_value(), "--numa"},
                                                {arguments.fail_on_skip, "--fail-on-skip"},
                                                {arguments.verbose, "--verbose"},
                                                {arguments.junit.has_value(), "--junit"},
                                                {arguments.openmetrics.has_value(), "--openmetrics"},
                                                {arguments.shown == CheckFormat::github, "--format github"}};
  for (const auto& [is_given, option] : given) {
    if (!is_given) continue;
    throw usage_error(
        fmt::format("{} is about a check, and --learn only reads saved reports; leave one of them out", option));
  }
}

/// The shipped suite of that name, whose effort the reports had; nothing for a suite of somebody's own.
std::optional<Suite> shipped_suite(const std::optional<std::string>& name, const Environment& environment) {
  const std::vector<std::string> names = suite_names();
  if (!name || std::ranges::find(names, *name) == names.end()) return std::nullopt;
  return load_suite(*name, environment.registry);
}

void show(std::ostream& out, const report::LearnedFleet& fleet, const LearnedSuite& suite, CheckFormat format,
          const report::TableStyle& style) {
  if (format == CheckFormat::json) {
    out << suite.json;
    return;
  }
  report::write_learned(out, fleet, format == CheckFormat::markdown ? report::Format::markdown : report::Format::table,
                        style);
}

}  // namespace

LearnArguments learn_arguments(const CheckArguments& arguments, const std::optional<std::string>& false_alarms) {
  refuse_options_of_check(arguments);
  if (arguments.outputs.size() > 1) throw usage_error("--output: --learn writes one suite; name one file");
  LearnArguments learning{.reports = arguments.targets,
                          .output = std::nullopt,
                          .false_alarms = report::usual_false_alarms,
                          .shown = arguments.shown,
                          .quiet = arguments.quiet,
                          .color = arguments.color};
  if (!arguments.outputs.empty()) learning.output = arguments.outputs.front();
  if (learning.output && !learning.output->ends_with(".json") && !learning.output->starts_with("/dev/")) {
    throw usage_error(fmt::format("--output: '{}' is no .json file, and a suite is JSON; e.g. --output fleet.json",
                                  *learning.output));
  }
  if (learning.quiet && !learning.output) {
    throw usage_error("--quiet leaves nothing to write; name the suite's file with --output");
  }
  constexpr double below = 0.5;  // a bound that fails every other healthy GPU is the median
  if (false_alarms) learning.false_alarms = parse_fraction("false-alarms", *false_alarms, below);
  return learning;
}

int run_learn_command(const LearnArguments& arguments, const Environment& environment) {
  const std::vector<std::string> files = fleet_files(arguments.reports);
  std::optional<FileOutput> output;
  if (arguments.output) output.emplace(*arguments.output, files, MissingFolder::refused);
  const auto names = std::make_shared<report::FleetNames>();
  FleetFiles read = read_fleet(files, environment.in, *names);
  if (read.machines.empty() && read.unreadable.size() == 1) throw usage_error(read.unreadable.front().reason);
  name_unreadable(read.unreadable, environment);
  if (read.machines.empty()) throw usage_error("there is no report to learn from");
  const report::LearnedFleet fleet = report::learn_fleet(std::move(read.machines), names, arguments.false_alarms);
  const std::string name = arguments.output ? std::filesystem::path(*arguments.output).stem().string() : "fleet";
  const std::optional<Suite> like = shipped_suite(fleet.suite, environment);
  const LearnedSuite suite = learned_suite(fleet, name, like ? &*like : nullptr, environment.registry);
  if (suite.unnamed > 0) {
    say(environment.err, fmt::format("note: {} left out, which no axes of this gpumem's probes ask for",
                                     report::counted(suite.unnamed, "case")));
  }
  both(
      [&] {
        if (output) output->replace(suite.json);
      },
      [&] {
        if (arguments.quiet) return;
        std::ostringstream text;
        show(text, fleet, suite, arguments.shown, table_style(environment.out_terminal, arguments.color));
        write_result(environment.out, text.str());
      });
  return read.unreadable.empty() ? 0 : 2;
}

}  // namespace gpumem::app
