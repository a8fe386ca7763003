#pragma once
// Binary floating-point types as checks know them, apart from the conversions that the checked kernels use.

#include <cmath>

#include "engine/access/host_device.hpp"

namespace gpumem {

/// A type, as far as rounding to its nearest number asks for it.
struct RealFormat {
  int digits;          ///< of a significand, the first one included; 0: rounds nothing
  int least_exponent;  ///< the smallest number of the type is 2 to this power

  /// Returns the number of the type that is nearest, the even one of two. Numbers beyond the largest are not cut.
  [[nodiscard]] GPUMEM_HOST_DEVICE double nearest(double value) const {
    if (digits == 0 || value == 0) return value;
    const int exponent = ilogb(value) + 1 - digits;
    const int unit = exponent > least_exponent ? exponent : least_exponent;
    return ldexp(rint(ldexp(value, -unit)), unit);
  }
};
inline constexpr RealFormat float_format{0, 0};        ///< values that are checked are computed in float
inline constexpr RealFormat half_format{11, -24};      ///< IEEE 754, binary16
inline constexpr RealFormat bfloat16_format{8, -133};  ///< the upper half of a float
inline constexpr RealFormat fp8_format{4, -9};         ///< E4M3 of the OCP 8-bit Floating Point Specification

}  // namespace gpumem
