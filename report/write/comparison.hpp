#pragma once
// Writers of a comparison: pure functions of it.

#include <algorithm>
#include <iosfwd>
#include <type_traits>
#include <utility>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// `changed_only` leaves the cases that are the same out of the rows of tables and Markdown; they are counted all the
/// same. JSON and CSV hold every case.
void write_comparison(std::ostream& out, const Comparison& comparison, Format format, const TableStyle& style = {},
                      bool changed_only = false);

void write_comparison_json(std::ostream& out, const Comparison& comparison);
/// One row per case and NEW.
void write_comparison_csv(std::ostream& out, const Comparison& comparison);

// What table and Markdown say in sentences.

/// Which reports, and in what the runs differ: one paragraph each.
[[nodiscard]] std::vector<Said> comparison_preamble(const Comparison& comparison);
/// Cases on one side only, and the counts of each NEW.
[[nodiscard]] std::vector<Said> comparison_closing(const Comparison& comparison);

/// The items by what they have in common, in order of first appearance.
template <class Item, class Common>
[[nodiscard]] auto grouped(const std::vector<Item>& items, const Common& common) {
  std::vector<std::pair<std::decay_t<std::invoke_result_t<Common, Item>>, std::vector<Item>>> groups;
  for (const Item& item : items) {
    const auto key = common(item);
    auto same = std::ranges::find_if(groups, [&](const auto& group) { return group.first == key; });
    if (same == groups.end()) same = groups.insert(same, {key, {}});
    same->second.push_back(item);
  }
  return groups;
}

}  // namespace gpumem::report
