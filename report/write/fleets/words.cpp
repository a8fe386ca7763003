// The sentences in a fleet's tables.

#include "engine/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "report/text/text.hpp"
#include "report/write/fleets/fleet.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_in_a_line = 4;

/// At most a few of the texts: "a, b, c and 5 more".
std::string some_of(const std::vector<std::string>& texts) {
  std::vector<std::string> named(texts.begin(),
                                 texts.begin() + static_cast<std::ptrdiff_t>(std::min(texts.size(), most_in_a_line)));
  if (texts.size() > most_in_a_line) named.push_back(std::to_string(texts.size() - most_in_a_line) + " more");
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
  std::size_t named = 0;
  std::size_t known = 0;
  for (const FleetTally::Value& value : tally.values) {
    known += value.machines.size();
    if (parts.size() == most_in_a_line) continue;
    const std::string who = parts.empty() ? "" : " (" + hosts_of(fleet, value.machines) + ")";
    parts.push_back(fmt::format("{} on {}{}", one_line(value.text), value.machines.size(), who));
    named = known;
  }
  if (known > named) {
    parts.push_back(fmt::format("{} on {}", counted(tally.values.size() - most_in_a_line, "other"), known - named));
  }
  if (known < all) parts.push_back(fmt::format("not known of {}", all - known));
  return tally.property + ": " + join(parts, ", ");
}

/// Adds one line with what all machines have in common, and a line for each property that differs.
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

/// The properties in which the machine differs from most of its kind.
std::vector<std::string> peculiarities(std::size_t machine, const FleetKind& kind) {
  std::vector<std::string> all;
  for (const FleetTally& tally : kind.properties) {
    const FleetTally::Value& usual = tally.values.front();
    if (2 * usual.machines.size() <= kind.machines.size()) continue;
    for (const FleetTally::Value& value : std::span(tally.values).subspan(1)) {
      if (!std::ranges::binary_search(value.machines, machine)) continue;
      all.push_back(fmt::format("{} {}, most have {}", tally.property, one_line(value.text), one_line(usual.text)));
    }
  }
  return all;
}

void add_unjudged(const Fleet& fleet, std::vector<std::string>& lines) {
  for (const FleetKind& kind : fleet.kinds) {
    const auto unjudged = static_cast<std::size_t>(
        std::ranges::count_if(kind.cases, [](const FleetCase& fleet_case) { return !fleet_case.judged; }));
    if (kind.machines.size() < measure::fewest_comparable) {
      lines.push_back(fmt::format("Too few to find outliers: {} x {}; it takes {}.", kind.machines.size(),
                                  kind_words(kind), measure::fewest_comparable));
    } else if (unjudged > 0) {
      lines.push_back(fmt::format("{} of {} ran on fewer than {} {}s: too few to find outliers.",
                                  capitalised(counted(unjudged, "case")), kind_words(kind), measure::fewest_comparable,
                                  machine_noun(kind)));
    }
    const auto shapes = static_cast<std::size_t>(
        std::ranges::count_if(kind.cases, [](const FleetCase& fleet_case) { return fleet_case.shapes > 1; }));
    if (shapes > 0) {
      lines.push_back(fmt::format("In {} of {} auto chose different values on some {}s; --format csv shows them.",
                                  counted(shapes, "case"), kind_words(kind), machine_noun(kind)));
    }
  }
}

}  // namespace

std::vector<std::string> fleet_preamble(const Fleet& fleet) {
  std::set<std::string> hosts;
  std::set<std::string> reports;  // one may be of several GPUs
  for (const FleetMachine& machine : fleet.machines) {
    hosts.insert(host_words(machine));
    reports.insert(machine.file);
  }
  std::vector<std::string> kinds;
  for (const FleetKind& kind : fleet.kinds) {
    kinds.push_back(fmt::format("{} x {}", kind.machines.size(), kind_words(kind)));
  }
  std::vector<std::string> lines;
  lines.push_back(fmt::format("Fleet: {} from {}, {}.", counted(reports.size(), "report"),
                              counted(hosts.size(), "host"), some_of(kinds)));
  for (const FleetKind& kind : fleet.kinds) add_properties(fleet, kind, lines);
  for (std::size_t i = 0; i < fleet.duplicates.size() && i < most_in_a_line; ++i) {
    std::vector<std::string> files;
    for (const std::size_t machine : fleet.duplicates[i]) files.push_back(file_name(fleet.machines[machine]));
    lines.push_back(fmt::format("More than one report of {}: {}; each counts.",
                                machine_label(fleet.machines[fleet.duplicates[i].front()]), some_of(files)));
  }
  if (fleet.duplicates.size() > most_in_a_line) {
    lines.push_back(fmt::format("More than one report of {} other {}s.", fleet.duplicates.size() - most_in_a_line,
                                machine_noun(fleet)));
  }
  if (!fleet.unreadable.empty()) {
    lines.push_back(fmt::format("{} could not be used.", counted(fleet.unreadable.size(), "file")));
  }
  if (anything_judged(fleet)) {
    lines.push_back(
        fmt::format("A value is off if it differs from the median of its case by more than {} % and {} robust standard "
                    "deviations (1.4826 MAD).",
                    trimmed(100 * fleet.tolerance, 2), measure::outlier_z));
  }
  add_unjudged(fleet, lines);
  return lines;
}

std::string fleet_result(const Fleet& fleet) {
  const std::size_t machines = fleet.machines.size();
  if (!fleet.findings.empty()) {
    return fmt::format("{} of {} {} out", fleet.findings.size(), counted(machines, machine_noun(fleet)),
                       fleet.findings.size() == 1 ? "stands" : "stand");
  }
  if (!anything_judged(fleet)) return "Nothing could be judged, and nothing failed.";
  return machines == 1 ? "Nothing stands out."
                       : fmt::format("Healthy: none of the {} {}s stands out.", machines, machine_noun(fleet));
}

std::vector<std::string> finding_notes(const Fleet& fleet, const FleetFinding& finding) {
  const FleetMachine& machine = fleet.machines[finding.machine];
  const FleetKind& kind = fleet.kinds[fleet.kind_of[finding.machine]];
  const std::vector<FleetJudgement>& judgements = fleet.judgements[finding.machine];
  std::vector<std::string> notes;
  // "2 cases failed: offset: offset 3 (out of memory) and ..."
  const auto add = [&](const std::vector<std::string>& places, const char* fate) {
    if (places.empty()) return;
    notes.push_back(fmt::format("{} {}: {}", counted(places.size(), "case"), fate, some_of(places)));
  };
  const std::pair<std::span<const std::size_t>, const char*> fates[] = {
      {finding.wrong_data, "moved wrong data"}, {finding.failed, "failed"}, {finding.skipped, "skipped"}};
  for (const auto& [readings, fate] : fates) {
    std::vector<std::string> places;
    for (const std::size_t reading : readings) {
      const std::string& reason = machine.readings[reading].reason;
      places.push_back(kind.cases[judgements[reading].index].label +
                       (reason.empty() ? "" : " (" + one_line(reason) + ")"));
    }
    add(places, fate);
  }
  std::vector<std::string> missing;
  for (const std::size_t index : finding.missing) missing.push_back(kind.cases[index].label);
  add(missing, "missing");
  for (const auto& [flag, cases] : finding.flags) notes.push_back(one_line(flag) + " in " + counted(cases, "case"));
  const auto other_shapes = std::ranges::count_if(finding.outliers, &FleetJudgement::other_shape);
  if (other_shapes > 0) {
    notes.push_back(fmt::format("in {} of its outliers auto chose other values than on most {}s", other_shapes,
                                machine_noun(kind)));
  }
  std::ranges::move(peculiarities(finding.machine, kind), std::back_inserter(notes));
  return notes;
}

}  // namespace gpumem::report
