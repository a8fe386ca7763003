#pragma once
// The axis of the probes that compute in either precision.

#include <string>
#include <utility>

#include "probes/probe.hpp"

namespace gpumem::kernels {

namespace axis {
inline constexpr Choice<bool> doubles{"type", {{"float", false}, {"double", true}}};
}

[[nodiscard]] inline Axis type_axis(std::string purpose) {
  return axis::doubles({.flag = "type", .purpose = std::move(purpose), .defaults = "float,double", .quick = "float"});
}

}  // namespace gpumem::kernels
