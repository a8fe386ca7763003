#include "report/write/reports/program_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <set>

#include "engine/base/words.hpp"
#include "report/advise/advice.hpp"
#include "report/advise/caller_words.hpp"
#include "report/advise/describe_sites.hpp"
#include "report/advise/kernel_verdict.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

namespace {

constexpr double worth_a_row = 0.02;  // of the program's time, for a kernel of which no saving is known

std::string plural(std::uint64_t count, std::string_view singular, std::string_view many) {
  return fmt::format("{} {}", count, count == 1 ? singular : many);
}

std::string share_words(double share) { return share < 0.01 ? "less than 1 %" : fixed(share * 100, 0) + " %"; }

void sort_by(Cases& cases, const char* metric) {
  std::ranges::stable_sort(cases, std::ranges::greater(),
                           [&](const Record* record) { return finite_value(*record, metric).value_or(0); });
}

/// The time that shares refer to: all of it, or as much of it as is known.
std::string whole_words(const Report& report) {
  const auto& skipped = report.program->skipped;
  const bool all =
      std::ranges::find(skipped, graphs_reason, &std::pair<std::string, std::uint64_t>::first) == skipped.end() &&
      std::ranges::all_of(report.results,
                          [](const Record& record) { return finite_value(record, gpu_time_name).has_value(); });
  return all ? "the GPU time" : "the GPU time that is known";
}

/// ": 12 % of the GPU time", where that is known.
std::string share_of(const Cases& cases, const Report& report) {
  const double share = sum_of(cases, gpu_share_name);
  return share > 0 ? fmt::format(": {} of {}", share_words(share), whole_words(report)) : "";
}

/// "3 more kernels have not been counted: 2 % of the GPU time."
std::string rest_words(const Cases& cases, bool more, const std::string& what, const Report& report) {
  return fmt::format("{} {} {}{}.", kernel_words(cases, more ? "more " : ""), cases.size() == 1 ? "has" : "have", what,
                     share_of(cases, report));
}

/// "Of 2 kernels a launch was seen in part: ..." Empty where none has the flag.
std::string flagged_words(const Report& report, std::string_view flag, const std::string& words) {
  Cases flagged;
  for (const Record& record : report.results) {
    if (record.has_flag(flag)) flagged.push_back(&record);
  }
  return flagged.empty() ? "" : fmt::format("Of {} {}.", kernel_words(flagged), words);
}

/// The number of launches that rows with this reason stand for.
double launches_told(const Cases& rows, const std::string& reason) {
  Cases with_reason;
  for (const Record* record : rows) {
    if (record->status != Status::ok && record->reason == reason) with_reason.push_back(record);
  }
  return sum_of(with_reason, launches_name);
}

/// The number of the kernels that one change puts together; 0: this one is by itself.
std::uint64_t group_of(const Record& kernel) { return kernel.repeated_traffic ? kernel.repeated_traffic->group : 0; }

}  // namespace

double sum_of(const Cases& cases, const char* metric) {
  double sum = 0;
  for (const Record* record : cases) sum += finite_value(*record, metric).value_or(0);
  return sum;
}

ProgramKernels::ProgramKernels(const Report& report, std::size_t most_rows)
    : report_(report), advice_(advice_of(report)), by_result_(report.results.size()) {
  std::set<std::string> advised;
  for (const AdviceRecord& advice : advice_) {
    if (advice.result >= by_result_.size() || by_result_[advice.result] != nullptr) continue;
    by_result_[advice.result] = &advice;
    (rows.size() < most_rows ? rows : beyond).push_back(&report.results[advice.result]);
    advised.insert(advice.kernel);
  }
  std::set<std::uint64_t> groups;
  for (const AdviceRecord& advice : advice_) {
    if (advice.result < report.results.size()) groups.insert(group_of(report.results[advice.result]));
  }
  Cases unknown;
  for (const Record& record : report.results) {
    if (advice_on(record) != nullptr) continue;
    if (group_of(record) > 0 && groups.contains(group_of(record))) {
      fused.push_back(&record);
      continue;
    }
    if (is_seen_by_another_grid(record) && advised.contains(text_of(record, kernel_parameter))) {
      alike.push_back(&record);
      continue;
    }
    const bool is_known = record.status == Status::ok && finite_value(record, could_save_name).has_value();
    const bool is_fine = is_known && kernel_explanation(record).brief == fine_brief;
    const bool is_settled = is_known && kernel_verdict(record).is_settled;
    (is_fine ? fine : is_settled ? settled : unknown).push_back(&record);
  }
  sort_by(unknown, gpu_time_name);
  for (const Record* record : unknown) {
    const bool has_row = rows.size() < most_rows && finite_value(*record, gpu_share_name).value_or(0) >= worth_a_row;
    Cases& without_row = record->status == Status::ok ? others : unseen;
    (has_row ? rows : without_row).push_back(record);
  }
}

const AdviceRecord* ProgramKernels::advice_on(const Record& kernel) const {
  return by_result_[static_cast<std::size_t>(&kernel - report_.results.data())];
}

std::string ProgramKernels::why(const Record& kernel) const {
  const std::string caller = caller_words(kernel);
  return caller.empty() ? reason(kernel) : reason(kernel) + "; " + caller;
}

std::string ProgramKernels::reason(const Record& kernel) const {
  if (const AdviceRecord* advice = advice_on(kernel)) return one_line(advice->text);
  if (kernel.status != Status::ok) {
    const std::string what = kernel.status == Status::failed ? "failed" : "not " + looked_words(*report_.program);
    return what + ": " + one_line(kernel.reason.value_or("no reason given"));
  }
  std::string text = kernel.why_brief.empty() ? first_sentence(kernel.why) : kernel.why_brief;
  if (text.empty() && kernel.no_prediction) text = "no saving is known: " + *kernel.no_prediction;
  if (text.empty() && kernel.bottleneck) text = "limited by " + stage_words(kernel.bottleneck->predicted);
  return text.empty() ? "its limit is not known" : one_line(text);
}

std::vector<std::string> ProgramKernels::nothing_to_do() const {
  std::vector<std::string> said;
  if (!fine.empty()) {
    said.push_back(kernel_words(fine) + (fine.size() == 1 ? " is fine" : " are fine") + share_of(fine, report_) + ".");
  }
  if (!fused.empty()) {
    said.push_back(kernel_words(fused) + (fused.size() == 1 ? " goes" : " go") + " into a kernel with advice" +
                   share_of(fused, report_) + ".");
  }
  if (!alike.empty()) {
    said.push_back(kernel_words(alike) + (alike.size() == 1 ? " gains" : " gain") +
                   " by the same change as another grid of the kernel" + share_of(alike, report_) + ".");
  }
  if (!settled.empty()) {
    said.push_back(kernel_words(settled) + " of libraries " + (settled.size() == 1 ? "leaves" : "leave") +
                   " nothing for their caller to change" + share_of(settled, report_) + ".");
  }
  return said;
}

std::vector<std::string> ProgramKernels::not_seen() const {
  const std::string looked = looked_words(*report_.program);
  const bool more = !rows.empty();
  std::vector<std::string> said;
  if (!others.empty()) said.push_back(rest_words(others, more, "no known saving", report_));
  if (!unseen.empty()) said.push_back(rest_words(unseen, more, "not been " + looked, report_));
  for (const auto& [reason, launches] : report_.program->skipped) {
    if (launches_told(rows, reason) >= static_cast<double>(launches)) continue;
    const std::string what = reason == graphs_reason ? "" : fmt::format("not {}: ", looked);
    said.push_back(fmt::format("{} {}{}.", launches_words(launches), what, one_line(reason)));
  }
  const std::pair<const char*, const char*> inferred[] = {
      {"partly_seen", "a launch was seen in part, and the rest is taken to be like it"},
      {"seen_by_another_grid", "launches with another grid were seen in their place"},
      {"time_of_repeat", "no launch was timed: the time is that of a repeat, which finds data in the caches"},
      {"time_of_another_grid", "no launch was timed: the time is that of another grid, by the number of warps"},
      {"time_predicted", "no launch was timed: the time is predicted"},
      {"launches_differ", "launches take or access different amounts"}};
  for (const auto& [flag, words] : inferred) {
    if (std::string text = flagged_words(report_, flag, words); !text.empty()) said.push_back(std::move(text));
  }
  for (const std::string& note : report_.program->notes) said.push_back("Note: " + one_line(note));
  return said;
}

std::string launches_words(std::uint64_t count) { return plural(count, "launch", "launches"); }

std::string kernel_words(const Cases& cases, std::string_view more) {
  std::set<std::string> names;
  for (const Record* record : cases) names.insert(text_of(*record, kernel_parameter));
  const std::string text = plural(names.size(), fmt::format("{}kernel", more), fmt::format("{}kernels", more));
  return names.size() == cases.size() ? text : text + fmt::format(" in {} launch configurations", cases.size());
}

std::string looked_words(const ProgramRecord& program) {
  const bool counted = std::ranges::find(program.engines, counters_engine) != program.engines.end();
  if (!counted) return "seen access by access";
  return program.engines.size() > 1 ? "seen access by access or counted" : "counted";
}

std::string command_words(const ProgramRecord& program, std::size_t width) {
  return truncated(one_line(command_line(program.command)), width);
}

std::string program_legend(const Report& report, const Cases& rows) {
  std::vector<std::string> parts;
  const double peak = report.device ? report.device->theoretical_bandwidth_bytes_per_s() * per_giga : 0;
  if (peak > 0 &&
      std::ranges::any_of(rows, [](const Record* record) { return record->fraction_of_peak.has_value(); })) {
    parts.push_back(fmt::format("Share of peak: useful bytes per second, of the {} of {}.", rate_words(peak),
                                one_line(report.device->name)));
  }
  if (std::ranges::any_of(rows,
                          [](const Record* record) { return finite_value(*record, could_save_name).has_value(); })) {
    parts.push_back("Could save: by the model, " + prediction_source(report) +
                    ", if wasteful accesses were perfect and enough loads in flight.");
  }
  return join(parts, " ");
}

}  // namespace gpumem::report
