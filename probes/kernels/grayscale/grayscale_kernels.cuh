#pragma once
// An image made grey, pixel by pixel or in words of 16 bytes. Numbers are computed with as float.

#include <cstdint>
#include <type_traits>

#include "engine/measure/content.hpp"
#include "probes/element_types.cuh"
#include "probes/global/verify.cuh"
#include "probes/kernels/grayscale/grayscale.hpp"

namespace gpumem::kernels {

template <class Real>
inline constexpr bool is_byte = std::is_same_v<Real, std::uint8_t>;

template <class Real>
__device__ Real grey_pixel(Real red, Real green, Real blue) {
  if constexpr (is_byte<Real>) {
    return static_cast<std::uint8_t>(grey_of(red, green, blue));
  } else {
    const auto weighted = [](std::uint32_t weight, Real channel, float sum) {
      return __fmaf_rn(static_cast<float>(weight) / whole_weight, static_cast<float>(channel), sum);
    };
    return Real(weighted(blue_weight, blue, weighted(green_weight, green, weighted(red_weight, red, 0))));
  }
}

/// A pixel per thread.
template <class Real, class Layout>
__global__ void __launch_bounds__(1024)
    grey_by_pixels(const Real* image, Real* grey, std::uint64_t pixels, Layout layout) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  grey[i] = grey_pixel(image[layout.element(i, 0)], image[layout.element(i, 1)], image[layout.element(i, 2)]);
}

/// Elements in a 32-bit register, and their bits.
template <class Real>
inline constexpr unsigned register_elements = sizeof(std::uint32_t) / sizeof(Real);
template <class Real>
inline constexpr unsigned element_bits = 8 * sizeof(Real);

/// Element k of words that lie one behind another. With k known, so that words are registers.
template <class Real>
__device__ Real element_of(const uint4 (&words)[channels], unsigned k) {
  constexpr unsigned word_elements = sizeof(uint4) / sizeof(Real);
  const uint4& word = words[k / word_elements];
  const unsigned part = k % word_elements / register_elements<Real>;
  const std::uint32_t bits = (part == 0   ? word.x
                              : part == 1 ? word.y
                              : part == 2 ? word.z
                                          : word.w) >>
                             (k % register_elements<Real> * element_bits<Real>);
  Real element;
  memcpy(&element, &bits, sizeof(Real));
  return element;
}

/// The pixels of a word per thread.
template <class Real, class Layout>
__global__ void __launch_bounds__(1024)
    grey_by_words(const Real* image, Real* grey, std::uint64_t groups, Layout layout) {
  constexpr unsigned group_pixels = grey_word_bytes / sizeof(Real);
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  uint4 words[channels];
#pragma unroll
  for (unsigned k = 0; k < channels; ++k) {
    words[k] = *reinterpret_cast<const uint4*>(image + layout.word(i, k, group_pixels));
  }
  // A group of its own is a small image in the same layout.
  const Layout within{group_pixels};
  std::uint32_t four[sizeof(uint4) / sizeof(std::uint32_t)] = {};
#pragma unroll
  for (unsigned pixel = 0; pixel < group_pixels; ++pixel) {
    const auto channel = [&](unsigned number) {
      return element_of<Real>(words, static_cast<unsigned>(within.element(pixel, number)));
    };
    const Real of_pixel = grey_pixel(channel(0), channel(1), channel(2));
    std::uint32_t bits = 0;
    memcpy(&bits, &of_pixel, sizeof(Real));
    four[pixel / register_elements<Real>] |= bits << (pixel % register_elements<Real> * element_bits<Real>);
  }
  reinterpret_cast<uint4*>(grey)[i] = {four[0], four[1], four[2], four[3]};
}

/// The random content of an image: bytes, or numbers that are 256ths and so exact in every type.
template <class Real>
__device__ Real channel_value(std::uint64_t element) {
  const std::uint32_t byte = measure::ContentParts::of(1).random(element);
  if constexpr (is_byte<Real>) {
    return static_cast<std::uint8_t>(byte);
  } else {
    return Real(static_cast<float>(byte) * 0x1p-8F);
  }
}

template <class Real>
__global__ void fill_channels(Real* image, std::uint64_t count) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    image[i] = channel_value<Real>(i);
  }
}

/// A number of a type in double precision.
template <class Real>
__device__ double exact(Real real) {
  if constexpr (is_byte<Real>) {
    return real;
  } else {
    return static_cast<double>(static_cast<float>(real));
  }
}

/// Every pixel of the image that begins at an element of the source, against the weights in double precision. The sums
/// of bytes are whole 256ths, and those of numbers whole 65536ths: both are exact also in float, so nothing is rounded
/// but the result.
template <class Real, class Layout>
__global__ void check_grey(const Real* grey, std::uint64_t pixels, std::uint64_t image, Layout layout,
                           global::Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pixels; i += step) {
    const auto value = [&](unsigned channel) { return exact(channel_value<Real>(image + layout.element(i, channel))); };
    const double sum = value(0) * (77 / 256.) + value(1) * (150 / 256.) + value(2) * (29 / 256.);
    const double expected = is_byte<Real> ? floor(sum + 0.5) : format_of<Real>().nearest(sum);
    if (exact(grey[i]) != expected) global::report_mismatch(found, i);
  }
}

}  // namespace gpumem::kernels
