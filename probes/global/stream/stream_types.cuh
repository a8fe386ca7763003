#pragma once
// The types of narrow elements that STREAM computes with, beside float and double: half, bfloat16, int8 and fp8. Their
// arithmetic is the one that a kernel of a user has: that of the type, or float where the type has none.

#include <cstdint>

#include "probes/element_types.cuh"

namespace gpumem::global {

template <class Real>
inline constexpr bool is_narrow = sizeof(Real) < sizeof(float);

/// The type in which products of elements are added up: float and double add up their own, integers are added up as
/// 32-bit integers, and narrow numbers as float.
template <class Real>
struct SumOf {
  using Type = float;
};
template <>
struct SumOf<double> {
  using Type = double;
};
template <>
struct SumOf<Int8> {
  using Type = std::int32_t;
};
template <class Real>
using Sum = typename SumOf<Real>::Type;

/// The scalar of BabelStream. Narrow types take 2 instead: with small integers as elements all their results are exact.
template <class Real>
__device__ constexpr Sum<Real> stream_scalar() {
  if constexpr (is_narrow<Real>) {
    return 2;
  } else {
    return static_cast<Real>(0.4);
  }
}

// The value that a kernel computes from an element of each array that it reads. Roundings are spelt out, so that the
// check can expect the very bits.

__device__ inline float product(float a, float b) { return __fmul_rn(a, b); }
__device__ inline double product(double a, double b) { return __dmul_rn(a, b); }
__device__ inline Half product(Half a, Half b) { return __hmul_rn(a, b); }
__device__ inline Bfloat16 product(Bfloat16 a, Bfloat16 b) { return __hmul_rn(a, b); }
__device__ inline Int8 product(Int8 a, Int8 b) { return static_cast<Int8>(a * b); }
__device__ inline Fp8 product(Fp8 a, Fp8 b) { return Fp8(static_cast<float>(a) * static_cast<float>(b)); }

__device__ inline float sum(float a, float b) { return __fadd_rn(a, b); }
__device__ inline double sum(double a, double b) { return __dadd_rn(a, b); }
__device__ inline Half sum(Half a, Half b) { return __hadd_rn(a, b); }
__device__ inline Bfloat16 sum(Bfloat16 a, Bfloat16 b) { return __hadd_rn(a, b); }
__device__ inline Int8 sum(Int8 a, Int8 b) { return static_cast<Int8>(a + b); }
__device__ inline Fp8 sum(Fp8 a, Fp8 b) { return Fp8(static_cast<float>(a) + static_cast<float>(b)); }

__device__ inline float product_and_sum(float a, float b, float c) { return __fmaf_rn(a, b, c); }
__device__ inline double product_and_sum(double a, double b, double c) { return __fma_rn(a, b, c); }
__device__ inline std::int32_t product_and_sum(std::int32_t a, std::int32_t b, std::int32_t c) { return a * b + c; }
__device__ inline Half product_and_sum(Half a, Half b, Half c) { return __hfma(a, b, c); }
__device__ inline Bfloat16 product_and_sum(Bfloat16 a, Bfloat16 b, Bfloat16 c) {
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 800
  return __hfma(a, b, c);
#else  // without an instruction for it
  return __float2bfloat16_rn(__fmaf_rn(__bfloat162float(a), __bfloat162float(b), __bfloat162float(c)));
#endif
}
__device__ inline Int8 product_and_sum(Int8 a, Int8 b, Int8 c) { return static_cast<Int8>(a * b + c); }
__device__ inline Fp8 product_and_sum(Fp8 a, Fp8 b, Fp8 c) {
  return Fp8(static_cast<float>(a) * static_cast<float>(b) + static_cast<float>(c));
}

}  // namespace gpumem::global
