#include "report/write/column_builder.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <utility>

#include "probes/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// The smallest magnitude but zero, and the largest.
std::pair<double, double> magnitudes(std::span<const double> values) {
  double smallest = 0;
  double largest = 0;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (magnitude > 0 && (smallest == 0 || magnitude < smallest)) smallest = magnitude;
    largest = std::max(largest, magnitude);
  }
  return {smallest, largest};
}

}  // namespace

void ColumnBuilder::add_text(Heading heading, unsigned rank, std::vector<std::string> cells) {
  if (std::ranges::all_of(cells, &std::string::empty)) return;
  const bool names = std::ranges::any_of(cells, [](const std::string& cell) {
    return !cell.empty() && (cell[0] < '0' || cell[0] > '9') && cell[0] != '-';
  });
  block_.columns.push_back({.heading = std::move(heading), .rank = rank, .names = names});
  for (std::size_t i = 0; i < cells.size(); ++i) block_.rows[i].cells.push_back(std::move(cells[i]));
}

void ColumnBuilder::add_prose(Heading heading, std::vector<std::string> cells) {
  if (std::ranges::all_of(cells, &std::string::empty)) return;
  block_.columns.push_back({.heading = std::move(heading), .rank = 0, .names = true, .prose = true});
  for (std::size_t i = 0; i < cells.size(); ++i) block_.rows[i].cells.push_back(std::move(cells[i]));
}

void ColumnBuilder::add(Heading heading, unsigned rank, int digits, int most_decimals, const Reader& read_any) {
  const auto read = [&](const Record& record) {
    const auto value = read_any(record);
    return value && std::isfinite(*value) ? value : std::nullopt;
  };
  std::vector<double> values;
  for (const Record* record : cases_) {
    if (const auto value = read(*record)) values.push_back(*value);
  }
  const auto [smallest, largest] = magnitudes(values);
  constexpr double many = 1e3;
  const bool own = largest > many * smallest;
  const int common = decimals_for(values, digits, most_decimals);
  std::vector<std::string> cells;
  for (const Record* record : cases_) {
    const auto value = read(*record);
    if (!value) {
      cells.emplace_back();
      continue;
    }
    const int decimals = own ? decimals_for(std::span(&*value, 1), digits, most_decimals) : common;
    const bool vanishes = *value != 0 && std::abs(*value) < 0.5 * std::pow(10, -decimals);
    cells.push_back(vanishes ? significant(*value, 2) : fixed(*value, decimals));
  }
  add_text(std::move(heading), rank, std::move(cells));
}

void ColumnBuilder::add_per_request(Heading heading, unsigned rank, std::string_view unit, Source source) {
  std::vector<std::string> cells;
  bool split = false;
  for (const Record* record : cases_) {
    const PerRequest value = per_request(*record, unit, source);
    const std::string load = value.load ? trimmed(*value.load, 2) : "";
    const std::string store = value.store ? trimmed(*value.store, 2) : "";
    const bool one = load.empty() || store.empty() || load == store;
    split = split || !one;
    cells.push_back(one ? (load.empty() ? store : load) : load + "/" + store);
  }
  if (split) heading.unit = "ld/st";
  add_text(std::move(heading), rank, std::move(cells));
}

}  // namespace gpumem::report
