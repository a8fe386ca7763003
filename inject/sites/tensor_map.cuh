#pragma once
// A tensor map (CUtensorMap), which a tensor copy names: 128 bytes that the driver makes and nobody documents. How they
// are to be read was found by making maps that differ in one thing (driver 580):
//
//   bytes 0-7     address of the first element
//   bytes 8-11    bits 4-6 rank - 1; 7-10 type; 11-12 interleaved; 13-14 swizzle; 15 fill; 16 as TF32; 17-18 L2
//   promotion bytes 12-27   strides of dimensions 1 to 4, in units of 16 bytes, 32 bits each; bytes 28-31 4 more bits
//   of each bytes 32-51   elements in dimensions 0 to 4, less one bytes 52-54   steps between elements in dimensions 0
//   to 4, less one, 3 bits each bytes 55-59   elements of the box in dimensions 0 to 4, less one

#include <cstdint>

namespace gpumem::inject {

/// A tensor copy as its instruction has it.
struct TensorCopy {
  const std::uint32_t* map;
  std::int32_t at[5];  ///< of the box's first element
  unsigned mode;       ///< Sanitizer_LoadMode: 0 is a box
};

/// The box of a copy, as far as it lies in the tensor in dimension 0.
struct TensorBox {
  const TensorCopy* copy;
  std::uint64_t begin;  ///< address of the row at 0, 0, ...
  unsigned row_bytes;
  unsigned rows;
};

__device__ __forceinline__ unsigned bits_of(const std::uint32_t* map, unsigned word, unsigned from, unsigned count) {
  return *static_cast<const volatile std::uint32_t*>(&map[word]) >> from & ((1U << count) - 1);
}
__device__ __forceinline__ unsigned word_of(const std::uint32_t* map, unsigned word) {
  return *static_cast<const volatile std::uint32_t*>(&map[word]);
}

/// Bytes of an element; 0 where the type is not known.
__device__ __forceinline__ unsigned element_bytes(const std::uint32_t* map) {
  // 8 and 16 bits, four of 32 and 64 bits in turn, FP16, FP32, FP32 that flushes, FP64, BF16: the log2 of each, in 2
  // bits.
  constexpr unsigned long long log2_bytes = 0b01'11'10'10'01'11'11'10'10'01'00;
  constexpr unsigned types = 11;
  const unsigned type = bits_of(map, 2, 7, 4);
  return type < types ? 1U << (log2_bytes >> (2 * type) & 3U) : 0;
}

__device__ __forceinline__ unsigned box_size(const std::uint32_t* map, unsigned dimension) {
  return dimension == 0 ? bits_of(map, 13, 24, 8) + 1 : bits_of(map, 14, 8 * (dimension - 1), 8) + 1;
}
__device__ __forceinline__ unsigned box_step(const std::uint32_t* map, unsigned dimension) {
  return bits_of(map, 13, 3 * dimension, 3) + 1;
}
__device__ __forceinline__ unsigned box_count(const std::uint32_t* map, unsigned dimension) {
  const unsigned step = box_step(map, dimension);
  return (box_size(map, dimension) + step - 1) / step;
}
/// In bytes, of dimensions 1 to 4.
__device__ __forceinline__ std::uint64_t stride_of(const std::uint32_t* map, unsigned dimension) {
  const std::uint64_t high = bits_of(map, 7, 4 * (dimension - 1), 4);
  return (high << 32 | word_of(map, 2 + dimension)) * 16;
}

/// The address of a row of the box, counted over all its dimensions; 0: it lies outside of the tensor.
__device__ __noinline__ std::uint64_t row_begin(const TensorBox& box, unsigned row) {
  const std::uint32_t* map = box.copy->map;
  const unsigned rank = bits_of(map, 2, 4, 3) + 1;
  std::uint64_t address = box.begin;
#pragma unroll 1
  for (unsigned i = 1; i < rank; ++i) {
    const unsigned count = box_count(map, i);
    const std::int64_t at = box.copy->at[i] + static_cast<std::int64_t>(row % count) * box_step(map, i);
    row /= count;
    if (at < 0 || at > static_cast<std::int64_t>(word_of(map, 8 + i))) return 0;
    address += static_cast<std::uint64_t>(at) * stride_of(map, i);
  }
  return address;
}

__device__ __noinline__ unsigned rows_of_box(const std::uint32_t* map) {
  const unsigned rank = bits_of(map, 2, 4, 3) + 1;
  unsigned rows = 1;
#pragma unroll 1
  for (unsigned i = 1; i < rank; ++i) rows *= box_count(map, i);
  return rows;
}

/// False where nobody knows how the map is to be read: columns of images, interleaved or new types, steps in a row.
__device__ __noinline__ bool read_box(const TensorCopy& copy, TensorBox& box) {
  const std::uint32_t* map = copy.map;
  const unsigned bytes = element_bytes(map);
  if (copy.mode != 0 || bytes == 0 || bits_of(map, 2, 11, 2) != 0 || box_step(map, 0) != 1) return false;
  std::int64_t from = copy.at[0];
  std::int64_t to = from + box_size(map, 0);
  const std::int64_t size = static_cast<std::int64_t>(word_of(map, 8)) + 1;
  if (from < 0) from = 0;
  if (to > size) to = size;
  box.copy = &copy;
  box.begin =
      (static_cast<std::uint64_t>(word_of(map, 1)) << 32 | word_of(map, 0)) + static_cast<std::uint64_t>(from) * bytes;
  box.row_bytes = to > from ? static_cast<unsigned>(to - from) * bytes : 0;
  box.rows = box.row_bytes == 0 ? 0 : rows_of_box(map);
  return true;
}

}  // namespace gpumem::inject
