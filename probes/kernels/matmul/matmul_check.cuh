#pragma once
// The content of the matrices and the check of their product, which shares nothing with the kernels that it checks but
// the elements of A and B.

#include <cstdint>

#include "probes/kernels/matmul/matmul_check.hpp"

namespace gpumem::kernels {

/// The result of a check, in device memory.
struct WrongEntries {
  unsigned long long count = 0;
  unsigned long long first = ~0ULL;  ///< smallest index of a wrong element of C; all ones without any
};

__device__ inline void report_wrong(WrongEntries* found, std::uint64_t index) {
  atomicAdd(&found->count, 1ULL);
  atomicMin(&found->first, static_cast<unsigned long long>(index));
}

/// Element of A (matrix 0) or B (1), in [0, 1), with all of its fraction random.
template <class Real>
__device__ Real matrix_value(unsigned matrix, std::uint64_t element) {
  const std::uint64_t index = 2 * element + matrix;
  if constexpr (sizeof(Real) == sizeof(float)) {
    return static_cast<float>(measure::random_word(index) >> 8U) * 0x1p-24F;
  } else {
    const std::uint64_t high = measure::random_word(2 * index);
    const std::uint64_t low = measure::random_word(2 * index + 1);
    return static_cast<double>((high << 32U | low) >> 11U) * 0x1p-53;
  }
}

template <class Real>
__global__ void fill_matrix(Real* values, unsigned matrix, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    values[i] = matrix_value<Real>(matrix, i);
  }
}

/// A sum of products of floats, which doubles hold exactly: rounding loses 2^-29 of what it loses in floats.
struct ReferenceSum {
  double sum = 0;

  __device__ void add(float a, float b) { sum += static_cast<double>(a) * static_cast<double>(b); }
  [[nodiscard]] __device__ double value() const { return sum; }
  [[nodiscard]] __device__ double off(double computed) const { return fabs(computed - sum); }
};

/// A sum of products of doubles. The roundings of every product and addition are kept and added at the end (Ogita, Rump
/// and Oishi, Accurate Sum and Dot Product, algorithm 5.3): as if in twice the precision.
struct CompensatedSum {
  double sum = 0;
  double lost = 0;

  __device__ void add(double a, double b) {
    const double product = __dmul_rn(a, b);
    const double next = __dadd_rn(sum, product);
    const double kept = __dadd_rn(next, -sum);
    const double of_sum = __dadd_rn(__dadd_rn(sum, -__dadd_rn(next, -kept)), __dadd_rn(product, -kept));
    lost = __dadd_rn(lost, __dadd_rn(__fma_rn(a, b, -product), of_sum));
    sum = next;
  }
  [[nodiscard]] __device__ double value() const { return __dadd_rn(sum, lost); }
  [[nodiscard]] __device__ double off(double computed) const {
    return fabs(__dadd_rn(__dadd_rn(computed, -sum), -lost));  // the sum as one double would be rounded again
  }
};

__device__ inline ReferenceSum reference_of(float /*of such*/) { return {}; }
__device__ inline CompensatedSum reference_of(double /*of such*/) { return {}; }

/// Checks `entries` elements of C: all of them if C has no more. In whatever order it is added up, a sum of k products
/// is off by no more than gamma_k = k u / (1 - k u) times the sum of their absolute values (Higham, Accuracy and
/// Stability of Numerical Algorithms, section 3.1), which for matrices without negative elements is the sum itself.
template <class Real>
__global__ void check_product(const Real* c, ProductShape shape, std::uint64_t entries, WrongEntries* found) {
  constexpr double unit_roundoff = sizeof(Real) == sizeof(float) ? 0x1p-24 : 0x1p-53;
  const bool whole = entries == std::uint64_t{shape.m} * shape.n;
  const double gamma = shape.k * unit_roundoff / (1 - shape.k * unit_roundoff);
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < entries; i += step) {
    const ProductEntry entry =
        whole ? ProductEntry{static_cast<std::uint32_t>(i / shape.n), static_cast<std::uint32_t>(i % shape.n)}
              : checked_entry(static_cast<std::uint32_t>(i), shape);
    auto sum = reference_of(Real{});
    for (std::uint32_t k = 0; k < shape.k; ++k) {
      sum.add(matrix_value<Real>(0, std::uint64_t{entry.row} * shape.k + k),
              matrix_value<Real>(1, std::uint64_t{k} * shape.n + entry.column));
    }
    const std::uint64_t index = std::uint64_t{entry.row} * shape.n + entry.column;
    const double off = sum.off(static_cast<double>(c[index]));
    if (!(off <= gamma * sum.value())) report_wrong(found, index);  // not a number is wrong, too
  }
}

/// Reports elements that no product of these matrices can have: below 0, as poison is, or above k.
template <class Real>
__global__ void check_range(const Real* c, ProductShape shape, WrongEntries* found) {
  const std::uint64_t count = std::uint64_t{shape.m} * shape.n;
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (!(c[i] >= 0 && c[i] <= static_cast<Real>(shape.k))) report_wrong(found, i);
  }
}

}  // namespace gpumem::kernels
