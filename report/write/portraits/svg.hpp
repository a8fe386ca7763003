#pragma once
// Drawings as SVG: numbers become places by a scale, and marks are classes that a page's style gives their looks.

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace gpumem::report {

/// Maps a value between `low` and `high` to a place between `from` and `to`.
struct Scale {
  double low = 0;
  double high = 1;
  bool logarithmic = false;
  double from = 0;  ///< the place of `low`
  double to = 1;    ///< of `high`

  [[nodiscard]] double at(double value) const;
  /// Round values within the scale, few enough to be told apart.
  [[nodiscard]] std::vector<double> ticks() const;
};

/// A scale that shows all these values: a linear one begins at zero, and ends at a tick if it is to be rounded; one
/// whose values are all the same has some room.
[[nodiscard]] Scale scale_for(std::span<const double> values, bool logarithmic, double from, double to,
                              bool rounded = false);

enum class Anchor { start, middle, end };

class Svg {
 public:
  /// A drawing of this size, in units that a page stretches. Screen readers read out `label`.
  Svg(double width, double height, std::string_view label);

  void line(double x1, double y1, double x2, double y2, std::string_view looks);
  void path(std::span<const std::pair<double, double>> points, std::string_view looks);
  /// A dot. `told` is shown while the pointer is over it.
  void dot(double x, double y, double radius, std::string_view looks, std::string_view told);
  void text(double x, double y, std::string_view text, std::string_view looks, Anchor anchor = Anchor::start,
            double turned = 0);

  [[nodiscard]] std::string finished() const { return body_ + "</svg>"; }

 private:
  std::string body_;
};

}  // namespace gpumem::report
