#include "report/write/fleets/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <utility>

#include "app/command_line/build_information.hpp"
#include "app/commands/case_filter.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/fleet_files.hpp"
#include "engine/base/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Removes the cases that the words do not choose. A word has to fit a case of at least one report.
void keep_chosen(std::vector<report::FleetMachine>& machines, const report::FleetNames& names, const CaseWords& words) {
  std::map<std::pair<std::size_t, std::size_t>, report::Record> records;  // by case and shape
  const auto key = [](const report::FleetReading& reading) { return std::pair(reading.name, reading.shape); };
  std::size_t most = 0;
  for (const report::FleetMachine& machine : machines) {
    for (const report::FleetReading& reading : machine.readings) {
      if (!records.contains(key(reading))) records[key(reading)] = names.record(reading.name, reading.shape);
      most = std::max(most, reading.position + 1);
    }
  }
  report::Cases cases;
  for (const auto& [numbers, record] : records) cases.push_back(&record);
  const report::Selection selection = words.among(cases, most);
  for (report::FleetMachine& machine : machines) {
    std::erase_if(machine.readings, [&](const report::FleetReading& reading) {
      return !report::selects(selection, records.at(key(reading)), reading.position);
    });
  }
  const auto is_left = [](const report::FleetMachine& machine) { return !machine.readings.empty(); };
  if (std::ranges::none_of(machines, is_left)) words.refuse_none_of(most);
}

/// Says why a finding is a regression, in a few words.
std::string regression_words(const report::Fleet& fleet, const report::FleetFinding& finding) {
  std::string text = report::machine_label(fleet.machines[finding.machine]) + ": ";
  if (!finding.wrong_data.empty())
    return text + report::counted(finding.wrong_data.size(), "case") + " moved wrong data";
  if (!finding.failed.empty()) return text + report::counted(finding.failed.size(), "case") + " failed";
  const report::FleetJudgement& worst = finding.outliers.front();
  const report::FleetKind& kind = fleet.kinds[fleet.kind_of[finding.machine]];
  return text + fmt::format("{} is {:.1f} % slower than the median", kind.cases[worst.index].label, 100 * worst.loss);
}

/// True if the fleet passes; if not, says why on stderr.
bool passes(const report::Fleet& fleet, double share, const Environment& environment) {
  const auto regressions = report::fleet_regressions(fleet, share);
  if (!regressions.empty()) {
    say(environment.err,
        fmt::format("{} of {} more than {:g} % slower than the median of its kind, failed or moved wrong "
                    "data; the worst, {}",
                    regressions.size(),
                    report::counted(fleet.machines.size(), report::machine_noun(fleet)) +
                        (regressions.size() == 1 ? " is" : " are"),
                    100 * share, regression_words(fleet, *regressions.front())));
    return false;
  }
  if (report::anything_judged(fleet)) return true;
  say(environment.err, fmt::format("nothing could be judged: no case has values of {} {}s of a kind",
                                   measure::fewest_comparable, report::machine_noun(fleet)));
  return false;
}

}  // namespace

int run_fleet_command(const CompareArguments& arguments, double tolerance, const Environment& environment) {
  const std::vector<std::string> files = fleet_files(arguments.reports);
  const ResultOutputs outputs(reading(arguments, files), report::table_formats(), environment.out,
                              environment.out_terminal);
  const auto names = std::make_shared<report::FleetNames>();
  FleetFiles read = read_fleet(files, environment.in, *names);
  name_unreadable(read.unreadable, environment);
  if (read.machines.empty()) throw usage_error("there is no report to compare");
  const CaseWords words(arguments.cases, environment.registry);
  if (!words.empty()) keep_chosen(read.machines, *names, words);
  const std::size_t unreadable = read.unreadable.size();
  report::Fleet fleet = report::judge_fleet(std::move(read.machines), names, tolerance);
  fleet.tool = build_information();
  fleet.unreadable = std::move(read.unreadable);

  outputs.finish([&](std::ostream& out, report::Format format, const report::TableStyle& style) {
    report::write_fleet(out, fleet, format, style);
  });
  const bool passed = !arguments.fail_on_regression || passes(fleet, *arguments.fail_on_regression, environment);
  if (unreadable > 0) return 2;
  return passed ? 0 : 1;
}

}  // namespace gpumem::app
