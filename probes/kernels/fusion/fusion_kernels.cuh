#pragma once
// GeLU in its tanh form, y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))): step by step, each a pass over whole
// arrays, or in one kernel. Roundings are spelt out, so that both compute the same bits.

#include <cstdint>

#include "engine/measure/content.hpp"
#include "probes/global/verify.cuh"
#include "probes/kernels/fusion/fusion.hpp"

namespace gpumem::kernels {

constexpr double gelu_cubic = 0.044715;
constexpr double gelu_scale = 0.79788456080286535588;  ///< sqrt(2 / pi)

__device__ inline float apply(GeluStep step, float t, float x) {
  switch (step) {
    case GeluStep::square:
      return __fmul_rn(t, t);
    case GeluStep::cube:
      return __fmul_rn(t, x);
    case GeluStep::scale_cube:
      return __fmul_rn(static_cast<float>(gelu_cubic), t);
    case GeluStep::add_x:
      return __fadd_rn(x, t);
    case GeluStep::scale_sum:
      return __fmul_rn(static_cast<float>(gelu_scale), t);
    case GeluStep::tanh:
      return tanhf(t);
    case GeluStep::add_one:
      return __fadd_rn(1.0F, t);
    case GeluStep::times_x:
      return __fmul_rn(t, x);
    case GeluStep::halve:
      return __fmul_rn(0.5F, t);
  }
  return t;
}

__device__ inline float4 apply(GeluStep step, float4 t, float4 x) {
  return {apply(step, t.x, x.x), apply(step, t.y, x.y), apply(step, t.z, x.z), apply(step, t.w, x.w)};
}

/// One step over whole arrays. The step is an argument, so that all steps are launches of one kernel.
template <class Word>
__global__ void __launch_bounds__(1024)
    gelu_step(GeluStep step, const Word* source, const Word* x, Word* target, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Word t = source[i];
  Word also{};
  if (reads_x_too(step)) also = x[i];
  target[i] = apply(step, t, also);
}

/// All steps, with t in registers.
template <class Word>
__global__ void __launch_bounds__(1024) fused_gelu(const Word* x, Word* target, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const Word of_x = x[i];
  Word t = of_x;
#pragma unroll
  for (unsigned step = 0; step < gelu_steps; ++step) t = apply(static_cast<GeluStep>(step), t, of_x);
  target[i] = t;
}

/// Random, in [-4, 4): where GeLU is neither 0 nor x. A multiple of 2^-21, so exact.
__device__ inline float gelu_input(std::uint64_t element) {
  return static_cast<float>(measure::random_word(element) >> 8U) * 0x1p-21F - 4.0F;
}

template <class Real>
__global__ void fill_gelu_input(Real* x, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    x[i] = gelu_input(i);
  }
}

/// Compares with double precision. With e = 2^-24, half an epsilon: the argument u of tanh has at most 7 roundings of e
/// each, the two constants' own among them, and all its terms have one sign; |u| (1 - tanh(u)^2) is at most 0.45, so
/// tanh is off by 3.2 e for that, and by 2 e of its own (CUDA C++ Programming Guide, mathematical functions: 1 ulp).
/// The sum 1 + tanh is rounded by e, times x by 2 e |x|. Half of the sum is 4.1 e |x|; twice that is allowed.
template <class Real>
__global__ void check_gelu(const Real* y, std::uint64_t count, global::Mismatches* found) {
  constexpr double allowed = 8.2 * 0x1p-24;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const double x = static_cast<double>(gelu_input(i));
    const double expected = 0.5 * x * (1 + tanh(gelu_scale * (x + gelu_cubic * x * x * x)));
    const double off = fabs(static_cast<double>(y[i]) - expected);
    if (!(off <= allowed * fabs(x))) global::report_mismatch(found, i);  // not a number is wrong, too
  }
}

}  // namespace gpumem::kernels
