#pragma once
// A chart of a portrait, of one GPU or of several over each other.

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

}  // namespace gpumem::report
