#pragma once
// A tensor map (CUtensorMap), which a tensor copy names: 64 bytes at a multiple of 64 that the driver makes and nobody
// documents (the type has room for 128). The layout was found by making maps that differ in one thing (driver 580):
//
// | bytes | hold |
// | --- | --- |
// | 0 to 7 | address of the first element |
// | 8 to 11 | bits 4-6 rank - 1; 7-10 type; 11-12 interleaved; 13-14 swizzle; 15 fill; 16 as TF32; 17-18 L2 promotion |
// | 12 to 27 | strides of dimensions 1 to 4 in units of 16 bytes, 32 bits each |
// | 28 to 31 | 4 more bits of each stride |
// | 32 to 51 | elements in dimensions 0 to 4, less one |
// | 52 to 54 | steps between elements in dimensions 0 to 4, less one, 3 bits each |
// | 55 to 59 | elements of the box in dimensions 0 to 4, less one |

#include <cstdint>

#include "engine/access/host_device.hpp"

namespace gpumem::inject {

inline constexpr unsigned tensor_map_words = 16;

// `map[i]` is a map's word of 32 bits, wherever it lies.

template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned bits_of(const Words& map, unsigned word, unsigned from,
                                                            unsigned count) {
  return map[word] >> from & ((1U << count) - 1);
}

template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t tensor_begin(const Words& map) {
  return static_cast<std::uint64_t>(map[1]) << 32 | map[0];
}

template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned tensor_rank(const Words& map) {
  return bits_of(map, 2, 4, 3) + 1;
}

/// Bytes of an element; 0 where the type is not known.
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned element_bytes(const Words& map) {
  // 8 and 16 bits, four of 32 and 64 bits in turn, FP16, FP32, FP32 that flushes, FP64, BF16: the log2 of each, in 2
  // bits.
  constexpr unsigned long long log2_bytes = 0b01'11'10'10'01'11'11'10'10'01'00;
  constexpr unsigned types = 11;
  const unsigned type = bits_of(map, 2, 7, 4);
  return type < types ? 1U << (log2_bytes >> (2 * type) & 3U) : 0;
}

template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool is_interleaved(const Words& map) {
  return bits_of(map, 2, 11, 2) != 0;
}

/// Elements of the tensor in a dimension.
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t tensor_size(const Words& map, unsigned dimension) {
  return static_cast<std::uint64_t>(map[8 + dimension]) + 1;
}

/// The stride of one of the dimensions 1 to 4, in bytes.
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t stride_of(const Words& map, unsigned dimension) {
  const std::uint64_t high = bits_of(map, 7, 4 * (dimension - 1), 4);
  return (high << 32 | map[2 + dimension]) * 16;
}

/// Elements of the box in a dimension, from the first to the last.
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned box_size(const Words& map, unsigned dimension) {
  return dimension == 0 ? bits_of(map, 13, 24, 8) + 1 : bits_of(map, 14, 8 * (dimension - 1), 8) + 1;
}
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned box_step(const Words& map, unsigned dimension) {
  return bits_of(map, 13, 3 * dimension, 3) + 1;
}
/// Elements of the box in a dimension that are copied.
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned box_count(const Words& map, unsigned dimension) {
  const unsigned step = box_step(map, dimension);
  return (box_size(map, dimension) + step - 1) / step;
}

/// Returns true if the rows of a box are elements side by side, of a known type.
template <typename Words>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool has_rows(const Words& map) {
  return element_bytes(map) != 0 && !is_interleaved(map) && box_step(map, 0) == 1;
}

}  // namespace gpumem::inject
