#include "app/commands/fleet.hpp"

#include <fmt/format.h>

#include <memory>
#include <sstream>

#include "app/command_line/build_information.hpp"
#include "app/commands/fleet_files.hpp"
#include "probes/error.hpp"
#include "report/fleet/labels.hpp"
#include "report/text/text.hpp"
#include "report/write/fleet.hpp"

namespace gpumem::app {

namespace {

constexpr std::size_t most_named = 10;

void say(const Environment& environment, const std::string& text) {
  environment.err << "gpumem: " << report::one_line(text) << std::endl;
}

void name_unreadable(const std::vector<report::Unreadable>& unreadable, const Environment& environment) {
  for (std::size_t i = 0; i < unreadable.size() && i < most_named; ++i) say(environment, unreadable[i].reason);
  if (unreadable.size() > most_named) {
    say(environment, fmt::format("and {} more files that could not be used", unreadable.size() - most_named));
  }
}

/// Why the first of the regressions is one, in a few words.
std::string regression_words(const report::Fleet& fleet, const report::FleetFinding& finding) {
  std::string text = report::machine_label(fleet.machines[finding.machine]) + ": ";
  if (!finding.wrong_data.empty())
    return text + report::counted(finding.wrong_data.size(), "case") + " moved wrong data";
  if (!finding.failed.empty()) return text + report::counted(finding.failed.size(), "case") + " failed";
  const report::FleetJudgement& worst = finding.outliers.front();
  const report::FleetCaseLabels labels(fleet, fleet.kinds[fleet.kind_of[finding.machine]]);
  return text + fmt::format("{} is {:.1f} % slower than the median", labels[worst.index], 100 * worst.loss);
}

/// Whether the fleet passes; if not, says why on stderr.
bool passes(const report::Fleet& fleet, double share, const Environment& environment) {
  const auto regressions = report::fleet_regressions(fleet, share);
  if (!regressions.empty()) {
    say(environment,
        fmt::format("{} of {} more than {:g} % slower than the median of its kind, failed or moved wrong "
                    "data; the worst, {}",
                    regressions.size(),
                    report::counted(fleet.machines.size(), "GPU") + (regressions.size() == 1 ? " is" : " are"),
                    100 * share, regression_words(fleet, *regressions.front())));
    return false;
  }
  if (report::anything_judged(fleet)) return true;
  say(environment,
      fmt::format("nothing could be judged: no case has values of {} GPUs of a kind", report::fewest_fleet_values));
  return false;
}

}  // namespace

int run_fleet_command(const CompareArguments& arguments, double tolerance, const ResultOutputs& outputs,
                      const Environment& environment) {
  const auto names = std::make_shared<report::FleetNames>();
  FleetFiles read = read_fleet(fleet_files(arguments.reports), *names);
  name_unreadable(read.unreadable, environment);
  if (read.machines.empty()) throw usage_error("there is no report to compare");
  const std::size_t unreadable = read.unreadable.size();
  report::Fleet fleet = report::judge_fleet(std::move(read.machines), names, tolerance);
  fleet.tool = build_information();
  fleet.unreadable = std::move(read.unreadable);

  outputs.write([&](report::Format format, const report::TableStyle& style) {
    std::ostringstream text;
    report::write_fleet(text, fleet, format, style);
    return std::move(text).str();
  });
  const bool passed = !arguments.fail_on_regression || passes(fleet, *arguments.fail_on_regression, environment);
  if (unreadable > 0) return 2;
  return passed ? 0 : 1;
}

}  // namespace gpumem::app
