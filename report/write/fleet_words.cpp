#include "report/write/fleet_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "probes/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_named = 4;

std::string percent(double share) { return fixed(100 * share, 1); }

/// At most a few of the texts: "a, b, c and 5 more".
std::string some_of(const std::vector<std::string>& texts) {
  std::vector<std::string> named(texts.begin(),
                                 texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), most_named)));
  if (texts.size() > most_named) named.push_back(std::to_string(texts.size() - most_named) + " more");
  return join_in_words(named);
}

/// Hosts, each once.
std::string hosts_of(const Fleet& fleet, const std::vector<std::size_t>& machines) {
  std::vector<std::string> hosts;
  std::set<std::string> seen;
  for (const std::size_t machine : machines) {
    std::string host = host_words(fleet.machines[machine]);
    if (seen.insert(host).second) hosts.push_back(std::move(host));
  }
  return some_of(hosts);
}

/// "driver: 580.159.04 on 198, 570.12 on 2 (node017 and node044)", of `all` machines.
std::string tally_words(const Fleet& fleet, const FleetTally& tally, std::size_t all) {
  std::vector<std::string> parts;
  std::size_t others = 0;
  for (std::size_t i = 0; i < tally.values.size(); ++i) {
    const FleetTally::Value& value = tally.values[i];
    if (i >= most_named) {
      others += value.machines.size();
      continue;
    }
    const std::string who = i == 0 ? "" : " (" + hosts_of(fleet, value.machines) + ")";
    parts.push_back(fmt::format("{} on {}{}", one_line(value.text), value.machines.size(), who));
  }
  if (others > 0) parts.push_back(fmt::format("{} on {}", counted(tally.values.size() - most_named, "other"), others));
  std::size_t known = 0;
  for (const FleetTally::Value& value : tally.values) known += value.machines.size();
  if (known < all) parts.push_back(fmt::format("not known of {}", all - known));
  return tally.property + ": " + join(parts, ", ");
}

/// What all have in common on one line, and a line for everything that differs.
void add_properties(const Fleet& fleet, const FleetKind& kind, std::vector<std::string>& lines) {
  const std::string prefix = fleet.kinds.size() > 1 ? kind_words(kind) + ": " : "";
  std::vector<std::string> common;
  std::vector<std::string> differing;
  for (const FleetTally& tally : kind.properties) {
    const bool host = tally.property.starts_with("host ") && tally.property != "host link";
    const bool of_all = tally.values.size() == 1 && tally.values.front().machines.size() == kind.machines.size();
    if (tally.values.size() > 1 || (!of_all && !host)) {
      differing.push_back(prefix + tally_words(fleet, tally, kind.machines.size()) + ".");
    } else if (!host) {
      common.push_back(tally.property + " " + one_line(tally.values.front().text));
    }
  }
  if (!common.empty()) {
    lines.push_back(
        capitalised(prefix + (kind.machines.size() > 1 ? "all with " : "with ") + join_in_words(common) + "."));
  }
  lines.insert(lines.end(), differing.begin(), differing.end());
}

struct ValueUnit {
  std::string name;
  double factor = 1;
};

ValueUnit unit_of(const Fleet& fleet, const FleetCase& one) {
  const std::string unit = report::unit_of(fleet.names->case_name(one.name).quantity);
  if (unit != "s") return {unit, 1};
  const TimeUnit time = time_unit(one.median);
  return {time.name, time.per_second};
}

std::string z_words(std::optional<double> z) {
  if (!z) return "-";
  return fixed(*z, std::abs(*z) < 100 ? 1 : 0);
}

/// "2 cases failed: offset: offset 3 (out of memory) and ..."
std::string readings_words(const FleetMachine& machine, const std::vector<FleetJudgement>& judgements,
                           const std::vector<std::size_t>& readings, const FleetCaseLabels& labels,
                           std::string_view fate) {
  if (readings.empty()) return {};
  std::vector<std::string> places;
  for (const std::size_t reading : readings) {
    const std::string& reason = machine.readings[reading].reason;
    places.push_back(labels[judgements[reading].index] + (reason.empty() ? "" : " (" + one_line(reason) + ")"));
  }
  return fmt::format("{} {}: {}", counted(readings.size(), "case"), fate, some_of(places));
}

/// In what the machine is not like most of its kind.
std::vector<std::string> peculiarities(std::size_t machine, const FleetKind& kind) {
  std::vector<std::string> all;
  for (const FleetTally& tally : kind.properties) {
    for (const FleetTally::Value& value : tally.values) {
      if (2 * value.machines.size() >= kind.machines.size()) continue;
      if (!std::ranges::binary_search(value.machines, machine)) continue;
      if (2 * tally.values.front().machines.size() <= kind.machines.size()) continue;
      all.push_back(fmt::format("{} {}, most have {}", tally.property, one_line(value.text),
                                one_line(tally.values.front().text)));
    }
  }
  return all;
}

std::vector<std::string> finding_notes(const Fleet& fleet, const FleetFinding& finding, const FleetCaseLabels& labels) {
  const FleetMachine& machine = fleet.machines[finding.machine];
  const FleetKind& kind = fleet.kinds[fleet.kind_of[finding.machine]];
  const std::vector<FleetJudgement>& judgements = fleet.judgements[finding.machine];
  std::vector<std::string> notes;
  const auto add = [&](std::string note) {
    if (!note.empty()) notes.push_back(std::move(note));
  };
  add(readings_words(machine, judgements, finding.wrong_data, labels, "moved wrong data"));
  add(readings_words(machine, judgements, finding.failed, labels, "failed"));
  add(readings_words(machine, judgements, finding.skipped, labels, "skipped"));
  std::vector<std::string> missing;
  for (const std::size_t index : finding.missing) missing.push_back(labels[index]);
  if (!missing.empty()) add(fmt::format("{} missing: {}", counted(missing.size(), "case"), some_of(missing)));
  for (const FleetFlag& flag : finding.flags) add(one_line(flag.name) + " in " + counted(flag.cases, "case"));
  const auto other_shapes = std::ranges::count_if(finding.outliers, &FleetJudgement::other_shape);
  if (other_shapes > 0) {
    add(fmt::format("in {} of its outliers auto decided otherwise than on most GPUs", other_shapes));
  }
  for (std::string& peculiarity : peculiarities(finding.machine, kind)) add(std::move(peculiarity));
  return notes;
}

std::string result_words(const Fleet& fleet) {
  const std::size_t machines = fleet.machines.size();
  if (!fleet.findings.empty()) {
    return fmt::format("{} of {} {} out, the worst first:", fleet.findings.size(), counted(machines, "GPU"),
                       fleet.findings.size() == 1 ? "stands" : "stand");
  }
  if (!anything_judged(fleet)) return "Nothing could be judged, and nothing failed.";
  return machines == 1 ? "Nothing stands out." : fmt::format("Healthy: none of the {} GPUs stands out.", machines);
}

void add_unjudged(const Fleet& fleet, std::vector<std::string>& lines) {
  for (const FleetKind& kind : fleet.kinds) {
    const auto unjudged =
        static_cast<std::size_t>(std::ranges::count_if(kind.cases, [](const FleetCase& one) { return !one.judged; }));
    if (kind.machines.size() < fewest_fleet_values) {
      lines.push_back(fmt::format("Too few to find outliers: {} x {}; it takes {}.", kind.machines.size(),
                                  kind_words(kind), fewest_fleet_values));
    } else if (unjudged > 0) {
      lines.push_back(fmt::format("{} of {} ran on fewer than {} GPUs: too few to find outliers.",
                                  capitalised(counted(unjudged, "case")), kind_words(kind), fewest_fleet_values));
    }
    const auto shapes = static_cast<std::size_t>(
        std::ranges::count_if(kind.cases, [](const FleetCase& one) { return one.shapes > 1; }));
    if (shapes > 0) {
      lines.push_back(fmt::format("In {} of {} auto decided differently on some GPUs; --format csv says what.",
                                  counted(shapes, "case"), kind_words(kind)));
    }
  }
}

}  // namespace

std::vector<std::string> fleet_preamble(const Fleet& fleet) {
  std::set<std::string> hosts;
  for (const FleetMachine& machine : fleet.machines) hosts.insert(host_words(machine));
  std::vector<std::string> kinds;
  for (const FleetKind& kind : fleet.kinds) {
    kinds.push_back(fmt::format("{} x {}", kind.machines.size(), kind_words(kind)));
  }
  std::vector<std::string> lines;
  lines.push_back(fmt::format("Fleet: {} from {}, {}.", counted(fleet.machines.size(), "report"),
                              counted(hosts.size(), "host"), some_of(kinds)));
  for (const FleetKind& kind : fleet.kinds) add_properties(fleet, kind, lines);
  for (std::size_t i = 0; i < fleet.duplicates.size() && i < most_named; ++i) {
    std::vector<std::string> files;
    for (const std::size_t machine : fleet.duplicates[i]) files.push_back(file_name(fleet.machines[machine]));
    lines.push_back(fmt::format("More than one report of {}: {}; each counts.",
                                machine_label(fleet.machines[fleet.duplicates[i].front()]), some_of(files)));
  }
  if (fleet.duplicates.size() > most_named) {
    lines.push_back(fmt::format("More than one report of {} other GPUs.", fleet.duplicates.size() - most_named));
  }
  if (!fleet.unreadable.empty()) {
    lines.push_back(
        fmt::format("Not among them: {} that could not be used.", counted(fleet.unreadable.size(), "file")));
  }
  if (anything_judged(fleet)) {
    lines.push_back(
        fmt::format("Off is what differs from the median of its case by more than {} % and {} robust "
                    "standard deviations (1.4826 MAD).",
                    trimmed(100 * fleet.tolerance, 2), fleet_outlier_z));
  }
  return lines;
}

std::vector<std::string> fleet_summary(const Fleet& fleet) {
  std::vector<std::string> lines;
  add_unjudged(fleet, lines);
  lines.push_back(result_words(fleet));
  return lines;
}

FleetGrid findings_grid(const Fleet& fleet, std::size_t most_rows) {
  FleetGrid grid;
  grid.columns = {
      {.heading = {"host", ""}, .text = true}, {.heading = {"GPU", ""}, .text = true},
      {.heading = {"off", "/cases"}},          {.heading = {"worst case", ""}, .text = true, .flexible = true},
      {.heading = {"value", ""}, .rank = 2},   {.heading = {"off by", "%"}},
      {.heading = {"z", ""}, .rank = 1},       {.heading = {"report", ""}, .text = true, .rank = 3}};
  std::map<std::size_t, FleetCaseLabels> labels;
  for (const FleetFinding& finding : fleet.findings) {
    if (grid.rows.size() == most_rows) break;
    const FleetMachine& machine = fleet.machines[finding.machine];
    const std::size_t kind = fleet.kind_of[finding.machine];
    const FleetCaseLabels& words = labels.try_emplace(kind, fleet, fleet.kinds[kind]).first->second;
    FleetGrid::Row row;
    row.cells = {host_words(machine), gpu_words(machine),
                 fmt::format("{}/{}", finding.outliers.size(), finding.judged)};
    if (finding.outliers.empty()) {
      row.cells.insert(row.cells.end(), {"-", "-", "-", "-"});
    } else {
      const FleetJudgement& worst = finding.outliers.front();
      const ValueUnit unit = unit_of(fleet, fleet.kinds[kind].cases[worst.index]);
      row.cells.insert(row.cells.end(),
                       {words[worst.index], significant(*worst.value * unit.factor, 4) + " " + unit.name,
                        fmt::format("{:+.1f}", 100 * *worst.relative), z_words(worst.z)});
      row.slow = worst.verdict == FleetVerdict::slow;
      row.fast = !row.slow;
    }
    row.cells.push_back(file_name(machine));
    row.notes = finding_notes(fleet, finding, words);
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

FleetGrid cases_grid(const Fleet& fleet, const FleetKind& kind, const std::vector<std::size_t>& indices) {
  FleetGrid grid;
  grid.columns = {{.heading = {"case", ""}, .text = true, .flexible = true},
                  {.heading = {"GPUs", ""}},
                  {.heading = {"median", ""}},
                  {.heading = {"", ""}, .text = true},
                  {.heading = {"MAD", "%"}},
                  {.heading = {"off", "from %"}, .rank = 1},
                  {.heading = {"min", ""}},
                  {.heading = {"max", ""}},
                  {.heading = {"slow", ""}},
                  {.heading = {"fast", ""}}};
  const FleetCaseLabels labels(fleet, kind);
  for (const std::size_t index : indices) {
    const FleetCase& one = kind.cases[index];
    const ValueUnit unit = unit_of(fleet, one);
    const auto value = [&](double number) { return one.count == 0 ? "-" : significant(number * unit.factor, 4); };
    const auto if_judged = [&](const std::string& text) { return one.judged ? text : "-"; };
    FleetGrid::Row row;
    row.cells = {labels[index],
                 std::to_string(one.count),
                 value(one.median),
                 unit.name,
                 if_judged(one.mad > 0 ? significant(100 * one.mad / one.median, 2) : "0"),
                 if_judged(percent(one.least_off)),
                 value(one.min),
                 value(one.max),
                 if_judged(std::to_string(one.slow)),
                 if_judged(std::to_string(one.fast))};
    row.slow = one.slow > 0;
    row.fast = one.fast > 0;
    grid.rows.push_back(std::move(row));
  }
  return grid;
}

}  // namespace gpumem::report
