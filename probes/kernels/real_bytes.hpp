#pragma once
// The parameter of the probes that compute in either precision: the size of a number.

#include "probes/axis.hpp"

namespace gpumem::kernels::axis {

inline constexpr Choice<std::uint32_t> real_bytes{"type", {{"float", sizeof(float)}, {"double", sizeof(double)}}};

}  // namespace gpumem::kernels::axis
