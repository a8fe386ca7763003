#pragma once
// What is drawn of portraits, of one GPU or of several: charts over each other, and bars beside each other.

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

/// A GPU's chart, and what the GPU is called beside others.
struct LabelledChart {
  std::string label;
  bool is_prediction = false;
  const PortraitChart* chart = nullptr;
};

/// All of the same probe. One is drawn with its predictions; of several each curve is measured, else predicted.
[[nodiscard]] DrawnChart drawn_chart(std::span<const LabelledChart> charts);

/// The levels of memory: a table as HTML, all bars of a column on one scale; nothing where there are no levels.
void write_levels(std::ostream& out, const std::vector<Portrait>& portraits);
/// How far away each path to data is: a figure; nothing where no latency is known.
void write_ladder(std::ostream& out, const std::vector<Portrait>& portraits);

}  // namespace gpumem::report
