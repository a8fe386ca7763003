// Findings: a few sentences on what each table shows. The probe's conclusions come first. If there are none, only the
// readings are described, so that a new probe is described like the others.

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/access/space.hpp"
#include "engine/base/words.hpp"
#include "report/explain/advice.hpp"
#include "report/explain/explain.hpp"
#include "report/explain/outlier_text.hpp"
#include "report/explain/shared_link.hpp"
#include "report/explain/story.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/record/matrix.hpp"
#include "report/record/sweep.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Cases that differ in nothing but a parameter.
struct Group {
  Cases cases;
  std::string parameter;
};

/// Returns the sweeps of a table. If each sweep has one case, returns the alternatives at each place, or the cases
/// across.
std::vector<Group> lines_of(std::span<const Record> results, const Members& table) {
  std::vector<Group> lines;
  for (const Members& sweep : sweeps(results)) {
    if (std::ranges::find(table, sweep.front()) == table.end()) continue;
    lines.push_back({cases_of(results, sweep), results[sweep.front()].swept});
  }
  if (lines.size() < 2 || lines.size() < table.size()) return lines;
  const Cases cases = cases_of(results, table);
  const Record& first = *cases.front();
  if (first.across.empty() || !varies(cases, first.across)) return {{cases, first.compared}};
  if (!varies(cases, first.compared)) return {{cases, first.across}};
  lines.clear();
  for (const Members& places : alternatives(results)) {
    if (std::ranges::find(table, places.front()) == table.end()) continue;
    lines.push_back({cases_of(results, places), first.compared});
  }
  return lines;
}

std::string subject_of(const Record& record) {
  const Parameter* op = find_parameter(record, "op");
  std::string subject(op == nullptr ? "" : op_subject(gpumem::to_string(op->value)));
  const auto all_sites = [&](auto member, std::string_view value) {
    return !record.access.empty() &&
           std::ranges::all_of(record.access, [&](const SiteRecord& site) { return site.*member == value; });
  };
  if (subject.empty()) {
    const bool copied = record.access.empty() && record.useful_bytes() > 0;
    subject = copied                                ? "transfers"
              : all_sites(&SiteRecord::op, "load")  ? "loads"
              : all_sites(&SiteRecord::op, "store") ? "stores"
                                                    : "accesses";
  }
  if (record.access.empty()) return subject;
  // Global memory goes without saying.
  const std::string& space = record.access.front().space;
  if (space == to_string(access::Space::global) || !all_sites(&SiteRecord::space, space)) return subject;
  return one_line(space) + "-memory " + subject;
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

/// Returns the parameters that tell these cases from the probe's others: " (8-byte words)". Leaves out the op, which
/// the subject names.
std::string distinction(const std::vector<Record>& results, const Group& line) {
  std::vector<std::string> parts;
  const Record& record = *line.cases.front();
  for (const Parameter& parameter : record.parameters) {
    if (parameter.name == line.parameter || varies(line.cases, parameter.name)) continue;
    if (parameter.name == device_parameter && gpu_beside_others(record)) continue;  // which the finding begins with
    if (parameter.name == "op" && !op_subject(gpumem::to_string(parameter.value)).empty()) continue;
    const bool differs = std::ranges::any_of(results, [&](const Record& other) {
      const Parameter* found = find_parameter(other, parameter.name);
      return other.probe == record.probe && found != nullptr && found->value != parameter.value;
    });
    if (differs) parts.push_back(parameter_phrase(parameter));
  }
  return parts.empty() ? "" : " (" + join(parts, ", ") + ")";
}

/// Describes the readings of a line; empty if they show nothing.
std::string described(const std::vector<Record>& results, const Group& line) {
  const Story story = make_story(line.cases, line.parameter);
  if (story.points.empty()) return {};
  return describe_sweep(story, capitalised(subject_of(*story.points.front().record)) + distinction(results, line));
}

/// Describes the readings of a table, without any advice. If the table is a matrix, describes only its first sweep
/// (none for pairs), and names the cases that are unlike the others.
std::vector<std::string> described(const std::vector<Record>& results, const Members& table) {
  std::vector<std::string> parts;
  const Cases cases = cases_of(results, table);
  const std::vector<CaseMatrix> side_by_side = matrices(cases);
  std::vector<Group> lines = lines_of(results, table);
  if (!side_by_side.empty()) lines.resize(is_of_pairs(side_by_side.front()) ? 0 : 1);
  for (const Group& line : lines) parts.push_back(described(results, line));
  const std::vector<CaseMatrix> judged = matrices(cases, 1);  // a single row is no matrix to read, but one to judge
  for (const CaseMatrix& matrix : judged) parts.push_back(outlier_text(matrix, judged.size() > 1));
  return parts;
}

/// Returns the numbers that the cases of a table give together, for tables without advice: "Near capacity: 256 KiB."
std::string found(const Members& table, std::span<const ConclusionRecord> conclusions) {
  std::vector<std::string> parts;
  for (const ConclusionRecord& conclusion : conclusions) {
    if (conclusion.cases != table) continue;
    for (const auto& [name, measured, predicted] : conclusion.quantities) {
      const auto words = [&, &name = name](std::optional<double> value) { return value_words(name, *value); };
      const std::string first = measured ? words(measured) : words(predicted);
      const std::string beside = measured && predicted ? ", predicted " + words(predicted) : "";
      parts.push_back(capitalised(quantity_title(name)) + (measured ? ": " : ", predicted: ") + first + beside + ".");
    }
  }
  return join(parts, " ");
}

/// Returns the probe's conclusions, one fact a line; empty if there are none.
std::vector<std::string> concluded(const std::vector<Record>& results, const Members& table,
                                   std::span<const ConclusionRecord> conclusions) {
  const auto conclusion = std::ranges::find_if(conclusions, [&](const ConclusionRecord& candidate) {
    return candidate.cases == table && !candidate.advice.empty();
  });
  if (conclusion == conclusions.end()) return {};
  std::vector<std::string> lines;
  for (const FactRecord& fact : conclusion->facts) lines.push_back(fact.text);
  if (lines.empty()) lines.push_back(conclusion->advice);
  const bool measured =
      std::ranges::any_of(table, [&](std::size_t member) { return results[member].headline.measured.has_value(); });
  if (!measured) lines.front().insert(0, "Predicted: ");
  return lines;
}

/// Returns the cases of the first GPU on which any case of the table ran (of the first GPU if none did). Returns all
/// cases if they name no GPU.
Members one_gpu_of(std::span<const Record> results, const Members& table) {
  const std::vector<Members> gpus = by_gpu(results, table);
  const auto ran = std::ranges::find_if(gpus, [&](const Members& own) {
    return std::ranges::any_of(own, [&](std::size_t member) { return results[member].ran(); });
  });
  return ran == gpus.end() ? gpus.front() : *ran;
}

}  // namespace

std::vector<std::string> findings(const std::vector<Record>& results, std::span<const ConclusionRecord> conclusions,
                                  std::optional<std::uint64_t> host_cache_bytes) {
  std::vector<std::string> all;
  for (const Members& table : tables(results)) {
    const Cases cases = cases_of(results, table);
    // The text is of one GPU. The others are like it, or are named where GPUs are compared with each other.
    const Members own = one_gpu_of(results, table);
    std::vector<std::string> facts = concluded(results, own, conclusions);
    std::vector<std::string> parts;
    if (facts.empty()) {
      parts = described(results, own);
      parts.push_back(found(own, conclusions));
    } else if (const std::string agreed = agreement(cases_of(results, own)); !agreed.empty()) {
      parts.push_back(capitalised(agreed) + ".");
    }
    std::erase(parts, "");
    const auto gpu = gpu_beside_others(results[own.front()]);
    std::vector<std::string>& first = facts.empty() ? parts : facts;
    if (gpu && !first.empty()) first.front().insert(0, fmt::format("GPU {}: ", *gpu));
    if (gpu) parts.push_back(shared_link(cases, host_cache_bytes));
    parts.push_back(not_run(cases));
    std::erase(parts, "");
    if (parts.empty() && facts.empty()) {
      parts.push_back(capitalised(subject_of(*cases.front())) + " ran; there is no reading to compare.");
      if (const auto& reason = cases.front()->no_prediction) parts.push_back(capitalised(*reason) + ".");
    }
    if (!parts.empty()) facts.push_back(join(parts, " "));
    all.push_back(join(facts, "\n"));
  }
  return all;
}

Report completed(Report report) {
  if (report.program) {  // its kernels are no sweep
    add_explanations(report.results);
    report.advice = program_advice(report);
    return report;
  }
  relate_to_baselines(report.results);
  report.conclusions = conclusions(report.results);
  report.findings = findings(report.results, report.conclusions, report.host.l3_bytes);
  add_explanations(report.results);
  return report;
}

}  // namespace gpumem::report
