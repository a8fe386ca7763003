// A comparison as tables and as Markdown.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <set>

#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/grouped.hpp"
#include "report/record/kernels.hpp"
#include "report/record/matrix.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/cells.hpp"
#include "report/write/comparisons/comparison.hpp"

namespace gpumem::report {

namespace {

/// The cases that a page shows.
using ShownCases = std::vector<const ComparedCase*>;

bool is_shown(const ComparedCase& compared, bool changed_only) {
  return std::ranges::any_of(compared.changes, [&](const CaseChange& change) {
    using enum CaseVerdict;
    return change.outcome != missing && change.outcome != added && change.outcome != not_run &&
           !(changed_only && change.outcome == same);
  });
}

Tint tint_of(CaseVerdict outcome) {
  using enum CaseVerdict;
  if (outcome == slower || outcome == failed || outcome == wrong_data) return Tint::red;
  if (outcome == faster || outcome == recovered) return Tint::cyan;
  if (outcome == ambiguous || outcome == skipped || outcome == unread) return Tint::yellow;
  return Tint::dim;
}

/// A change of speed in percent: "-20.0".
std::string change_cell(const Comparison& comparison, double ratio) {
  return percent_off(ratio, comparison.tolerance < 0.005 ? 2 : 1);
}

/// The value that was asked for; "-" if the record has no such parameter.
std::string asked_text(const Record& record, const std::string& name) {
  const Parameter* parameter = find_parameter(record, name);
  return parameter == nullptr ? "-" : value_text({name, asked_value(record, *parameter)});
}

std::string outcome_words(CaseVerdict outcome) {
  std::string text(to_string(outcome));
  std::ranges::replace(text, '_', ' ');
  return text;
}

/// Flags that only one of the two has, and shapes that differ: they may explain a change. A wide interval needs no
/// flag, since it is shown.
std::vector<std::string> notes_of(const ComparedCase& compared, std::size_t n, const std::string& label) {
  std::vector<std::string> notes;
  const CaseChange& change = compared.changes[n];
  if (!compared.in_both(n) || change.outcome == CaseVerdict::same) return notes;
  const Record& old_record = *compared.readings.front()->record;
  const Record& new_record = *compared.readings[n + 1]->record;
  const auto add_own = [&](const Record& of, const Record& other, const std::string& name) {
    for (const std::string& flag : of.flags) {
      const bool shared = std::ranges::find(other.flags, flag) != other.flags.end();
      if (!shared && flag != "wide_interval") notes.push_back(name + ": " + one_line(flag));
    }
  };
  add_own(old_record, new_record, "old");
  add_own(new_record, old_record, label);
  if (change.by_place) return notes;
  for (const auto& [name, old_value, new_value] : change.shape) {
    const std::string from = old_value ? value_text({name, *old_value}) : "none";
    const std::string to = new_value ? value_text({name, *new_value}) : "none";
    notes.push_back(fmt::format("{} {} -> {}", parameter_heading(name).name, from, to));
  }
  return notes;
}

/// The cases of one probe and quantity. Values of all columns have the same unit and decimals.
class BlockBuilder {
 public:
  BlockBuilder(const Comparison& comparison, const ShownCases& cases, const std::string& quantity)
      : comparison_(comparison),
        cases_(cases),
        of_kernels_(is_kernel(*cases.front()->record)),
        unit_{.name = unit_of(quantity)} {
    block_.title = one_line(cases.front()->record->probe);
    block_.rows.resize(cases.size());
    std::vector<double> values;
    for (const ComparedCase* compared : cases) {
      for (const auto& reading : compared->readings) {
        if (reading && reading->estimate) values.push_back(reading->estimate->value);
      }
    }
    if (unit_.name == "s") unit_ = time_unit(values.empty() ? 1 : std::ranges::min(values));
    for (double& value : values) value *= unit_.per_second;
    decimals_ = decimals_for(values, 3, 2);
  }

  [[nodiscard]] Block build() && {
    if (of_kernels_) {
      add_column({.heading = {"kernel", ""}, .names = true},
                 [](const ComparedCase& compared) { return compared.label; });
      block_.parameter_columns = 1;
    } else {
      add_parameters();
    }
    add_column({.heading = {"old", unit_.name}},
               [&](const ComparedCase& compared) { return text_of(compared.readings.front()); });
    for (std::size_t n = 0; n < comparison_.new_reports(); ++n) add_new(n);
    add_notes();
    for (std::size_t n = 0; n < comparison_.new_reports(); ++n) add_reasons(n);
    for (std::size_t n = 0; of_kernels_ && n < comparison_.new_reports(); ++n) add_places(n);
    return std::move(block_);
  }

 private:
  template <class Text>
  void add_column(Column column, const Text& text) {
    block_.columns.push_back(std::move(column));
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      block_.rows[i].cells.push_back(text(*cases_[i]));
      block_.rows[i].tints.push_back(Tint::none);
    }
  }

  [[nodiscard]] std::string text_of(const std::optional<CaseReading>& reading) const {
    if (!reading || !reading->estimate) return "";
    return fixed(reading->estimate->value * unit_.per_second, decimals_);
  }

  void add_parameters() {
    const Record& first = *cases_.front()->record;
    for (const Parameter& parameter : first.parameters) {
      const std::string& name = parameter.name;
      std::set<std::string> texts;
      for (const ComparedCase* compared : cases_) texts.insert(asked_text(*compared->record, name));
      if (texts.size() == 1 && !(name == first.swept && cases_.size() == 1)) {
        const bool said = *texts.begin() != "auto" && is_said(first.probe, parameter);
        if (said) block_.constants.push_back(parameter_phrase(parameter));
        continue;
      }
      const bool names = std::holds_alternative<std::string>(parameter.value) && !first.is_chosen(name);
      add_column({.heading = parameter_heading(name), .names = names},
                 [&](const ComparedCase& compared) { return asked_text(*compared.record, name); });
      ++block_.parameter_columns;
    }
  }

  void add_new(std::size_t n) {
    const std::string label = new_label(comparison_, n);
    const bool several = comparison_.new_reports() > 1;
    const auto change = [n](const ComparedCase& compared) -> const CaseChange& { return compared.changes[n]; };
    add_column({.heading = {label, unit_.name}, .rank = several ? 30U : 0},
               [&](const ComparedCase& compared) { return text_of(compared.readings[n + 1]); });
    add_column({.heading = {"change", "%"}}, [&](const ComparedCase& compared) {
      return change(compared).speed ? change_cell(comparison_, change(compared).speed->value) : std::string();
    });
    add_column({.heading = {"interval", "%"}, .rank = several ? 50U : 20}, [&](const ComparedCase& compared) {
      const auto& speed = change(compared).speed;
      if (!speed || !speed->low || *speed->low == *speed->high) return std::string();
      return change_cell(comparison_, *speed->low) + ".." + change_cell(comparison_, *speed->high);
    });
    add_column({.heading = {several ? label : "", ""}, .names = true},
               [&](const ComparedCase& compared) { return outcome_words(change(compared).outcome); });
    for (std::size_t i = 0; i < cases_.size(); ++i) block_.rows[i].tints.back() = tint_of(change(*cases_[i]).outcome);
    if (!of_kernels_) return;
    double longest_s = 0;
    for (const ComparedCase* compared : cases_)
      longest_s = std::max(longest_s, metric_of(compared->readings.front(), gpu_time_name).value_or(0));
    const TimeUnit unit = time_unit(longest_s);
    add_column({.heading = {"launches", ""}, .rank = 40}, [&](const ComparedCase& compared) {
      return changed(compared, n, launches_name, [](double value) { return fixed(value, 0); });
    });
    add_column({.heading = {"in all", unit.name}, .rank = 10}, [&](const ComparedCase& compared) {
      return changed(compared, n, gpu_time_name, [&](double value) {
        return fixed(value * unit.per_second, decimals_for(std::array{longest_s * unit.per_second}, 3, 2));
      });
    });
  }

  static std::optional<double> metric_of(const std::optional<CaseReading>& reading, const char* name) {
    const auto value = reading ? metric_value(*reading->record, name) : std::nullopt;
    return value && std::isfinite(*value) ? value : std::nullopt;
  }

  /// "10 -> 12", or one value if both are the same.
  template <class Text>
  static std::string changed(const ComparedCase& compared, std::size_t n, const char* name, const Text& text) {
    const auto old_value = metric_of(compared.readings.front(), name);
    const auto new_value = metric_of(compared.readings[n + 1], name);
    const std::string from = old_value ? text(*old_value) : "-";
    const std::string to = new_value ? text(*new_value) : "-";
    return from == to ? from : from + " -> " + to;
  }

  void add_notes() {
    std::vector<std::vector<std::string>> notes;
    for (const ComparedCase* compared : cases_) {
      std::vector<std::string>& own = notes.emplace_back();
      for (std::size_t n = 0; n < comparison_.new_reports(); ++n) {
        std::ranges::move(notes_of(*compared, n, new_label(comparison_, n)), std::back_inserter(own));
      }
    }
    set_flags(block_, std::move(notes));
  }

  /// Why cases did not run, once for all of the same reason.
  void add_reasons(std::size_t n) {
    for (const auto& [reason, cases] : grouped(cases_, [&](const auto* compared) { return reason_of(*compared, n); })) {
      if (reason.empty()) continue;
      const std::string more = cases.size() == 1 ? "" : fmt::format(" and {} more", cases.size() - 1);
      block_.findings.push_back(fmt::format("{}{}: {}", cases.front()->label, more, reason));
    }
  }

  void add_places(std::size_t n) {
    for (const ComparedCase* compared : cases_) {
      if (!compared->changes[n].by_place) continue;
      block_.findings.push_back(fmt::format("matched by place: {} -> {}", compared->label,
                                            comparison_.kernels.words(*compared->readings[n + 1]->record)));
    }
  }

  [[nodiscard]] std::string reason_of(const ComparedCase& compared, std::size_t n) const {
    using enum CaseVerdict;
    const CaseVerdict outcome = compared.changes[n].outcome;
    const auto why = [](const CaseReading& reading) {
      return reading.record->reason ? ": " + one_line(*reading.record->reason) : "";
    };
    if (outcome == recovered) return "did not run in old" + why(*compared.readings.front());
    if (outcome == unread) return "has no reading in both reports";
    if (outcome != wrong_data && outcome != failed && outcome != skipped) return {};
    return fmt::format("{} in {}{}", outcome == wrong_data ? "moved wrong data" : to_string(outcome),
                       new_label(comparison_, n), why(*compared.readings[n + 1]));
  }

  const Comparison& comparison_;
  const ShownCases& cases_;
  bool of_kernels_;
  TimeUnit unit_;
  int decimals_ = 0;
  Block block_;
};

/// The seconds by which the program's time on the GPU changed because of a kernel, the most of all NEWs; 0 for cases of
/// probes.
double changed_gpu_s(const ComparedCase* compared) {
  double most = 0;
  for (std::size_t n = 0; n < compared->changes.size(); ++n) {
    if (!compared->in_both(n)) continue;
    const auto old_s = metric_value(*compared->readings.front()->record, gpu_time_name);
    const auto new_s = metric_value(*compared->readings[n + 1]->record, gpu_time_name);
    if (old_s && new_s) most = std::max(most, std::abs(*new_s - *old_s));
  }
  return most;
}

/// The changes as a matrix for each alternative; without any matrix if there are several NEWs, or the cases do not form
/// one.
Block change_matrices(const Comparison& comparison, const ShownCases& cases) {
  if (comparison.new_reports() != 1) return {};
  std::vector<CaseCell> cells;
  for (const ComparedCase* compared : cases) {
    const CaseChange& change = compared->changes.front();
    const Tint tint = change.outcome == CaseVerdict::same ? Tint::none : tint_of(change.outcome);
    const char* doubt = change.outcome == CaseVerdict::ambiguous ? "?" : "";
    const std::string mark = change.speed ? change_cell(comparison, change.speed->value) + doubt : "!";
    cells.push_back({compared->record, {{}, mark, tint}});
  }
  return matrix_block(cells, "change in %",
                      {{"?: ambiguous", Tint::yellow}, {"!: did not run, or not well", Tint::red}});
}

/// Adds the matrices, and one block of rows for all other cases. Cases of a matrix that changed have a row too, which
/// says more about them.
void add_blocks(Page& page, const Comparison& comparison, const ShownCases& cases, const std::string& quantity) {
  const auto matrix_of = [](const ComparedCase* compared) {
    return compared->record->across.empty() ? std::string() : table_key(*compared->record);
  };
  ShownCases in_rows;
  for (const auto& [key, table] : grouped(cases, matrix_of)) {
    Block block = change_matrices(comparison, table);
    const bool all = block.matrices.empty();
    std::ranges::copy_if(table, std::back_inserter(in_rows),
                         [&](const ComparedCase* compared) { return all || is_shown(*compared, true); });
    if (!all) page.blocks.push_back(std::move(block));
  }
  if (!in_rows.empty()) page.blocks.push_back(BlockBuilder(comparison, in_rows, quantity).build());
}

Page page_of(const Comparison& comparison, bool changed_only) {
  Page page{.before = comparison_preamble(comparison), .blocks = {}, .after = comparison_closing(comparison)};
  ShownCases shown;
  for (const ComparedCase& compared : comparison.cases) {
    if (is_shown(compared, changed_only)) shown.push_back(&compared);
  }
  std::ranges::stable_sort(shown, std::ranges::greater(), changed_gpu_s);
  const auto kind = [](const ComparedCase* compared) { return std::pair(compared->record->probe, compared->quantity); };
  for (const auto& [key, cases] : grouped(shown, kind)) {
    const std::string quantity = key.second ? key.second->name : std::string(bandwidth_name);
    if (changed_only) {
      page.blocks.push_back(BlockBuilder(comparison, cases, quantity).build());
    } else {
      add_blocks(page, comparison, cases, quantity);
    }
  }
  return page;
}

/// Moves the counts before the preamble, so that readers of Markdown see them first.
Page counts_first(Page page) {
  page.after.insert(page.after.begin(), {"Comparison"});
  std::ranges::move(page.before, std::back_inserter(page.after));
  return {.before = std::move(page.after), .blocks = std::move(page.blocks), .after = {}};
}

}  // namespace

void write_comparison(std::ostream& out, const Comparison& comparison, Format format, const TableStyle& style,
                      bool changed_only) {
  if (format == Format::json) return write_comparison_json(out, comparison);
  if (format == Format::csv) return write_comparison_csv(out, comparison);
  const Page page = page_of(comparison, changed_only);
  if (format == Format::markdown) return write_markdown_page(out, counts_first(page));
  write_page(out, page, style);
}

}  // namespace gpumem::report
