#pragma once
// Pictures of results: pages and figures. Python scripts that gpumem brings draw them (report/plotting), with the
// user's own Python. A page takes nothing else of it, a figure takes matplotlib.

#include <span>
#include <string>

#include "report/write/writers.hpp"

namespace gpumem::app {

/// What a picture shows.
struct Drawn {
  std::string text;                              ///< Markdown: all of the result, for the tables of a page
  std::span<const report::NamedReport> reports;  ///< for figures; may be none
};

/// Throws a missing-capability error with the cure where nothing can draw a picture of this format: before anything is
/// measured that would then not be drawn. `path` is the picture's.
void refuse_undrawable(report::Format format, const std::string& path);

/// The bytes of a picture's file. Throws as above, and a usage error where there is nothing to draw.
[[nodiscard]] std::string draw(const Drawn& drawn, report::Format format, const std::string& path);

}  // namespace gpumem::app
