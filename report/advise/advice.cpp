#include "report/advise/advice.hpp"

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>

#include "engine/base/words.hpp"
#include "report/advise/describe_sites.hpp"
#include "report/advise/measure_again.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

bool is_worth_it(const Record& record, double saved_s, double program_s) {
  const auto gpu_s = finite_value(record, gpu_time_name);
  return saved_s > 0 &&
         (gpu_s ? saved_s >= worth_saving_of_kernel * *gpu_s : saved_s >= worth_saving_of_program * program_s);
}

/// Returns the share of the kernel's time that its stages explain. Older reports lack the member, so it is computed.
std::optional<double> explained_share_of(const Record& kernel) {
  if (kernel.explained_share) return kernel.explained_share;
  if (!kernel.predicted_s || !kernel.time || !(kernel.time->summary.median.count() > 0)) return std::nullopt;
  return std::min(1.0, *kernel.predicted_s / kernel.time->summary.median.count());
}

/// "app.cu:14"; empty for the name of a function and an offset.
std::string line_in(std::string_view place) {
  const std::size_t colon = place.rfind(':');
  if (colon == std::string_view::npos || colon == 0 || colon + 1 == place.size()) return "";
  return std::ranges::all_of(place.substr(colon + 1), is_digit) ? std::string(place) : "";
}

bool is_python(std::string_view line) { return line.substr(0, line.rfind(':')).ends_with(".py"); }

/// "model.py:42" of "model.py:42 in forward", else the innermost line of the user's own Python.
std::string python_line_of(const Record& kernel) {
  if (kernel.caller) {
    const std::string line = line_in(kernel.caller->substr(0, kernel.caller->find(" in ")));
    if (is_python(line)) return line;
  }
  if (!kernel.called_from) return "";
  const auto own = std::ranges::find_if(*kernel.called_from, [](const FrameRecord& frame) {
    return frame.language == "python" && !frame.library && frame.line.has_value();
  });
  if (own == kernel.called_from->end()) return "";
  return own->file.substr(own->file.find_last_of('/') + 1) + ":" + std::to_string(*own->line);
}

AdviceRecord advice_on(const Record& kernel, std::string text) {
  const KernelRemedy remedy = kernel_remedy(kernel);
  AdviceRecord advice{.cause = std::string(remedy.cause), .cure = std::string(remedy.cure), .text = std::move(text)};
  if (const Parameter* name = find_parameter(kernel, kernel_parameter)) advice.kernel = gpumem::to_string(name->value);
  if (remedy.site != nullptr) {
    advice.site = AdvisedSite{remedy.site->site, remedy.site->space, remedy.site->op};
    advice.source_line = line_in(remedy.site->site);
    advice.array = remedy.site->array;
  }
  if (kernel.repeated_traffic && kernel.repeated_traffic->cause == remedy.cause) {
    advice.array = kernel.repeated_traffic->array;
  }
  advice.python_line = python_line_of(kernel);
  advice.operator_name = kernel.operator_name;
  advice.saves_s = finite_value(kernel, could_save_name).value_or(0);
  advice.saves_low_s = finite_value(kernel, could_save_low_name);
  advice.saves_high_s = finite_value(kernel, could_save_high_name);
  advice.saves_share = case_quantity(kernel, could_save_share_name);
  advice.confidence = saving_confidence(kernel);
  return advice;
}

/// Adds the savings of another kernel that the same change improves. The entry is about the kernel that saves most.
void add_savings(AdviceRecord& advice, const AdviceRecord& other) {
  const auto add = [](std::optional<double>& sum, const std::optional<double>& value) {
    sum = sum && value ? std::optional(*sum + *value) : std::nullopt;
  };
  advice.saves_s += other.saves_s;
  add(advice.saves_low_s, other.saves_low_s);
  add(advice.saves_high_s, other.saves_high_s);
  add(advice.saves_share, other.saves_share);
}

/// Leaves one entry for each group of kernels that one change puts together, with the savings of all of them.
void put_groups_together(std::vector<AdviceRecord>& all, const std::vector<Record>& results) {
  std::ranges::stable_sort(all, std::ranges::greater(), &AdviceRecord::saves_s);
  std::map<std::uint64_t, std::size_t> entries;  // by group
  std::vector<AdviceRecord> kept;
  for (AdviceRecord& advice : all) {
    const auto& repeated = results[advice.result].repeated_traffic;
    if (repeated && repeated->group > 0 && repeated->cause == several_passes_cause) {
      const auto [entry, is_new] = entries.try_emplace(repeated->group, kept.size());
      if (!is_new) {
        add_savings(kept[entry->second], advice);
        continue;
      }
    }
    kept.push_back(std::move(advice));
  }
  all = std::move(kept);
}

/// Adds the savings of grids that were not looked at to the entry of the one of their kernel that was: the same change
/// improves all. Nothing is left of those without such an entry, because nothing tells what to change.
void put_grids_together(std::vector<AdviceRecord>& all, const std::vector<Record>& results) {
  std::vector<AdviceRecord> kept;
  std::ranges::copy_if(all, std::back_inserter(kept),
                       [&](const AdviceRecord& advice) { return !is_seen_by_another_grid(results[advice.result]); });
  for (const AdviceRecord& advice : all) {
    if (!is_seen_by_another_grid(results[advice.result])) continue;
    const auto entry = std::ranges::find(kept, advice.kernel, &AdviceRecord::kernel);
    if (entry != kept.end()) add_savings(*entry, advice);
  }
  all = std::move(kept);
}

}  // namespace

std::string saving_confidence(const Record& kernel) {
  const auto saved_s = finite_value(kernel, could_save_name);
  const auto low_s = finite_value(kernel, could_save_low_name);
  const auto high_s = finite_value(kernel, could_save_high_name);
  const auto explained = explained_share_of(kernel);
  if (!saved_s || !low_s || !high_s || !explained) return "low";
  const double width_s = *high_s - *low_s;
  const auto is_within = [&](double width, double share) { return width_s <= width * *saved_s && *explained >= share; };
  if (is_within(high_confidence_width, high_confidence_explained)) return "high";
  return is_within(medium_confidence_width, medium_confidence_explained) ? "medium" : "low";
}

std::vector<AdviceRecord> program_advice(const Report& report) {
  std::vector<AdviceRecord> all;
  if (!report.program) return all;
  const double program_s = report.program->gpu_seconds.value_or(0);
  const KernelExpressions expressions(report.results);
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    const auto saved_s = finite_value(record, could_save_name);
    if (!is_kernel(record) || record.status != Status::ok || !saved_s) continue;
    if (!is_worth_it(record, *saved_s, program_s)) continue;
    std::string text = one_line(kernel_explanation(record).brief);
    if (!is_seen_by_another_grid(record) && (text.empty() || text == fine_brief)) continue;
    AdviceRecord& advice = all.emplace_back(advice_on(record, std::move(text)));
    advice.result = i;
    advice.command = measure_again_command(expressions.of(advice.kernel), report.program->command);
  }
  put_grids_together(all, report.results);
  put_groups_together(all, report.results);
  std::ranges::stable_sort(all, std::ranges::greater(), &AdviceRecord::saves_s);
  return all;
}

std::vector<AdviceRecord> advice_of(const Report& report) {
  return report.advice ? *report.advice : program_advice(report);
}

}  // namespace gpumem::report
