#pragma once
// Pictures of results: pages and figures. Python scripts that come with gpumem draw them (report/plotting), with the
// user's own Python. A page needs nothing else, a figure needs matplotlib.

#include <span>
#include <string>

#include "report/write/writers.hpp"

namespace gpumem::app {

/// The content of a picture.
struct Drawn {
  std::string text;                              ///< Markdown: all of the result, for the tables of a page
  std::span<const report::NamedReport> reports;  ///< for figures; may be none
  std::string result = {};                       ///< JSON of a result without reports, for its figure
};

/// Throws a missing-capability error with the cure if nothing can draw a picture of this format. To be called before
/// anything is measured. `path` is the picture's.
void refuse_undrawable(report::Format format, const std::string& path);

/// Returns the bytes of a picture's file. Throws as above, and a usage error if there is nothing to draw.
[[nodiscard]] std::string draw(const Drawn& drawn, report::Format format, const std::string& path);

}  // namespace gpumem::app
