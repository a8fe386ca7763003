#pragma once
// Pictures of results: pages and figures. Python scripts that come with gpumem draw them (report/plotting), with the
// user's own Python. A page needs nothing else, a figure needs matplotlib.

#include <optional>
#include <span>
#include <string>

#include "report/write/writers.hpp"

namespace gpumem::app {

/// The scale of a picture's y axis.
enum class PictureScale { linear, log, by_values };

/// A user's choices of a picture. The reports decide about the rest.
struct PictureChoices {
  std::optional<std::string> figure = {};  ///< the only one to draw: a probe, "roofline", "savings" or "timeline"
  std::optional<std::string> y = {};       ///< the quantity on the y axis: its name, or that name's first or last words
  PictureScale scale = PictureScale::by_values;

  bool operator==(const PictureChoices&) const = default;
};

/// The content of a picture.
struct Drawn {
  std::string text;                              ///< Markdown: all of the result, for the tables of a page
  std::span<const report::NamedReport> reports;  ///< for figures; may be none
  std::string result = {};                       ///< JSON of a result that is no report, for its figure
  PictureChoices choices = {};
};

/// Throws a missing-capability error with the cure if nothing can draw a picture of this format. To be called before
/// anything is measured. `path` is the picture's.
void refuse_undrawable(report::Format format, const std::string& path);

/// Returns the bytes of a picture's file. Throws as above, and a usage error if there is nothing to draw.
[[nodiscard]] std::string draw(const Drawn& drawn, report::Format format, const std::string& path);

}  // namespace gpumem::app
