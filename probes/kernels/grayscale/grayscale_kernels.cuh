#pragma once
// An image made grey, byte by byte or in words of 16 bytes.

#include <cstdint>

#include "engine/measure/content.hpp"
#include "probes/global/verify.cuh"
#include "probes/kernels/grayscale/grayscale.hpp"

namespace gpumem::kernels {

/// A pixel per thread.
template <class Layout>
__global__ void __launch_bounds__(1024)
    grey_by_pixels(const std::uint8_t* image, std::uint8_t* grey, std::uint64_t pixels, Layout layout) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= pixels) return;
  grey[i] =
      static_cast<std::uint8_t>(grey_of(image[layout.byte(i, 0)], image[layout.byte(i, 1)], image[layout.byte(i, 2)]));
}

/// Byte k of words that lie one behind another. With k known, so that words are registers.
__device__ inline std::uint32_t byte_of(const uint4 (&words)[channels], unsigned k) {
  const uint4& word = words[k / 16];
  const unsigned part = k % 16 / 4;
  const std::uint32_t four = part == 0 ? word.x : part == 1 ? word.y : part == 2 ? word.z : word.w;
  return four >> (k % 4 * 8U) & 0xFFU;
}

/// Sixteen pixels per thread.
template <class Layout>
__global__ void __launch_bounds__(1024)
    grey_by_words(const std::uint8_t* image, std::uint8_t* grey, std::uint64_t groups, Layout layout) {
  const std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i >= groups) return;
  uint4 words[channels];
#pragma unroll
  for (unsigned k = 0; k < channels; ++k) {
    words[k] = *reinterpret_cast<const uint4*>(image + layout.word_byte(i, k));
  }
  // A group of its own is an image of 16 pixels in the same layout.
  const Layout within{pixels_per_word};
  std::uint32_t four[pixels_per_word / 4] = {};
#pragma unroll
  for (unsigned pixel = 0; pixel < pixels_per_word; ++pixel) {
    const auto byte = [&](unsigned channel) {
      return byte_of(words, static_cast<unsigned>(within.byte(pixel, channel)));
    };
    four[pixel / 4] |= grey_of(byte(0), byte(1), byte(2)) << (pixel % 4 * 8U);
  }
  reinterpret_cast<uint4*>(grey)[i] = {four[0], four[1], four[2], four[3]};
}

/// A byte of memory that holds random_word(index) in each word.
__device__ inline std::uint32_t random_byte(std::uint64_t byte) {
  return measure::random_word(byte / 4) >> (byte % 4 * 8U) & 0xFFU;
}

/// Every pixel of the image that begins at a byte of the random source, against the weights in double precision: the
/// sums are whole 256ths and small, so nothing is rounded but the result.
template <class Layout>
__global__ void check_grey(const std::uint8_t* grey, std::uint64_t pixels, std::uint64_t image, Layout layout,
                           global::Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < pixels; i += step) {
    const auto value = [&](unsigned channel) { return double(random_byte(image + layout.byte(i, channel))); };
    const double expected = floor(value(0) * (77 / 256.) + value(1) * (150 / 256.) + value(2) * (29 / 256.) + 0.5);
    if (double(grey[i]) != expected) global::report_mismatch(found, i);
  }
}

}  // namespace gpumem::kernels
