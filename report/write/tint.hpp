#pragma once
// The tints of text on a terminal that has colours.

#include <string>

namespace gpumem::report {

enum class Tint { none, bold, dim, red, green, yellow, cyan };

/// The text with the terminal's codes for the tint.
[[nodiscard]] std::string tinted(const std::string& text, Tint tint);

/// A paragraph.
struct Note {
  std::string text;
  Tint tint = Tint::none;
};

}  // namespace gpumem::report
