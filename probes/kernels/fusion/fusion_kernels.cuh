#pragma once
// GeLU step by step, each a pass over whole arrays, or in one kernel. Both compute in float, in the same order and with
// roundings spelt out, so that they compute the same bits of floats. In a narrower type the steps round every t that
// they store, and the one kernel only y.

#include <cstdint>

#include "engine/measure/content.hpp"
#include "probes/element_types.cuh"
#include "probes/global/verify.cuh"
#include "probes/kernels/fusion/gelu.hpp"

namespace gpumem::kernels {

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

/// The word of 16 bytes that a thread moves.
template <class Real>
using GeluWord = Elements<uint4, Real>;

template <class Real>
__device__ GeluWord<Real> apply(GeluStep step, GeluWord<Real> t, const GeluWord<Real>& x) {
#pragma unroll
  for (unsigned k = 0; k < t.count; ++k) {
    t.of[k] = Real(apply(step, static_cast<float>(t.of[k]), static_cast<float>(x.of[k])));
  }
  return t;
}

/// Applies a step that is known only when the kernel runs. The branch is outside of the loop over the elements.
template <unsigned step = 0, class Real>
__device__ GeluWord<Real> apply_one(GeluStep wanted, const GeluWord<Real>& t, const GeluWord<Real>& x) {
  if constexpr (step + 1 < gelu_steps) {
    if (wanted != static_cast<GeluStep>(step)) return apply_one<step + 1>(wanted, t, x);
  }
  return apply(static_cast<GeluStep>(step), t, x);
}

/// One step over whole arrays. The step is an argument, so that all steps are launches of one kernel.
template <class Real>
__global__ void __launch_bounds__(1024)
    gelu_step(GeluStep step, const uint4* source, const uint4* x, uint4* target, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  const uint4 t = source[i];
  uint4 also{};
  if (reads_x_too(step)) also = x[i];
  target[i] = apply_one(step, GeluWord<Real>::in(t), GeluWord<Real>::in(also)).word();
}

/// All steps, with t in registers as float.
template <class Real>
__global__ void __launch_bounds__(1024) fused_gelu(const uint4* x, uint4* target, std::uint64_t count) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= count) return;
  auto word = GeluWord<Real>::in(x[i]);
#pragma unroll
  for (unsigned k = 0; k < word.count; ++k) {
    const auto of_x = static_cast<float>(word.of[k]);
    float t = of_x;
#pragma unroll
    for (unsigned step = 0; step < gelu_steps; ++step) t = apply(static_cast<GeluStep>(step), t, of_x);
    word.of[k] = Real(t);
  }
  target[i] = word.word();
}

/// Random, in [-4, 4]: where GeLU is neither 0 nor x. A multiple of 2^-21, rounded to the type.
template <class Real>
__device__ Real gelu_input(std::uint64_t element) {
  return Real(static_cast<float>(measure::random_word(element) >> 8U) * 0x1p-21F - 4.0F);
}

template <class Real>
__global__ void fill_gelu_input(Real* x, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    x[i] = gelu_input<Real>(i);
  }
}

/// Every y must lie where double precision says that roundings may take it, see gelu_interval(). Not a number is wrong,
/// too.
template <class Real>
__global__ void check_gelu(const Real* y, std::uint64_t count, bool stores_every_step, global::Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const auto x = static_cast<double>(static_cast<float>(gelu_input<Real>(i)));
    const Interval expected = gelu_interval(x, format_of<Real>(), stores_every_step);
    if (!expected.contains(static_cast<double>(static_cast<float>(y[i])))) global::report_mismatch(found, i);
  }
}

}  // namespace gpumem::kernels
