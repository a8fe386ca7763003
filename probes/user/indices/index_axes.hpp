#pragma once
// Axes of the probes that take index arrays, and the values of them.

#include <cstdint>
#include <string>

#include "engine/pattern/index_file.hpp"
#include "probes/axis.hpp"
#include "probes/probe.hpp"

namespace gpumem::global {

namespace axis {
inline constexpr Text indices{"indices"};
inline constexpr Text index_format{"index_format"};
inline constexpr Text index_column{"index_column"};
}  // namespace axis

/// The axis of the arrays, with these defaults (`defaults`, `quick`). Its flag selects `indices` and its variants.
[[nodiscard]] Axis indices_axis(const std::string& defaults, const std::string& quick);
[[nodiscard]] Axis index_format_axis();
[[nodiscard]] Axis index_column_axis();

/// The options with which the files of a case are read.
[[nodiscard]] pattern::IndexOptions index_options_of(const Case& tested);

}  // namespace gpumem::global
