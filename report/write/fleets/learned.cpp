#include "report/write/fleets/learned.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/words.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

namespace {

const std::string& quantity_of(const LearnedFleet& fleet, const LearnedCase& learned) {
  return fleet.names->case_name(learned.name).quantity.name;
}

Row row_of(const LearnedFleet& fleet, const LearnedCase& learned) {
  const measure::Criterion& bounds = learned.bounds;
  const std::string quantity_unit = unit_of(quantity_of(fleet, learned));
  const TimeUnit unit = quantity_unit == "s" ? time_unit(bounds.median) : TimeUnit{.name = quantity_unit};
  const auto value = [&](double number) { return significant(number * unit.per_second, 4); };
  Row row;
  row.cells = {learned.label,
               std::to_string(bounds.count),
               value(bounds.median),
               unit.name,
               bounds.deviation > 0 ? significant(100 * bounds.deviation, 2) : "0",
               value(bounds.bound),
               fixed(100 * bounds.finds, 1),
               std::to_string(bounds.left_out)};
  if (bounds.groups) row.tints.assign(row.cells.size(), Tint::cyan);
  return row;
}

/// "offset: offset 0, read is in two groups: 38 GPUs at 4310 GB/s and 62 at 4542 GB/s. The bound is the slower one's."
std::string groups_words(const LearnedFleet& fleet, const LearnedCase& learned) {
  const std::string& quantity = quantity_of(fleet, learned);
  const measure::TwoGroups& groups = *learned.bounds.groups;
  return fmt::format(
      "{} is in two groups: {} at {} and {} at {}. The bound is the slower one's, so it finds less in the faster one.",
      learned.label, counted(groups.slower, "GPU"), value_words(quantity, groups.slower_median), groups.faster,
      value_words(quantity, groups.faster_median));
}

std::vector<std::string> notes(const LearnedFleet& fleet) {
  std::vector<std::string> notes;
  constexpr std::size_t most_named = 5;
  std::size_t grouped = 0;
  for (const LearnedCase& learned : fleet.cases) {
    if (!learned.bounds.groups || ++grouped > most_named) continue;
    notes.push_back(groups_words(fleet, learned));
  }
  if (grouped > most_named) {
    notes.push_back(fmt::format("{} are in two groups.", counted(grouped - most_named, "more case")));
  }
  if (grouped > 0) {
    notes.emplace_back("Find out what the groups differ in, such as driver, host or batch, and learn from each alone.");
  }
  const bool left_out =
      std::ranges::any_of(fleet.cases, [](const LearnedCase& learned) { return learned.bounds.left_out > 0; });
  if (left_out) notes.emplace_back("GPUs that miss a bound were left out of it; compare --fleet names them.");
  if (fleet.older > 0) {
    notes.push_back(
        fmt::format("{} left out, because a later one is of the same GPU.", counted(fleet.older, "report")));
  }
  if (fleet.unusable > 0) {
    notes.push_back(fmt::format("{} left out, because fewer than {} or half of the GPUs have a value.",
                                counted(fleet.unusable, "case"), measure::fewest_to_learn));
  }
  if (fleet.nodes > 0) notes.emplace_back("Cases of pairs of GPUs were left out.");
  return notes;
}

Page page_of(const LearnedFleet& fleet) {
  Page page;
  page.before.push_back(
      {fmt::format("Learned from {} x {}: {}", fleet.gpus, one_line(fleet.gpu), counted(fleet.cases.size(), "case")),
       Tint::bold});
  page.before.push_back(
      {fmt::format("A healthy GPU misses a bound in 1 of {:.0f} checks. A GPU that is slower than the median by the "
                   "share under \"finds\" fails with {:g} % certainty.",
                   1 / fleet.false_alarms, 100 * measure::certainty_of_finding)});
  Block block;
  block.title = "Bounds";
  block.columns = {{.heading = {"case", ""}, .names = true, .prose = true},
                   {.heading = {"GPUs", ""}},
                   {.heading = {"median", ""}},
                   {.heading = {"", ""}, .names = true},
                   {.heading = {"spread", "%"}},
                   {.heading = {"bound", ""}},
                   {.heading = {"finds", "%"}},
                   {.heading = {"left", "out"}, .rank = 1}};
  for (const LearnedCase& learned : fleet.cases) block.rows.push_back(row_of(fleet, learned));
  block.findings = notes(fleet);
  page.blocks.push_back(std::move(block));
  return page;
}

}  // namespace

void write_learned(std::ostream& out, const LearnedFleet& fleet, Format format, const TableStyle& style) {
  const Page page = page_of(fleet);
  if (format == Format::markdown) return write_markdown_page(out, page);
  write_page(out, page, style);
}

}  // namespace gpumem::report
