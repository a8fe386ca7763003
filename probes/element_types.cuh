#pragma once
// The types of elements that kernels compute with beside float and double, and words that hold several elements.

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>

#include <cstdint>
#include <type_traits>

#include "probes/real_format.hpp"

namespace gpumem {

using Half = __half;
using Bfloat16 = __nv_bfloat16;
using Int8 = std::int8_t;
using Fp8 = __nv_fp8_e4m3;

/// A type, and the name that a probe's choices have for it.
template <class RealType, auto type_name>
struct NamedReal {
  using Real = RealType;
  static constexpr auto type = type_name;
};

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
