// A comparison as tables and as Markdown.

#include "report/write/comparison.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <set>

#include "probes/words.hpp"
#include "report/record/cases.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

namespace {

using ComparedCases = std::vector<const ComparedCase*>;

bool is_row(const CaseChange& change) {
  return change.reading && change.outcome != CaseVerdict::added && change.outcome != CaseVerdict::not_run;
}

bool is_shown(const ComparedCase& one, bool changed_only) {
  return std::ranges::any_of(one.changes, [&](const CaseChange& change) {
    return is_row(change) && !(changed_only && change.outcome == CaseVerdict::same);
  });
}

/// By probe and quantity, in the order of the cases.
std::vector<ComparedCases> groups(const Comparison& comparison, bool changed_only) {
  std::vector<ComparedCases> found;
  for (const ComparedCase& one : comparison.cases) {
    if (!is_shown(one, changed_only)) continue;
    const auto same = std::ranges::find_if(found, [&](const ComparedCases& group) {
      return group.front()->record->probe == one.record->probe && group.front()->quantity == one.quantity;
    });
    if (same == found.end()) {
      found.push_back({&one});
    } else {
      same->push_back(&one);
    }
  }
  return found;
}

/// What was asked for.
std::string asked_text(const Record& record, const std::string& name) {
  const Parameter* parameter = find_parameter(record, name);
  return parameter == nullptr ? "-" : value_text({name, asked_value(record, *parameter)});
}

/// The values of a quantity with one number of decimals.
class Scale {
 public:
  Scale(const ComparedCases& cases, const std::string& quantity) : unit_(unit_of(quantity)) {
    std::vector<double> values;
    const auto add = [&](const std::optional<CaseReading>& reading) {
      if (reading && reading->estimate) values.push_back(reading->estimate->value);
    };
    for (const ComparedCase* one : cases) {
      add(one->old_reading);
      for (const CaseChange& change : one->changes) add(change.reading);
    }
    if (unit_ == "s") {
      const TimeUnit time = time_unit(values.empty() ? 1 : *std::ranges::min_element(values));
      unit_ = time.name;
      factor_ = time.per_second;
      for (double& value : values) value *= factor_;
    }
    decimals_ = decimals_for(values, 3, 2);
  }

  [[nodiscard]] const std::string& unit() const { return unit_; }
  [[nodiscard]] std::string text(const std::optional<CaseReading>& reading) const {
    if (!reading || !reading->estimate) return "";
    return fixed(reading->estimate->value * factor_, decimals_);
  }

 private:
  std::string unit_;
  double factor_ = 1;
  int decimals_ = 0;
};

Tint tint_of(CaseVerdict outcome) {
  using enum CaseVerdict;
  if (outcome == slower || outcome == failed || outcome == wrong_data) return Tint::red;
  if (outcome == faster || outcome == recovered) return Tint::cyan;
  if (outcome == ambiguous || outcome == skipped || outcome == unread) return Tint::yellow;
  return Tint::dim;
}

std::string outcome_words(CaseVerdict outcome) {
  std::string text(to_string(outcome));
  std::ranges::replace(text, '_', ' ');
  return text;
}

/// Flags that only one of the two has, and shapes that differ: what may explain a change. A wide interval needs no
/// flag, since it is shown.
std::vector<std::string> notes_of(const ComparedCase& one, const CaseChange& change, const std::string& label) {
  std::vector<std::string> notes;
  if (!one.old_reading || !change.reading || change.outcome == CaseVerdict::same) return notes;
  const auto add_own = [&](const Record& of, const Record& other, const std::string& name) {
    for (const std::string& flag : of.flags) {
      const bool shared = std::ranges::find(other.flags, flag) != other.flags.end();
      if (!shared && flag != "wide_interval") notes.push_back(name + ": " + one_line(flag));
    }
  };
  add_own(*one.old_reading->record, *change.reading->record, "old");
  add_own(*change.reading->record, *one.old_reading->record, label);
  for (const auto& [name, old_value, new_value] : change.shape) {
    const std::string from = old_value ? value_text({name, *old_value}) : "none";
    const std::string to = new_value ? value_text({name, *new_value}) : "none";
    notes.push_back(fmt::format("{} {} -> {}", parameter_heading(name).name, from, to));
  }
  return notes;
}

class BlockBuilder {
 public:
  BlockBuilder(const Comparison& comparison, const ComparedCases& cases)
      : comparison_(comparison),
        cases_(cases),
        scale_(cases, cases.front()->quantity.value_or(ComparedQuantity{std::string(bandwidth_name)}).name),
        decimals_(comparison.tolerance < 0.005 ? 2 : 1) {
    block_.title = one_line(cases.front()->record->probe);
    block_.rows.resize(cases.size());
  }

  [[nodiscard]] Block build() && {
    add_parameters();
    add_column({"old", scale_.unit()}, 0, [&](const ComparedCase& one) { return scale_.text(one.old_reading); });
    for (std::size_t n = 0; n < comparison_.news(); ++n) add_new(n);
    add_notes();
    for (std::size_t n = 0; n < comparison_.news(); ++n) add_reasons(n);
    return std::move(block_);
  }

 private:
  template <class Text>
  Column& add_column(Heading heading, unsigned rank, const Text& text) {
    block_.columns.push_back({.heading = std::move(heading), .rank = rank});
    for (std::size_t i = 0; i < cases_.size(); ++i) {
      block_.rows[i].cells.push_back(text(*cases_[i]));
      block_.rows[i].tints.push_back(Tint::none);
    }
    return block_.columns.back();
  }

  void add_parameters() {
    const std::string& swept = cases_.front()->record->swept;
    for (const Parameter& parameter : cases_.front()->record->parameters) {
      const std::string& name = parameter.name;
      std::set<std::string> texts;
      for (const ComparedCase* one : cases_) texts.insert(asked_text(*one->record, name));
      if (texts.size() == 1 && !(name == swept && cases_.size() == 1)) {
        if (*texts.begin() != "auto") block_.constants.push_back(parameter_phrase(parameter));
        continue;
      }
      Column& column = add_column(parameter_heading(name), 0,
                                  [&](const ComparedCase& one) { return asked_text(*one.record, name); });
      column.names = std::holds_alternative<std::string>(parameter.value) && !cases_.front()->record->is_chosen(name);
      ++block_.parameter_columns;
    }
  }

  void add_new(std::size_t n) {
    const std::string label = new_label(comparison_, n);
    const bool several = comparison_.news() > 1;
    const auto change = [n](const ComparedCase& one) -> const CaseChange& { return one.changes[n]; };
    add_column({label, scale_.unit()}, several ? 30 : 0,
               [&](const ComparedCase& one) { return scale_.text(change(one).reading); });
    add_column({"change", "%"}, 0, [&](const ComparedCase& one) {
      return change(one).speed ? percent(change(one).speed->value) : std::string();
    });
    add_column({"interval", "%"}, several ? 50 : 20, [&](const ComparedCase& one) {
      const auto& speed = change(one).speed;
      if (!speed || !speed->low || *speed->low == *speed->high) return std::string();
      return percent(*speed->low) + ".." + percent(*speed->high);
    });
    add_column({several ? label : "", ""}, 0, [&](const ComparedCase& one) {
      return outcome_words(change(one).outcome);
    }).names = true;
    for (std::size_t i = 0; i < cases_.size(); ++i) block_.rows[i].tints.back() = tint_of(change(*cases_[i]).outcome);
  }

  /// "-0.0" would be a change that is none.
  [[nodiscard]] std::string percent(double ratio) const {
    const double value = (ratio - 1) * 100;
    const bool zero = std::abs(value) < 0.5 * std::pow(10, -decimals_);
    return zero ? fixed(0, decimals_) : fmt::format("{:+.{}f}", value, decimals_);
  }

  /// What holds for every row is said once.
  void add_notes() {
    std::vector<std::vector<std::string>> notes;
    for (const ComparedCase* one : cases_) {
      std::vector<std::string>& own = notes.emplace_back();
      for (std::size_t n = 0; n < comparison_.news(); ++n) {
        std::ranges::move(notes_of(*one, one->changes[n], new_label(comparison_, n)), std::back_inserter(own));
      }
    }
    std::vector<std::string> common = notes.size() > 1 ? notes.front() : std::vector<std::string>();
    for (const auto& own : notes) {
      std::erase_if(common, [&](const std::string& note) { return std::ranges::find(own, note) == own.end(); });
    }
    block_.common_flags = join(common, ", ");
    for (std::size_t i = 0; i < notes.size(); ++i) {
      std::erase_if(notes[i], [&](const std::string& note) { return std::ranges::find(common, note) != common.end(); });
      block_.rows[i].flags = join(notes[i], ", ");
    }
  }

  /// Why cases did not run, once for all of the same reason.
  void add_reasons(std::size_t n) {
    std::vector<std::pair<std::string, std::vector<const ComparedCase*>>> reasons;
    for (const ComparedCase* one : cases_) {
      const std::string reason = reason_of(*one, n);
      if (reason.empty()) continue;
      const auto same = std::ranges::find_if(reasons, [&](const auto& known) { return known.first == reason; });
      if (same == reasons.end()) {
        reasons.push_back({reason, {one}});
      } else {
        same->second.push_back(one);
      }
    }
    for (const auto& [reason, cases] : reasons) {
      const std::string which = case_name(comparison_, *cases.front());
      const std::string more = cases.size() == 1 ? "" : fmt::format(" and {} more", cases.size() - 1);
      block_.findings.push_back(fmt::format("{}{}: {}", which, more, reason));
    }
  }

  [[nodiscard]] std::string reason_of(const ComparedCase& one, std::size_t n) const {
    const CaseChange& change = one.changes[n];
    const auto why = [](const Record& record) { return record.reason ? ": " + one_line(*record.reason) : ""; };
    if (change.outcome == CaseVerdict::recovered) return "did not run in old" + why(*one.old_reading->record);
    if (change.outcome == CaseVerdict::unread) return "has no reading in both reports";
    const bool wrong_data = change.outcome == CaseVerdict::wrong_data;
    if (!wrong_data && change.outcome != CaseVerdict::failed && change.outcome != CaseVerdict::skipped) return {};
    return fmt::format("{} in {}{}", wrong_data ? "moved wrong data" : to_string(change.outcome),
                       new_label(comparison_, n), why(*change.reading->record));
  }

  const Comparison& comparison_;
  const ComparedCases& cases_;
  Scale scale_;
  int decimals_;
  Block block_;
};

Page page_of(const Comparison& comparison, bool changed_only) {
  Page page{.before = comparison_preamble(comparison), .blocks = {}, .after = comparison_closing(comparison)};
  for (const ComparedCases& group : groups(comparison, changed_only)) {
    page.blocks.push_back(BlockBuilder(comparison, group).build());
  }
  return page;
}

/// The counts first: who reads Markdown has it in front of him, with the rest below.
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
