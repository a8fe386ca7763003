#pragma once
// The types of the elements of arrays, by name. Their C++ types are in element_types.cuh, which only kernels need.

#include <cstdint>
#include <stdexcept>

namespace gpumem {

/// fp8 is E4M3 of the OCP 8-bit Floating Point Specification.
enum class ElementType { float32, float64, half, bfloat16, int8, uint8, fp8 };

[[nodiscard]] constexpr std::uint32_t bytes_of(ElementType type) {
  switch (type) {
    case ElementType::float64:
      return 8;
    case ElementType::float32:
      return 4;
    case ElementType::half:
    case ElementType::bfloat16:
      return 2;
    case ElementType::int8:
    case ElementType::uint8:
    case ElementType::fp8:
      return 1;
  }
  throw std::logic_error("a type of elements has no size");
}

}  // namespace gpumem
