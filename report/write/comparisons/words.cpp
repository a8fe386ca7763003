// Sentences above and below a comparison's rows.

#include "engine/base/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <span>
#include <utility>

#include "report/record/cases.hpp"
#include "report/record/grouped.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/comparisons/comparison.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t longest_command = 60;

std::string difference_words(const Difference& difference) {
  const auto known = [](const std::string& value) { return value.empty() ? "not known" : value; };
  std::string text =
      fmt::format("{} {} -> {}", difference.what, known(difference.old_value), known(difference.new_value));
  if (difference.cases > 0) text += fmt::format(" ({})", counted(difference.cases, "case"));
  return text;
}

void add_differences(std::vector<Note>& lines, const Comparison& comparison, std::size_t which) {
  const std::string of = comparison.new_reports() == 1 ? "" : " in " + new_label(comparison, which);
  std::ranges::move(difference_lines(comparison.differences[which], of), std::back_inserter(lines));
}

/// Empty where both were measured.
std::string nature_of(const Comparison& comparison) {
  const auto is_prediction = [](const NamedReport& named) { return named.report.is_prediction(); };
  if (std::ranges::none_of(comparison.reports, is_prediction)) return {};
  if (std::ranges::all_of(comparison.reports, is_prediction)) {
    return "PREDICTED by the model on all sides: medians without intervals. Nothing was measured.";
  }
  return "MEASURED against PREDICTED: a change is an error of the model, a real change, or both.";
}

/// "op read, write", "offset 0..32"
std::string values_words(const Cases& cases, const std::string& name) {
  constexpr std::size_t few = 4;
  std::vector<std::string> texts;
  std::set<std::uint64_t> numbers;
  for (const Record* record : cases) {
    const Parameter* parameter = find_parameter(*record, name);
    if (parameter == nullptr) continue;
    if (const auto* number = std::get_if<std::uint64_t>(&parameter->value)) numbers.insert(*number);
    const std::string text = value_text(*parameter);
    if (std::ranges::find(texts, text) == texts.end()) texts.push_back(text);
  }
  const std::string label = parameter_heading(name).name;
  if (texts.size() <= few) return label + " " + join(texts, ", ");
  if (numbers.size() == texts.size()) {
    return fmt::format("{} {}..{}", label, value_text({name, *numbers.begin()}), value_text({name, *numbers.rbegin()}));
  }
  return fmt::format("{} values of {}", texts.size(), label);
}

const std::string& probe_of(const Record* record) { return record->probe; }

/// All of one probe. Names the parameters that tell them apart, and those that tell them from others of the probe.
std::string group_words(const Cases& cases, const std::set<std::string>& telling) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : cases.front()->parameters) {
    const bool swept = cases.size() == 1 && parameter.name == cases.front()->swept;
    if (cases.front()->is_chosen(parameter.name) || !(swept || telling.contains(parameter.name))) continue;
    parts.push_back(values_words(cases, parameter.name));
  }
  const std::string probe = one_line(cases.front()->probe);
  const std::string size = counted(cases.size(), "case");
  return parts.empty() ? fmt::format("{} ({})", probe, size)
                       : fmt::format("{} ({}: {})", probe, size, join(parts, "; "));
}

/// "11 ms in 10 launches", "1 launch, time not known".
std::string spent_words(const Record& kernel) {
  const double launches = metric_value(kernel, launches_name).value_or(0);
  const auto gpu_s = positive(metric_value(kernel, gpu_time_name));
  const std::string count = fmt::format("{:.0f} {}", launches, launches == 1 ? "launch" : "launches");
  return gpu_s ? duration_words(*gpu_s) + " in " + count : count + ", time not known";
}

/// "transpose (11 ms in 10 launches), ...", the longest time first.
std::string listed_kernels(Cases kernels, const Comparison& comparison, const Cases&) {
  constexpr std::size_t most_listed = 10;
  std::ranges::stable_sort(kernels, std::ranges::greater(), [](const Record* record) {
    return positive(metric_value(*record, gpu_time_name)).value_or(0);
  });
  std::vector<std::string> parts;
  for (const Record* record : kernels) {
    parts.push_back(fmt::format("{} ({})", comparison.kernels.words(*record), spent_words(*record)));
  }
  return join_first(parts, most_listed);
}

std::string listed_by_probe(Cases cases, const Comparison&, const Cases& all) {
  std::vector<std::string> parts;
  const auto telling = varying_by_probe(all);
  for (const auto& [probe, group] : grouped(cases, probe_of)) parts.push_back(group_words(group, telling.at(probe)));
  return join(parts, ", ");
}

/// Names the parameters that keep the cases of one probe apart, because the two sides have no value in common: "offset
/// 0 -> 32". Empty if there is none.
std::string apart_words(const Cases& missing, const Cases& added) {
  const auto asked = [](const Cases& cases, const std::string& name) {
    std::set<std::string> texts;
    for (const Record* record : cases) {
      const Parameter* parameter = find_parameter(*record, name);
      if (parameter != nullptr) texts.insert(value_text({name, asked_value(*record, *parameter)}));
    }
    return std::vector<std::string>(texts.begin(), texts.end());
  };
  constexpr std::size_t few = 4;
  std::vector<std::string> parts;
  for (const Parameter& parameter : missing.front()->parameters) {
    const std::vector<std::string> in_old = asked(missing, parameter.name);
    const std::vector<std::string> in_new = asked(added, parameter.name);
    const bool shared = std::ranges::find_first_of(in_old, in_new) != in_old.end();
    if (shared || in_new.empty() || in_old.size() > few || in_new.size() > few) continue;
    parts.push_back(fmt::format("{} {} -> {}", parameter_noun(parameter.name), join(in_old, ", "), join(in_new, ", ")));
  }
  return join(parts, "; ");
}

void add_what_keeps_apart(std::vector<Note>& lines, const Cases& missing, const Cases& added) {
  for (const auto& [probe, ours] : grouped(missing, probe_of)) {
    for (const auto& [other, theirs] : grouped(added, probe_of)) {
      const std::string apart = other == probe ? apart_words(ours, theirs) : "";
      if (apart.empty()) continue;
      lines.push_back({fmt::format("These cases of {} are not the same: {}.", one_line(probe), apart), Tint::yellow});
    }
  }
}

void add_one_sided(std::vector<Note>& lines, const Comparison& comparison, std::size_t which) {
  Cases all;
  Cases missing;
  Cases added;
  for (const ComparedCase& compared : comparison.cases) {
    all.push_back(compared.record);
    if (!compared.in_either(which) || compared.in_both(which)) continue;
    (compared.readings.front() ? missing : added).push_back(compared.record);
  }
  const std::string label = new_label(comparison, which);
  const std::string not_in = comparison.new_reports() == 1 ? "Only in old" : "In old, not in " + label;
  const std::string only_in = comparison.new_reports() == 1 ? "Only in " + label : "In " + label + ", not in old";
  const bool of_program = comparison.reports.front().report.program.has_value();
  const auto list = of_program ? listed_kernels : listed_by_probe;
  if (!missing.empty()) lines.push_back({fmt::format("{}: {}.", not_in, list(missing, comparison, all)), Tint::yellow});
  if (!added.empty()) lines.push_back({fmt::format("{}: {}.", only_in, list(added, comparison, all)), Tint::none});
  if (!of_program) add_what_keeps_apart(lines, missing, added);
}

/// "GPU time of the program: 31.0 ms in 60 launches -> 22.4 ms in 60 launches (speed +38.4 %).": as all changes are, of
/// speed. Empty where it is not known. Sums over different parts of two runs are not held against each other.
std::string total_words(const Comparison& comparison, std::size_t which) {
  const auto& old_program = comparison.reports.front().report.program;
  const auto& new_program = comparison.reports[which + 1].report.program;
  if (!old_program || !new_program) return {};
  const auto old_s = positive(old_program->gpu_seconds);
  const auto new_s = positive(new_program->gpu_seconds);
  if (!old_s || !new_s) return {};
  const auto words = [](double seconds, std::uint64_t launches) {
    return fmt::format("{} in {} {}", duration_words(seconds), launches, launches == 1 ? "launch" : "launches");
  };
  const std::string prefix = comparison.new_reports() == 1 ? "" : new_label(comparison, which) + ": ";
  if (old_program->watched_s || new_program->watched_s) {
    return prefix +
           "GPU times of the program are not compared: not all launches were counted (GPUMEM_RUN_STAY=1 in the "
           "environment of gpumem run counts all).";
  }
  return fmt::format("{}GPU time of the program: {} -> {} (speed {}).", prefix,
                     words(*old_s, old_program->launches_seen), words(*new_s, new_program->launches_seen),
                     change_words(*old_s / *new_s));
}

std::string summary(const Comparison& comparison, std::size_t which) {
  const CaseTally counts = tally(comparison, which);
  std::vector<std::string> parts;
  if (counts.compared() == 0) {
    parts.emplace_back("Nothing could be compared");
  } else {
    // "1 slower (worst: offset 3, write: -4.2 %)"
    const auto add = [&](CaseVerdict verdict, const char* superlative, const ComparedCase* compared) {
      parts.push_back(fmt::format("{} {}", counts[verdict], to_string(verdict)));
      if (compared == nullptr) return;
      parts.back() += fmt::format(" ({}: {}: {})", superlative, compared->label,
                                  change_words(compared->changes[which].speed->value));
    };
    add(CaseVerdict::same, "", nullptr);
    add(CaseVerdict::slower, "worst", counts.slowest);
    add(CaseVerdict::faster, "most", counts.fastest);
    std::string ambiguous = fmt::format("{} ambiguous", counts[CaseVerdict::ambiguous]);
    if (counts.too_few_samples > 0) ambiguous += fmt::format(" ({} with too few samples)", counts.too_few_samples);
    parts.push_back(std::move(ambiguous));
  }
  constexpr std::array<std::pair<CaseVerdict, const char*>, 8> others = {
      {{CaseVerdict::failed, "failed"},
       {CaseVerdict::wrong_data, "moved wrong data"},
       {CaseVerdict::skipped, "skipped"},
       {CaseVerdict::recovered, "run again"},
       {CaseVerdict::not_run, "ran in neither"},
       {CaseVerdict::unread, "without a common reading"},
       {CaseVerdict::missing, "only in old"},
       {CaseVerdict::added, "only in new"}}};
  for (const auto& [outcome, words] : others) {
    if (counts[outcome] > 0) parts.push_back(fmt::format("{} {}", counts[outcome], words));
  }
  const std::string prefix = comparison.new_reports() == 1 ? "" : new_label(comparison, which) + ": ";
  return prefix + join(parts, ", ") + ".";
}

/// "Geometric mean of the changes: +1.3 % over 57 cases (bandwidth: +1.4 % over 40, latency: +1.1 % over 17)." Empty
/// where nothing was compared.
std::string mean_words(const Comparison& comparison, std::size_t which) {
  const std::vector<MeanSpeed> means = mean_speeds(comparison, which);
  if (means.empty()) return {};
  std::vector<std::string> parts;
  for (const MeanSpeed& mean : std::span(means).subspan(1)) {
    parts.push_back(
        fmt::format("{}: {} over {}", quantity_title(mean.quantity->name), change_words(mean.ratio), mean.cases));
  }
  const std::string of = comparison.new_reports() == 1 ? "" : " in " + new_label(comparison, which);
  return fmt::format("Geometric mean of the changes{}: {} over {}{}.", of, change_words(means.front().ratio),
                     counted(means.front().cases, case_noun(comparison.reports.front().report)),
                     parts.empty() ? "" : " (" + join(parts, ", ") + ")");
}

}  // namespace

std::string report_line(const std::string& label, const NamedReport& named) {
  const Report& report = named.report;
  std::string line = label + ": " + (named.name == "-" ? "standard input" : one_line(named.name));
  if (report.program) line += ": " + truncated(one_line(join(report.program->command, " ")), longest_command);
  if (report.device) line += ": " + one_line(report.device->name);
  if (report.is_prediction()) return line + ", predicted, " + one_line(report.started_at);
  if (!report.host.name.empty()) line += " in " + one_line(report.host.name);
  return line + ", " + one_line(report.started_at);
}

std::vector<Note> difference_lines(std::span<const Difference> differences, const std::string& of) {
  std::vector<Note> lines;
  const char* different = "Different";
  for (const bool minor : {false, true}) {
    std::vector<std::string> parts;
    for (const Difference& difference : differences) {
      if (difference.minor == minor) parts.push_back(difference_words(difference));
    }
    if (parts.empty()) continue;
    const Tint tint = minor ? Tint::dim : Tint::yellow;
    lines.push_back({fmt::format("{}{}: {}.", different, of, join(parts, "; ")), tint});
    different = "Also different";
  }
  return lines;
}

std::vector<Note> comparison_preamble(const Comparison& comparison) {
  std::vector<Note> lines;
  if (std::string nature = nature_of(comparison); !nature.empty()) lines.push_back({std::move(nature), Tint::bold});
  lines.push_back({report_line("old", comparison.reports.front()), Tint::bold});
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    lines.push_back({report_line(new_label(comparison, n), comparison.reports[n + 1]), Tint::bold});
  }
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) add_differences(lines, comparison, n);
  lines.push_back({fmt::format("Change: of speed, with its 95 % confidence interval. Same: all of it within ±{} %; "
                               "faster, slower: all of it beyond.",
                               trimmed(comparison.tolerance * 100, 3)),
                   Tint::dim});
  return lines;
}

std::vector<Note> comparison_closing(const Comparison& comparison) {
  std::vector<Note> lines;
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) add_one_sided(lines, comparison, n);
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    if (std::string total = total_words(comparison, n); !total.empty()) lines.push_back({std::move(total), Tint::bold});
    lines.push_back({summary(comparison, n), Tint::bold});
    if (std::string mean = mean_words(comparison, n); !mean.empty()) lines.push_back({std::move(mean), Tint::bold});
  }
  return lines;
}

}  // namespace gpumem::report
