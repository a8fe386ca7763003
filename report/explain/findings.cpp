// Findings: a few sentences on what each table shows. The probe's conclusions come first, then how far predictions are
// off and what did not run.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/thresholds.hpp"
#include "engine/base/words.hpp"
#include "report/advise/advice.hpp"
#include "report/explain/explain.hpp"
#include "report/explain/outlier_text.hpp"
#include "report/explain/shared_link.hpp"
#include "report/record/gpus.hpp"
#include "report/record/matrix.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

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

bool any_reading(const Cases& cases) {
  return std::ranges::any_of(cases, [](const Record* record) { return record->headline.value().has_value(); });
}

/// Says which cases have an empty cell for the prediction, and why. Empty if no case has a reading: nothing_told() says
/// why then.
std::string not_predicted(const Cases& cases) {
  if (!any_reading(cases)) return "";
  Cases without = cases;
  std::erase_if(without, [](const Record* record) { return record->status != Status::ok || !record->no_prediction; });
  if (without.empty()) return "";
  const std::string& reason = *without.front()->no_prediction;
  const bool same = std::ranges::all_of(without, [&](const Record* record) { return record->no_prediction == reason; });
  const std::string which = without.size() == 1 && cases.size() > 1 ? position_among(cases, *without.front())
                                                                    : counted(without.size(), "case");
  return fmt::format("No prediction of {}{}: {}.", which, same ? "" : "; the first", one_line(reason));
}

/// Names the cases of matrices that are unlike the others, or says that there are none.
std::vector<std::string> outliers(const Cases& cases) {
  std::vector<std::string> parts;
  bool judged = false;
  const std::vector<CaseMatrix> all = matrices(cases, 1);  // a single row is no matrix to read, but one to judge
  for (const CaseMatrix& matrix : all) {
    const std::optional<std::string> text = outlier_text(matrix, all.size() > 1);
    judged = judged || text;
    if (text && !text->empty()) parts.push_back(*text);
  }
  if (judged && parts.empty()) parts.emplace_back("No case is unlike the others.");
  return parts;
}

/// "3 %", rounded up: a claim about all cases must hold for the last of them.
std::string at_most_percent(double fraction) {
  const double value = fraction * 100;
  return (value > 1 ? fixed(std::ceil(value - 1e-9), 0) : fixed(std::ceil(value * 10 - 1e-9) / 10, 1)) + " %";
}

/// Says how far the predictions are from the measurements: "Predicted within 8 %." Empty if nothing was measured, or if
/// a measured case was not predicted.
std::string agreement(const Cases& cases) {
  Cases measured = cases;
  std::erase_if(measured,
                [](const Record* record) { return record->status != Status::ok || !positive_headline(*record, true); });
  const auto is_predicted = [](const Record* record) { return record->headline.predicted.has_value(); };
  if (measured.empty() || !std::ranges::all_of(measured, is_predicted)) return {};
  const auto deviation = [](const Record* record) {
    return std::abs(*record->headline.predicted / *record->headline.measured - 1);
  };
  const Record* where = std::ranges::max(measured, {}, deviation);
  const double farthest = deviation(where);
  if (farthest <= as_predicted) return "Predicted within " + at_most_percent(farthest) + ".";
  return fmt::format("Predictions are off by up to {}{}.", at_most_percent(farthest),
                     measured.size() > 1 ? " (at " + position_among(measured, *where) + ")" : "");
}

/// Says why nothing is told of the cases, though some ran.
std::string nothing_told(const Cases& cases) {
  if (any_reading(cases)) return "";
  const auto& reason = cases.front()->no_prediction;
  return "There is no reading to compare." + (reason ? " " + capitalised(*reason) + "." : "");
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
    std::vector<std::string> parts = outliers(cases_of(results, own));
    parts.push_back(facts.empty() ? found(own, conclusions) : agreement(cases_of(results, own)));
    std::erase(parts, "");
    const auto gpu = gpu_beside_others(results[own.front()]);
    std::vector<std::string>& first = facts.empty() ? parts : facts;
    if (gpu && !first.empty()) first.front().insert(0, fmt::format("GPU {}: ", *gpu));
    if (gpu) parts.push_back(shared_link(cases, host_cache_bytes));
    parts.push_back(not_predicted(cases));
    parts.push_back(not_run(cases));
    std::erase(parts, "");
    if (parts.empty() && facts.empty()) parts.push_back(nothing_told(cases));
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
