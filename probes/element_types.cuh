#pragma once
// The types of elements that kernels compute with beside float and double, and words that hold several elements.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

#include "probes/dispatch.hpp"
#include "probes/element_type.hpp"
#include "probes/real_format.hpp"

namespace gpumem {

using Half = __half;
using Bfloat16 = __nv_bfloat16;
using Int8 = std::int8_t;
using Fp8 = __nv_fp8_e4m3;

/// The C++ type of a name.
template <ElementType named>
struct RealOf;
template <>
struct RealOf<ElementType::float32> : std::type_identity<float> {};
template <>
struct RealOf<ElementType::float64> : std::type_identity<double> {};
template <>
struct RealOf<ElementType::half> : std::type_identity<Half> {};
template <>
struct RealOf<ElementType::bfloat16> : std::type_identity<Bfloat16> {};
template <>
struct RealOf<ElementType::int8> : std::type_identity<Int8> {};
template <>
struct RealOf<ElementType::uint8> : std::type_identity<std::uint8_t> {};
template <>
struct RealOf<ElementType::fp8> : std::type_identity<Fp8> {};

template <ElementType named>
struct NamedReal {
  static constexpr ElementType type = named;
  using Real = typename RealOf<named>::type;
  static_assert(sizeof(Real) == bytes_of(named));
};

/// Tags of dispatch(): the NamedReal of each type that kernels are compiled for.
template <ElementType... types>
[[nodiscard]] constexpr auto real_among(ElementType type) {
  return first_that<NamedReal<types>...>([=](auto real) { return real.type == type; });
}

/// The format of a type as checks know it.
template <class Real>
__device__ constexpr RealFormat format_of() {
  if constexpr (std::is_same_v<Real, Half>) {
    return half_format;
  } else if constexpr (std::is_same_v<Real, Bfloat16>) {
    return bfloat16_format;
  } else if constexpr (std::is_same_v<Real, Fp8>) {
    return fp8_format;
  } else {
    return float_format;
  }
}

/// A word whose elements are of another type than the word.
template <class Word, class Real>
struct Elements {
  static constexpr unsigned count = sizeof(Word) / sizeof(Real);
  Real of[count];

  /// Takes a copy: bytes behind a reference would be loaded from memory one by one.
  __device__ static Elements in(Word word) {
    Elements elements;
    memcpy(&elements, &word, sizeof(Word));
    return elements;
  }
  __device__ Word word() const {
    Word packed;
    memcpy(&packed, this, sizeof(Word));
    return packed;
  }
};

}  // namespace gpumem
