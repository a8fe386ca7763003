// Findings: what each table shows, in a few sentences. What its probe concludes comes first; where it concludes
// nothing, the readings are described alone, so that a new probe is described like the others.

#include "report/explain/findings.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "probes/words.hpp"
#include "report/explain/bandwidth_story.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Cases that differ in nothing but a parameter.
struct Line {
  Cases cases;
  std::string parameter;
};

/// The sweeps of a table or, where each of them has one case, the alternatives at that place.
std::vector<Line> lines_of(std::span<const Record> results, const Members& table) {
  std::vector<Line> lines;
  for (const Members& sweep : sweeps(results)) {
    if (std::ranges::find(table, sweep.front()) == table.end()) continue;
    lines.push_back({cases_of(results, sweep), results[sweep.front()].swept});
  }
  if (lines.size() < 2 || lines.size() < table.size()) return lines;
  return {{cases_of(results, table), results[table.front()].compared}};
}

std::string subject_of(const Record& record) {
  const Parameter* op = find_parameter(record, "op");
  std::string subject(op == nullptr ? "" : op_subject(gpumem::to_string(op->value)));
  const auto all_sites = [&](auto member, std::string_view value) {
    return !record.access.empty() &&
           std::ranges::all_of(record.access, [&](const SiteRecord& site) { return site.*member == value; });
  };
  if (subject.empty()) {
    const bool copied = record.access.empty() && record.useful_bytes_read + record.useful_bytes_written > 0;
    subject = copied                                ? "transfers"
              : all_sites(&SiteRecord::op, "load")  ? "loads"
              : all_sites(&SiteRecord::op, "store") ? "stores"
                                                    : "accesses";
  }
  if (all_sites(&SiteRecord::space, "shared")) subject = "shared-memory " + subject;
  if (all_sites(&SiteRecord::space, "host")) subject = "host-memory " + subject;
  return subject;
}

/// The first metric's extremes, for probes whose point is not bandwidth.
std::string metric_story(const Line& line, bool measured) {
  struct Extreme {
    double value;
    const Record* record;
  };
  std::string name;
  std::vector<Extreme> values;
  for (const Record* record : line.cases) {
    if (record->status != Status::ok || record->metrics.empty()) continue;
    const MetricRecord& metric = record->metrics.front();
    if (!metric.value || (!name.empty() && metric.name != name)) continue;
    name = metric.name;
    values.push_back({*metric.value, record});
  }
  if (values.empty()) return {};
  const auto place = [&](const Record& record) {
    const Parameter* found = find_parameter(record, line.parameter);
    return found == nullptr ? std::string("this case") : position_phrase(*found);
  };
  const auto [low, high] = std::ranges::minmax(values, {}, &Extreme::value);
  const std::string words = capitalised(metric_words(name));
  const std::string prefix = measured ? "" : "predicted ";
  if (high.value - low.value <= negligible * std::abs(high.value)) {
    return fmt::format("{}: {}{}{}.", words, prefix, significant(high.value, 3),
                       values.size() > 1 ? " in every case" : " at " + place(*high.record));
  }
  return fmt::format("{}: {}{} at {}, {} at {}.", words, prefix, significant(low.value, 3), place(*low.record),
                     significant(high.value, 3), place(*high.record));
}

std::string not_run(const Cases& cases) {
  std::map<Status, std::size_t> counts;
  std::string reason;
  bool same = true;
  for (const Record* record : cases) {
    ++counts[record->status];
    if (record->status == Status::ok) continue;
    same = same && (reason.empty() || reason == record->reason);
    if (reason.empty()) reason = record->reason.value_or("no reason given");
  }
  const auto of = [&](Status status, std::size_t count) {
    return fmt::format("{} {}", counted(count, "case"),
                       status == Status::failed ? "failed"
                       : count == 1             ? "was skipped"
                                                : "were skipped");
  };
  std::vector<std::string> parts;
  for (const Status status : {Status::failed, Status::skipped}) {
    if (counts[status] > 0) parts.push_back(of(status, counts[status]));
  }
  if (parts.empty()) return {};
  std::string text = join_in_words(parts);
  if (counts[Status::ok] == 0) {
    text = "Nothing ran: " + text + (same ? ": " : "; the first: ") + one_line(reason);
  }
  return text + (text.ends_with('.') ? "" : ".");
}

/// What tells these cases from the probe's others, apart from the op, which the subject names: " (8-byte words)".
std::string distinction(const std::vector<Record>& results, const Line& line) {
  std::vector<std::string> parts;
  const Record& record = *line.cases.front();
  for (const Parameter& parameter : record.parameters) {
    if (parameter.name == record.swept || parameter.name == line.parameter) continue;
    if (parameter.name == "op" && !op_subject(gpumem::to_string(parameter.value)).empty()) continue;
    const bool differs = std::ranges::any_of(results, [&](const Record& other) {
      const Parameter* found = find_parameter(other, parameter.name);
      return other.probe == record.probe && found != nullptr && found->value != parameter.value;
    });
    if (differs) parts.push_back(parameter_phrase(parameter));
  }
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

/// What the readings of a line show; empty if they show nothing.
std::string described(const std::vector<Record>& results, const Line& line) {
  const Story story = make_story(line.cases, line.parameter);
  std::vector<std::string> parts;
  if (!story.points.empty()) {
    const std::string subject = capitalised(subject_of(*story.points.front().record)) + distinction(results, line);
    parts.push_back(bandwidth_story(story, subject));
  }
  parts.push_back(metric_story(line, story.measured));
  std::erase(parts, "");
  return join(parts, " ");
}

/// The advice that the probe gives, and how far to trust what it was predicted from; empty if it gives none.
std::string advised(const std::vector<Record>& results, const Members& table, const ProbeLookup& find) {
  const auto conclusion = conclusion_of(results, table, find);
  if (!conclusion || conclusion->advice.empty()) return {};
  const Cases cases = cases_of(results, table);
  const bool measured =
      std::ranges::any_of(cases, [](const Record* record) { return record->measured_gb_per_s.has_value(); });
  const std::string agreed = agreement(cases);
  return (measured ? "" : "Predicted: ") + conclusion->advice + (agreed.empty() ? "" : " " + capitalised(agreed) + ".");
}

}  // namespace

std::vector<std::string> findings(const std::vector<Record>& results, const ProbeLookup& find) {
  std::vector<std::string> all;
  for (const Members& table : tables(results)) {
    const Cases cases = cases_of(results, table);
    std::vector<std::string> parts = {advised(results, table, find)};
    if (parts.front().empty()) {
      for (const Line& line : lines_of(results, table)) parts.push_back(described(results, line));
    }
    parts.push_back(not_run(cases));
    std::erase(parts, "");
    if (parts.empty()) {
      parts.push_back(capitalised(subject_of(*cases.front())) + " ran; there is no bandwidth to compare.");
    }
    all.push_back(join(parts, " "));
  }
  return all;
}

}  // namespace gpumem::report
