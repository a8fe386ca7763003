#pragma once
// How a piece of text looks on a terminal that has colours.

#include <string>

namespace gpumem::report {

enum class Tint { none, bold, dim, red, green, yellow, cyan };

/// With the codes for it.
[[nodiscard]] std::string tinted(const std::string& text, Tint tint);

/// A paragraph.
struct Said {
  std::string text;
  Tint tint = Tint::none;
};

}  // namespace gpumem::report
