// The changes of counts: their order, and their words.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <set>
#include <tuple>

#include "engine/base/words.hpp"
#include "report/compare/counts.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// A number that is larger for what is further from none: of growth the ratio, of the rest its inverse.
double distance_of(const CountChange& change) {
  const double ratio = change.ratio().value_or(std::numeric_limits<double>::infinity());
  return change.new_value < change.old_value ? 1 / std::max(ratio, std::numeric_limits<double>::min()) : ratio;
}

}  // namespace

std::string_view to_string(Inexact reason) {
  constexpr std::array<std::string_view, 4> names = {"no", "seen_in_part", "varies", "library"};
  return names.at(static_cast<std::size_t>(reason));
}

std::string_view to_string(CountGap gap) {
  constexpr std::array<std::string_view, 6> names = {"no",        "only_in_old", "only_in_new", "not_looked_at",
                                                     "no_counts", "other_work"};
  return names.at(static_cast<std::size_t>(gap));
}

std::string_view to_string(CountBasis basis) {
  constexpr std::array<std::string_view, 3> names = {"launch", "request", "KiB"};
  return names.at(static_cast<std::size_t>(basis));
}

std::string_view to_string(CountVerdict verdict) {
  constexpr std::array<std::string_view, 4> names = {"grew", "unsure", "moved", "fell"};
  return names.at(static_cast<std::size_t>(verdict));
}

std::optional<double> CountChange::ratio() const {
  if (old_value == 0) return std::nullopt;
  return new_value / old_value;
}

bool CountedCase::has(CountVerdict verdict) const {
  return std::ranges::any_of(changes, [&](const SiteChange& site) {
    return std::ranges::find(site.counts, verdict, &CountChange::verdict) != site.counts.end();
  });
}

std::size_t CountComparison::compared() const {
  return static_cast<std::size_t>(std::ranges::count(cases, CountGap::no, &CountedCase::gap));
}

std::size_t CountComparison::with(CountVerdict verdict) const {
  std::size_t count = 0;
  for (const CountedCase& counted : cases) {
    for (const SiteChange& site : counted.changes) {
      count += static_cast<std::size_t>(std::ranges::count(site.counts, verdict, &CountChange::verdict));
    }
  }
  return count;
}

std::vector<CountRow> CountComparison::rows() const {
  std::vector<CountRow> rows;
  for (const CountedCase& counted : cases) {
    for (const SiteChange& site : counted.changes) {
      for (const CountChange& change : site.counts) rows.push_back({&counted, &site, &change});
    }
  }
  std::ranges::stable_sort(rows, [](const CountRow& left, const CountRow& right) {
    const auto key = [](const CountChange& change) {
      return std::tuple(static_cast<int>(change.verdict), -distance_of(change), -std::abs(change.more.value_or(0)));
    };
    return key(*left.change) < key(*right.change);
  });
  return rows;
}

std::pair<std::string, std::string> count_texts(const CountChange& change) {
  constexpr int most_decimals = 9;
  int decimals = change.basis == CountBasis::launch ? 0 : 2;
  while (decimals < most_decimals && change.old_value != change.new_value &&
         fixed(change.old_value, decimals) == fixed(change.new_value, decimals)) {
    ++decimals;
  }
  return {trimmed(change.old_value, decimals), trimmed(change.new_value, decimals)};
}

std::string count_words(const CountChange& change) {
  const auto [before, after] = count_texts(change);
  return fmt::format("{} -> {} {}/{}", before, after, one_line(change.unit), to_string(change.basis));
}

std::string access_words(const SitePair& site) {
  const SiteRecord& any = site.any();
  std::string words = one_line(any.space) + " " + one_line(any.op);
  if (site.old_site != nullptr && site.new_site != nullptr && site.old_site->word_bytes != site.new_site->word_bytes) {
    words += fmt::format(", words {} -> {} bytes", site.old_site->word_bytes, site.new_site->word_bytes);
  }
  return words;
}

std::string place_words(const SitePair& site) {
  return (site.new_site == nullptr ? "old " : "") + one_line(site.any().site);
}

std::optional<std::string> count_failure(const CountComparison& counts) {
  const std::string_view noun = case_noun(counts.comparison->reports.front().report);
  const std::size_t grown = counts.with(CountVerdict::grew);
  if (grown > 0) {
    std::size_t kernels = 0;
    for (const CountedCase& counted : counts.cases) kernels += counted.has(CountVerdict::grew) ? 1 : 0;
    const CountRow worst = counts.rows().front();
    return fmt::format("{} of {} grew (worst: {}, {}, {}: {})", counted(grown, "count"), counted(kernels, noun),
                       worst.counted->compared->label, place_words(worst.site->site), access_words(worst.site->site),
                       count_words(*worst.change));
  }
  if (counts.compared() > 0) return std::nullopt;
  if (counts.cases.empty()) return "no counts could be compared: the reports are empty";
  std::set<std::string> reasons;
  for (const CountedCase& counted : counts.cases) reasons.insert(counted.gap_words);
  constexpr std::size_t few = 2;
  const bool all = reasons.size() <= few;
  const std::vector<std::string> named(reasons.begin(), all ? reasons.end() : std::next(reasons.begin(), few));
  return fmt::format("no counts could be compared: {}{}", join(named, "; "), all ? "" : "; ...");
}

}  // namespace gpumem::report
