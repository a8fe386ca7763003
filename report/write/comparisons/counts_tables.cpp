// A comparison of counts as a table and as Markdown.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <iterator>
#include <limits>

#include "engine/access/request.hpp"
#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/grouped.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/comparisons/comparison.hpp"
#include "report/write/comparisons/counts.hpp"

namespace gpumem::report {

namespace {

using CountedCases = std::vector<const CountedCase*>;

constexpr std::size_t most_listed = 5;  ///< names in a line

Tint tint_of(CountVerdict verdict) {
  switch (verdict) {
    case CountVerdict::grew:
      return Tint::red;
    case CountVerdict::unsure:
      return Tint::yellow;
    case CountVerdict::moved:
      return Tint::dim;
    case CountVerdict::fell:
      break;
  }
  return Tint::cyan;
}

/// "+3.67 MB" of sectors, "+131072" of other counts.
std::string more_words(const CountChange& change) {
  if (!change.more || !std::isfinite(*change.more)) return "";
  const char* sign = *change.more < 0 ? "-" : "+";
  const double amount = std::abs(*change.more);
  if (change.unit != sectors) return sign + fixed(amount, 0);
  return sign + decimal_size(amount * access::sector_bytes);
}

std::string ratio_words(const CountChange& change) {
  const auto ratio = change.ratio();
  return ratio ? times_words(*ratio) : "new";
}

/// "12 kernels: a, b, ...".
std::string listed(const CountComparison& counts, const CountedCases& cases) {
  std::vector<std::string> names;
  for (const CountedCase* counted : cases) names.push_back(counted->compared->label);
  return fmt::format("{}: {}", counted(cases.size(), case_noun(counts.comparison->reports.front().report)),
                     join_first(names, most_listed));
}

Block rows_block(const CountComparison& counts, std::size_t most_rows) {
  const bool of_program = counts.comparison->reports.front().report.program.has_value();
  Block block;
  block.title = "counts that changed, worst first";
  block.columns = {{.heading = {std::string(case_noun(counts.comparison->reports.front().report)), ""}, .names = true},
                   {.heading = {"site", ""}, .names = true},
                   {.heading = {"access", ""}, .rank = 1, .names = true, .prose = true},
                   {.heading = {"count", ""}, .names = true},
                   {.heading = {"old", ""}},
                   {.heading = {"new", ""}},
                   {.heading = {"ratio", ""}, .rank = 3}};
  if (of_program) block.columns.push_back({.heading = {"more", "/launch"}, .rank = 2});
  block.columns.push_back({.heading = {"", ""}, .names = true});
  const std::vector<CountRow> rows = counts.rows();
  for (const auto& [counted, site, change] : rows) {
    if (block.rows.size() == most_rows) break;
    const auto [before, after] = count_texts(*change);
    Row row;
    row.cells = {counted->compared->label,
                 place_words(site->site),
                 access_words(site->site),
                 fmt::format("{}/{}", one_line(change->unit), to_string(change->basis)),
                 before,
                 after,
                 ratio_words(*change)};
    if (of_program) row.cells.push_back(more_words(*change));
    row.cells.emplace_back(to_string(change->verdict));
    row.tints.assign(row.cells.size(), Tint::none);
    row.tints.back() = tint_of(change->verdict);
    block.rows.push_back(std::move(row));
  }
  if (rows.size() > block.rows.size()) {
    block.findings.push_back(counted(rows.size() - block.rows.size(), "more count") +
                             " not shown; --format csv, json and markdown hold everything.");
  }
  return block;
}

/// The cases that meet a condition.
template <class Condition>
CountedCases cases_with(const CountComparison& counts, const Condition& condition) {
  CountedCases cases;
  for (const CountedCase& counted : counts.cases) {
    if (condition(counted)) cases.push_back(&counted);
  }
  return cases;
}

std::string why_inexact(Inexact reason, const std::string& percent) {
  const std::string within = "Compared per request, within " + percent + " %: ";
  switch (reason) {
    case Inexact::seen_in_part:
      return within +
             "other blocks of these may be looked at in each run (--max-overhead of gpumem run looks at more).";
    case Inexact::varies:
      return within + "counts of these differ between runs of old; sites that do are not compared.";
    case Inexact::library:
      return within + "kernels of libraries, some of which wait in loops that load.";
    case Inexact::no:
      break;
  }
  return "";
}

void add_inexact(std::vector<Note>& lines, const CountComparison& counts) {
  for (const Inexact reason : {Inexact::seen_in_part, Inexact::varies, Inexact::library}) {
    const CountedCases cases =
        cases_with(counts, [&](const CountedCase& counted) { return counted.inexact == reason; });
    if (cases.empty()) continue;
    lines.push_back({why_inexact(reason, trimmed(counts.tolerance * 100, 3)) + " " + listed(counts, cases) + "."});
  }
}

void add_gaps(std::vector<Note>& lines, const CountComparison& counts) {
  const CountedCases cases = cases_with(counts, [](const CountedCase& counted) { return counted.gap != CountGap::no; });
  for (const auto& [words, alike] :
       grouped(cases, [](const CountedCase* counted) -> const std::string& { return counted->gap_words; })) {
    lines.push_back({fmt::format("Not compared, {}: {}.", words, listed(counts, alike)), Tint::yellow});
  }
  const CountedCases uncounted =
      cases_with(counts, [](const CountedCase& counted) { return counted.uncounted_sites > 0; });
  if (!uncounted.empty()) {
    lines.push_back({"Some accesses of these cannot be seen and are in no count: " + listed(counts, uncounted) + ".",
                     Tint::yellow});
  }
}

/// More launches of a kernel are no growth of its accesses.
void add_launches(std::vector<Note>& lines, const CountComparison& counts) {
  std::vector<std::string> parts;
  for (const CountedCase& counted : counts.cases) {
    if (counted.gap != CountGap::no) continue;
    const auto before = finite_value(counted.old_record(), launches_name);
    const auto after = finite_value(counted.new_record(), launches_name);
    if (!before || !after || *before == *after) continue;
    parts.push_back(fmt::format("{} {:.0f} -> {:.0f}", counted.compared->label, *before, *after));
  }
  if (parts.empty()) return;
  lines.push_back({"Launches, of which counts are one each: " + join_first(parts, most_listed) + "."});
}

void add_places(std::vector<Note>& lines, const CountComparison& counts) {
  for (const CountedCase& counted : counts.cases) {
    if (counted.gap != CountGap::no || !counted.compared->changes.front().by_place) continue;
    lines.push_back({fmt::format("Matched by place, with the same work: {} -> {}.", counted.compared->label,
                                 counts.comparison->kernels.words(counted.new_record()))});
  }
}

std::string result_words(const CountComparison& counts) {
  const std::string_view noun = case_noun(counts.comparison->reports.front().report);
  std::string text;
  if (const auto failure = count_failure(counts)) {
    text = capitalised(*failure);
  } else {
    text = "No count grew";
  }
  std::vector<std::string> parts;
  const auto add = [&](CountVerdict verdict, const char* words) {
    if (const std::size_t count = counts.with(verdict); count > 0) parts.push_back(fmt::format("{} {}", count, words));
  };
  add(CountVerdict::fell, "fell");
  add(CountVerdict::moved, "moved to other sites");
  add(CountVerdict::unsure, "not sure");
  const CountedCases unchanged = cases_with(
      counts, [](const CountedCase& counted) { return counted.gap == CountGap::no && counted.changes.empty(); });
  std::size_t sites = 0;
  for (const CountedCase* counted : unchanged) sites += counted->same_sites;
  parts.push_back(fmt::format("{} without change ({})", counted(unchanged.size(), noun), counted(sites, "site")));
  if (const std::size_t gaps = counts.cases.size() - counts.compared(); gaps > 0) {
    parts.push_back(fmt::format("{} not compared", counted(gaps, noun)));
  }
  return text + "; " + join(parts, ", ") + ".";
}

Page page_of(const CountComparison& counts, std::size_t most_rows) {
  const Comparison& comparison = *counts.comparison;
  Page page;
  page.before.push_back({report_line("old", comparison.reports[0]), Tint::bold});
  page.before.push_back({report_line("new", comparison.reports[1]), Tint::bold});
  for (const NamedReport& named : comparison.reports.subspan(2)) page.before.push_back({report_line("repeat", named)});
  std::ranges::move(difference_lines(comparison.differences.front(), ""), std::back_inserter(page.before));
  Block block = rows_block(counts, most_rows);
  if (!block.rows.empty()) page.blocks.push_back(std::move(block));
  add_inexact(page.after, counts);
  add_places(page.after, counts);
  add_launches(page.after, counts);
  add_gaps(page.after, counts);
  page.after.push_back({result_words(counts), Tint::bold});
  return page;
}

/// Moves the result before the rest, so that readers of Markdown see it first.
Page result_first(Page page) {
  std::vector<Note> first = {{"Counts"}, std::move(page.after.back())};
  page.after.pop_back();
  std::ranges::move(page.before, std::back_inserter(first));
  page.before = std::move(first);
  return page;
}

}  // namespace

void write_counts(std::ostream& out, const CountComparison& counts, Format format, const TableStyle& style) {
  if (format == Format::json) return write_counts_json(out, counts);
  if (format == Format::csv) return write_counts_csv(out, counts);
  constexpr std::size_t most_rows = 40;
  if (format == Format::markdown) {
    return write_markdown_page(out, result_first(page_of(counts, std::numeric_limits<std::size_t>::max())));
  }
  write_page(out, page_of(counts, most_rows), style);
}

}  // namespace gpumem::report
