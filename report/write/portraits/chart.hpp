#pragma once
// Drawings of portraits, of one GPU or of several: charts over each other, and bars beside each other.

#include <iosfwd>
#include <span>
#include <string>
#include <vector>

#include "report/portrait/portrait.hpp"

namespace gpumem::report {

/// The classes of `looks` are: c0 to c7 the colour, r0 to r3 the line, measured or predicted.
struct LegendEntry {
  std::string looks;
  std::string words;
};

struct DrawnChart {
  std::string svg;
  std::vector<LegendEntry> legend;
};

/// A GPU's chart, and the GPU's name beside others.
struct LabelledChart {
  std::string label;
  bool is_prediction = false;
  const PortraitChart* chart = nullptr;
};

/// Draws charts of the same probe over each other. A single chart is drawn with its predictions; with several, each
/// curve is the measured one, else the predicted one.
[[nodiscard]] DrawnChart drawn_chart(std::span<const LabelledChart> charts);

/// Writes the levels of memory as a table in HTML, all bars of a column on one scale; nothing if there are no levels.
void write_levels(std::ostream& out, const std::vector<Portrait>& portraits);
/// Writes the latency of each path to data as a figure; nothing if no latency is known.
void write_ladder(std::ostream& out, const std::vector<Portrait>& portraits);

}  // namespace gpumem::report
