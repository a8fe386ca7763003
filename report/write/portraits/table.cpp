// A portrait for a terminal: the levels, the best and the worst of each curve, and what is unusual.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"
#include "report/portrait/portrait.hpp"
#include "report/text/names.hpp"
#include "report/write/blocks.hpp"
#include "report/write/portraits/portrait.hpp"

namespace gpumem::report {

namespace {

Column names(std::string heading) { return {.heading = {std::move(heading), ""}, .names = true}; }
Column numbers(std::string heading, std::string unit, unsigned rank = 0) {
  return {.heading = {std::move(heading), std::move(unit)}, .rank = rank};
}

/// Predictions stand among predictions alone: nothing in a table's cell would tell them apart.
std::optional<double> shown(const std::optional<Figure>& figure, const Portrait& portrait) {
  return figure && figure->predicted == portrait.is_prediction ? std::optional(figure->value) : std::nullopt;
}

std::string number(const std::optional<Figure>& figure, const Portrait& portrait) {
  const auto value = shown(figure, portrait);
  return value ? significant(*value, 3) : "";
}

/// Probes and names of all curves, those of a chart together.
std::vector<std::pair<std::string, std::string>> curves_of(const std::vector<Portrait>& portraits) {
  std::vector<std::pair<std::string, std::string>> found;
  for (const Portrait& portrait : portraits) {
    for (const PortraitChart& chart : portrait.charts) {
      for (const PortraitCurve& curve : chart.curves) {
        const std::pair name(chart.probe, curve.name);
        if (std::ranges::find(found, name) == found.end()) found.push_back(name);
      }
    }
  }
  return found;
}

Block costs_block(const std::vector<Portrait>& portraits) {
  Block block;
  block.title = "cost of misuse";
  block.columns = {names("of"),          numbers("best", "", 2), numbers("at", "", 3),
                   numbers("worst", ""), numbers("at", "", 2),   {.heading = {"unit", ""}, .rank = 1, .names = true},
                   numbers("costs", "x")};
  const bool several = portraits.size() > 1;
  if (several) block.columns.insert(block.columns.begin() + 1, names("GPU"));
  block.parameter_columns = several ? 2 : 1;
  for (const auto& [probe, curve] : curves_of(portraits)) {
    for (const Portrait& portrait : portraits) {
      const auto chart = std::ranges::find(portrait.charts, probe, &PortraitChart::probe);
      if (chart == portrait.charts.end()) continue;
      const auto found = std::ranges::find(chart->curves, curve, &PortraitCurve::name);
      if (found == chart->curves.end()) continue;
      const PortraitPoint& best = found->best(chart->better);
      const PortraitPoint& worst = found->worst(chart->better);
      const double ratio = worst.value() / best.value();
      Row row;
      row.cells = {curve.empty() ? chart->of : fmt::format("{}: {}", chart->of, curve)};
      if (several) row.cells.push_back(portrait.label);
      for (const std::string& text :
           {significant(best.value(), 3), best.tick, significant(worst.value(), 3), worst.tick,
            unit_of(chart->quantity), significant(chart->better == Better::less ? ratio : 1 / ratio, 3)}) {
        row.cells.push_back(text);
      }
      row.position = row.cells.front();
      block.rows.push_back(std::move(row));
    }
  }
  return block;
}

}  // namespace

Block levels_block(const std::vector<Portrait>& portraits) {
  Block block;
  block.title = "levels of memory";
  block.columns = {
      names("level"),          numbers("holds", "", 1), numbers("latency", "cycles"), numbers("latency", "ns", 4),
      numbers("read", "GB/s"), numbers("of peak", "%"), numbers("write", "GB/s", 2),  numbers("copy", "GB/s", 3)};
  const bool several = portraits.size() > 1;
  if (several) block.columns.insert(block.columns.begin() + 1, names("GPU"));
  block.parameter_columns = several ? 2 : 1;
  for (const PortraitLevel& named : portraits.front().levels) {
    for (const Portrait& portrait : portraits) {
      for (const PortraitLevel& level : portrait.levels) {
        if (level.name != named.name) continue;
        Row row;
        row.cells = {level.name};
        if (several) row.cells.push_back(portrait.label);
        const auto capacity = shown(level.capacity_bytes, portrait);
        const std::string holds = capacity ? value_words("capacity_bytes", *capacity) : "";
        const std::string of_peak = level.fraction_of_peak ? fixed(*level.fraction_of_peak * 100, 1) : "";
        for (const std::string& text :
             {holds, number(level.latency_cycles, portrait), number(level.latency_ns, portrait),
              number(level.read_gb_per_s, portrait), of_peak, number(level.write_gb_per_s, portrait),
              number(level.copy_gb_per_s, portrait)}) {
          row.cells.push_back(text);
        }
        row.position = level.name;
        block.rows.push_back(std::move(row));
      }
    }
  }
  return block;
}

void write_portrait_table(std::ostream& out, std::span<const NamedReport> reports, const TableStyle& style) {
  const std::vector<Portrait> portraits = portraits_of(reports);
  Page page;
  for (const NamedReport& named : reports) add_short_preamble(page.before, named.report);
  for (Block& block : std::vector{levels_block(portraits), costs_block(portraits)}) {
    if (!block.rows.empty()) page.blocks.push_back(std::move(block));
  }
  for (const Portrait& portrait : portraits) {
    for (const std::string& sentence : portrait.unusual) {
      page.after.push_back({portraits.size() > 1 ? portrait.label + ": " + sentence : sentence});
    }
  }
  write_page(out, page, style);
}

}  // namespace gpumem::report
