#pragma once

namespace gpumem::report {

/// How a piece of text looks on a terminal that has colours.
enum class Tint { none, bold, dim, red, yellow, cyan };

}  // namespace gpumem::report
