// The verdict on one NEW as a whole: how many cases of each outcome it has, their mean speed, and whether it passes.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>

#include "engine/base/words.hpp"
#include "report/compare/compare.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Counts the cases that NEW broke and names the first of them; empty if there is none.
std::string broken_words(const Comparison& comparison, std::size_t which, const CaseTally& counts) {
  std::vector<std::string> parts;
  if (counts[CaseVerdict::failed] > 0) parts.push_back(counted(counts[CaseVerdict::failed], "case") + " failed");
  if (counts[CaseVerdict::wrong_data] > 0) {
    parts.push_back(counted(counts[CaseVerdict::wrong_data], "case") + " moved wrong data");
  }
  const auto first = std::ranges::find_if(comparison.cases, [&](const ComparedCase& compared) {
    const CaseVerdict outcome = compared.changes[which].outcome;
    return outcome == CaseVerdict::failed || outcome == CaseVerdict::wrong_data;
  });
  if (first == comparison.cases.end()) return {};
  const std::optional<std::string>& reason = first->readings[which + 1]->record->reason;
  return fmt::format("{} (first: {}{})", join(parts, ", "), first->label, reason ? ": " + one_line(*reason) : "");
}

}  // namespace

std::string new_label(const Comparison& comparison, std::size_t which) {
  return comparison.new_reports() == 1 ? "new" : fmt::format("new {}", which + 1);
}

std::string change_words(double ratio) {
  const double percent = (ratio - 1) * 100;
  const int decimals = std::abs(percent) < 0.95 ? 2 : 1;
  return fmt::format("{:+.{}f} %", percent, decimals);
}

std::size_t CaseTally::compared() const {
  const CaseTally& count = *this;
  return count[CaseVerdict::same] + count[CaseVerdict::faster] + count[CaseVerdict::slower] +
         count[CaseVerdict::ambiguous];
}

CaseTally tally(const Comparison& comparison, std::size_t which) {
  CaseTally counts;
  counts.counts.assign(static_cast<std::size_t>(CaseVerdict::added) + 1, 0);
  const auto speed = [&](const ComparedCase* compared) { return compared->changes[which].speed->value; };
  for (const ComparedCase& compared : comparison.cases) {
    const CaseChange& change = compared.changes[which];
    if (!compared.in_either(which)) continue;
    ++counts.counts[static_cast<std::size_t>(change.outcome)];
    if (change.speed && !change.speed->low) ++counts.too_few_samples;
    const auto keep = [&](const ComparedCase*& most, const auto& beyond) {
      if (most == nullptr || beyond(speed(&compared), speed(most))) most = &compared;
    };
    if (change.outcome == CaseVerdict::slower) keep(counts.slowest, std::less());
    if (change.outcome == CaseVerdict::faster) keep(counts.fastest, std::greater());
  }
  return counts;
}

std::vector<MeanSpeed> mean_speeds(const Comparison& comparison, std::size_t which) {
  std::vector<MeanSpeed> means;  // each with the sum of its logarithms until all cases are in
  const auto add = [&](const std::optional<ComparedQuantity>& quantity, double speed) {
    auto mean = std::ranges::find(means, quantity, &MeanSpeed::quantity);
    if (mean == means.end()) mean = means.insert(mean, {.quantity = quantity, .cases = 0, .ratio = 0});
    ++mean->cases;
    mean->ratio += std::log(speed);
  };
  for (const ComparedCase& compared : comparison.cases) {
    const auto& speed = compared.changes[which].speed;
    if (!speed) continue;
    add(std::nullopt, speed->value);
    add(compared.quantity, speed->value);
  }
  if (means.size() == 2) means.pop_back();  // it is of the same cases
  for (MeanSpeed& mean : means) mean.ratio = std::exp(mean.ratio / static_cast<double>(mean.cases));
  return means;
}

bool is_reshaped(const CaseChange& change) {
  return !change.by_place && std::ranges::any_of(change.shape, [](const ShapeChange& shape) {
    return shape.old_value && shape.new_value && !shape.parameter.ends_with("_bytes");
  });
}

Gate gate(const Comparison& comparison, std::size_t which, double share) {
  Gate result;
  std::size_t sure = 0;
  std::size_t held = 0;  // that could have failed
  const ComparedCase* worst = nullptr;
  for (const ComparedCase& compared : comparison.cases) {
    const CaseChange& change = compared.changes[which];
    if (!change.speed) continue;
    const bool slower = change.speed->high && *change.speed->high < 1 - share;
    const bool maybe = !slower && (!change.speed->low || *change.speed->low < 1 - share);
    if (is_reshaped(change)) {
      result.reshaped += slower ? 1 : 0;
      continue;
    }
    ++held;
    sure += slower ? 1 : 0;
    result.undecided += maybe ? 1 : 0;
    if (slower && (worst == nullptr || change.speed->value < worst->changes[which].speed->value)) worst = &compared;
  }
  const CaseTally counts = tally(comparison, which);
  std::vector<std::string> reasons;
  if (worst != nullptr) {
    reasons.push_back(fmt::format("{} slower by more than {} % (worst: {}: {})",
                                  counted(sure, case_noun(comparison.reports.front().report)), trimmed(share * 100, 3),
                                  worst->label, change_words(worst->changes[which].speed->value)));
  }
  if (std::string broken = broken_words(comparison, which, counts); !broken.empty()) reasons.push_back(broken);
  if (held == 0) {
    reasons.emplace_back(counts.compared() == 0 ? "nothing could be compared"
                                                : "nothing could be compared in the same launch shape");
  }
  if (!reasons.empty()) result.failure = join(reasons, ", ");
  return result;
}

}  // namespace gpumem::report
