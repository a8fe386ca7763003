#pragma once
// The kernels of STREAM, the content of their arrays, and the checks of their results.

#include <cstdint>

#include "engine/access/request.hpp"
#include "engine/measure/content.hpp"
#include "probes/global/launch.hpp"
#include "probes/global/stream/stream_types.cuh"
#include "probes/global/verify.cuh"

namespace gpumem::global {

enum class StreamKernel { copy, mul, add, triad, dot };

struct StreamCopy {
  static constexpr StreamKernel kernel = StreamKernel::copy;
  static constexpr unsigned inputs = 1;
  static constexpr unsigned flops = 0;
  template <class Real>
  __device__ Real operator()(Real a, Real /*unused*/, Real /*unused*/) const {
    return a;
  }
};
struct StreamMul {
  static constexpr StreamKernel kernel = StreamKernel::mul;
  static constexpr unsigned inputs = 1;
  static constexpr unsigned flops = 1;
  template <class Real>
  __device__ Real operator()(Real a, Real /*unused*/, Real scalar) const {
    return product(scalar, a);
  }
};
struct StreamAdd {
  static constexpr StreamKernel kernel = StreamKernel::add;
  static constexpr unsigned inputs = 2;
  static constexpr unsigned flops = 1;
  template <class Real>
  __device__ Real operator()(Real a, Real b, Real /*unused*/) const {
    return sum(a, b);
  }
};
struct StreamTriad {
  static constexpr StreamKernel kernel = StreamKernel::triad;
  static constexpr unsigned inputs = 2;
  static constexpr unsigned flops = 2;
  template <class Real>
  __device__ Real operator()(Real a, Real b, Real scalar) const {
    return product_and_sum(scalar, b, a);
  }
};
/// Dot has a kernel of its own, which writes only partial sums.
struct StreamDot {
  static constexpr StreamKernel kernel = StreamKernel::dot;
  static constexpr unsigned inputs = 2;
  static constexpr unsigned flops = 2;
};

// Words of one, two or four elements.

template <class Operation>
__device__ float lanewise(Operation of, float a, float b) {
  return of(a, b, stream_scalar<float>());
}
template <class Operation>
__device__ double lanewise(Operation of, double a, double b) {
  return of(a, b, stream_scalar<double>());
}
template <class Operation>
__device__ float2 lanewise(Operation of, float2 a, float2 b) {
  return {lanewise(of, a.x, b.x), lanewise(of, a.y, b.y)};
}
template <class Operation>
__device__ double2 lanewise(Operation of, double2 a, double2 b) {
  return {lanewise(of, a.x, b.x), lanewise(of, a.y, b.y)};
}
template <class Operation>
__device__ float4 lanewise(Operation of, float4 a, float4 b) {
  return {lanewise(of, a.x, b.x), lanewise(of, a.y, b.y), lanewise(of, a.z, b.z), lanewise(of, a.w, b.w)};
}

/// An operation on words of narrow elements. A copy needs not know what they are.
template <class Operation, class Real>
struct OnElements {
  static constexpr unsigned inputs = Operation::inputs;
};
using CopiedBits = OnElements<StreamCopy, void>;

template <class Word>
__device__ Word lanewise(CopiedBits, Word a, Word /*unused*/) {
  return a;
}
template <class Operation, class Real, class Word>
__device__ Word lanewise(OnElements<Operation, Real>, Word a, Word b) {
  auto of_a = Elements<Word, Real>::in(a);
  const auto of_b = Elements<Word, Real>::in(b);
#pragma unroll
  for (unsigned k = 0; k < of_a.count; ++k) {
    of_a.of[k] = Operation{}(of_a.of[k], of_b.of[k], Real(stream_scalar<Real>()));
  }
  return of_a.word();
}

__device__ static float add_product(float total, float a, float b) { return product_and_sum(a, b, total); }
__device__ static double add_product(double total, double a, double b) { return product_and_sum(a, b, total); }
__device__ static float add_product(float total, float2 a, float2 b) {
  return add_product(add_product(total, a.x, b.x), a.y, b.y);
}
__device__ static double add_product(double total, double2 a, double2 b) {
  return add_product(add_product(total, a.x, b.x), a.y, b.y);
}
__device__ static float add_product(float total, float4 a, float4 b) {
  return add_product(add_product(total, float2{a.x, a.y}, float2{b.x, b.y}), float2{a.z, a.w}, float2{b.z, b.w});
}

/// Adds the products of a word's elements to a total, for words of float and double and for words of narrow elements.
template <class Real, class Word>
__device__ Sum<Real> with_products(Sum<Real> total, const Word& a, const Word& b) {
  if constexpr (is_narrow<Real>) {
    const auto of_a = Elements<Word, Real>::in(a);
    const auto of_b = Elements<Word, Real>::in(b);
#pragma unroll
    for (unsigned k = 0; k < of_a.count; ++k) {
      total = product_and_sum(static_cast<Sum<Real>>(of_a.of[k]), static_cast<Sum<Real>>(of_b.of[k]), total);
    }
    return total;
  } else {
    return add_product(total, a, b);
  }
}

template <class Word, class Operation, unsigned words_per_thread>
__global__ void __launch_bounds__(1024) stream(const Word* a, const Word* b, Word* target, std::uint64_t count) {
  const Tile tile{blockDim.x, words_per_thread};
  Word of_a[words_per_thread];
  Word of_b[words_per_thread] = {};
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i >= count) continue;
    of_a[turn] = a[i];
    if constexpr (Operation::inputs == 2) of_b[turn] = b[i];
  }
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i < count) target[i] = lanewise(Operation{}, of_a[turn], of_b[turn]);
  }
}

/// Stores the sum of each warp's products. Adding those up is left out: they are at most 1.6 % of the data.
template <class Word, class Real, unsigned words_per_thread>
__global__ void __launch_bounds__(1024) dot(const Word* a, const Word* b, Sum<Real>* sums, std::uint64_t count) {
  const Tile tile{blockDim.x, words_per_thread};
  Word of_a[words_per_thread] = {};
  Word of_b[words_per_thread] = {};
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    const std::uint64_t i = tile.element(blockIdx.x, threadIdx.x, turn);
    if (i >= count) continue;
    of_a[turn] = a[i];
    of_b[turn] = b[i];
  }
  Sum<Real> total = 0;
#pragma unroll
  for (unsigned turn = 0; turn < words_per_thread; ++turn) {
    total = with_products<Real>(total, of_a[turn], of_b[turn]);
  }
#pragma unroll
  for (unsigned distance = access::warp_lanes / 2; distance > 0; distance /= 2) {
    total += __shfl_xor_sync(~0U, total, distance);
  }
  const std::uint64_t thread = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (threadIdx.x % access::warp_lanes == 0) sums[thread / access::warp_lanes] = total;
}

// Content and checks. Inputs lie in [1, 2) with a random fraction, so that sums of products cancel nothing. Inputs of
// narrow types are 1, 2, 3 or 4: every result is then a number of the type, and every sum is exact.

template <class Real>
__device__ Real stream_value(unsigned array, std::uint64_t element) {
  const std::uint64_t index = 2 * element + array;
  if constexpr (is_narrow<Real>) {
    return Real(static_cast<Sum<Real>>(1 + (measure::random_word(index) >> 8U) % 4));
  } else if constexpr (sizeof(Real) == sizeof(float)) {
    return __uint_as_float(0x3F800000U | (measure::random_word(index) >> 9U));
  } else {
    return __hiloint2double(static_cast<int>(0x3FF00000U | (measure::random_word(2 * index) >> 12U)),
                            static_cast<int>(measure::random_word(2 * index + 1)));
  }
}

template <class Real>
__global__ void fill_stream(Real* values, unsigned array, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    values[i] = stream_value<Real>(array, i);
  }
}

template <class Real, class Operation>
__global__ void check_stream(const Real* target, std::uint64_t count, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    const auto a = stream_value<Real>(0, i);
    const auto b = stream_value<Real>(1, i);
    bool right = false;
    if constexpr (is_narrow<Real>) {
      const auto exact = [](Real real) { return static_cast<double>(static_cast<Sum<Real>>(real)); };
      right = exact(target[i]) == Operation{}(exact(a), exact(b), static_cast<double>(stream_scalar<Real>()));
    } else {
      right = target[i] == Operation{}(a, b, stream_scalar<Real>());
    }
    if (!right) report_mismatch(found, i);
  }
}

/// Checks each warp's sum against one in double precision. All products are positive, so rounding is off by no more
/// than half an epsilon of the sum for every product added to another in a thread, for the five additions between
/// threads, and for every addition of the check itself (Higham, Accuracy and Stability of Numerical Algorithms, section
/// 4.2); twice that is allowed. A product that is missing or wrong is a hundred times as much. Sums of narrow elements
/// are exact.
template <class Real>
__global__ void check_dot(const Sum<Real>* sums, std::uint64_t count, std::uint32_t reals_per_word, Tile tile,
                          std::uint64_t warps, Mismatches* found) {
  constexpr double half_epsilon = is_narrow<Real> ? 0 : sizeof(Real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
  constexpr double check_half_epsilon = 0x1p-53;
  const std::uint64_t warps_per_block = tile.block_threads / access::warp_lanes;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t warp = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; warp < warps; warp += step) {
    const auto thread = static_cast<std::uint32_t>(warp % warps_per_block * access::warp_lanes);
    double expected = 0;
    double products = 0;
    for (std::uint32_t turn = 0; turn < tile.elements_per_thread; ++turn) {
      const std::uint64_t first = tile.element(warp / warps_per_block, thread, turn) * reals_per_word;
      const std::uint64_t end = first + std::uint64_t{access::warp_lanes} * reals_per_word;
      for (std::uint64_t i = first; i < end && i < count; ++i) {
        expected += static_cast<double>(static_cast<Sum<Real>>(stream_value<Real>(0, i))) *
                    static_cast<double>(static_cast<Sum<Real>>(stream_value<Real>(1, i)));
        products += 1;
      }
    }
    const double roundings = (products / access::warp_lanes + 5) * half_epsilon + products * check_half_epsilon;
    const double off = fabs(static_cast<double>(sums[warp]) - expected);
    if (!(off <= 2 * roundings * expected)) report_mismatch(found, warp);  // not a number is wrong, too
  }
}

}  // namespace gpumem::global
