#pragma once
// The box of elements that a tensor copy moves.

#include <cstdint>

#include "program/watch/sites/tensor_map.hpp"

namespace gpumem::inject {

/// A map in the program's memory, which anything may write meanwhile.
struct MapInMemory {
  const std::uint32_t* words;

  __device__ __forceinline__ std::uint32_t operator[](unsigned i) const {
    return *static_cast<const volatile std::uint32_t*>(&words[i]);
  }
};

/// A tensor copy as its instruction has it.
struct TensorCopy {
  MapInMemory map;
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

/// The address of a row of the box, counted over all its dimensions; 0: it lies outside of the tensor.
__device__ __noinline__ std::uint64_t row_begin(const TensorBox& box, unsigned row) {
  const MapInMemory map = box.copy->map;
  const unsigned rank = tensor_rank(map);
  std::uint64_t address = box.begin;
#pragma unroll 1
  for (unsigned i = 1; i < rank; ++i) {
    const unsigned count = box_count(map, i);
    const std::int64_t at = box.copy->at[i] + static_cast<std::int64_t>(row % count) * box_step(map, i);
    row /= count;
    if (at < 0 || at > static_cast<std::int64_t>(map[8 + i])) return 0;
    address += static_cast<std::uint64_t>(at) * stride_of(map, i);
  }
  return address;
}

__device__ __noinline__ unsigned rows_of_box(const MapInMemory& map) {
  const unsigned rank = tensor_rank(map);
  unsigned rows = 1;
#pragma unroll 1
  for (unsigned i = 1; i < rank; ++i) rows *= box_count(map, i);
  return rows;
}

/// False where nobody knows how the map is to be read: columns of images, interleaved or new types, steps in a row.
__device__ __noinline__ bool read_box(const TensorCopy& copy, TensorBox& box) {
  const MapInMemory map = copy.map;
  const unsigned bytes = element_bytes(map);
  if (copy.mode != 0 || bytes == 0 || is_interleaved(map) || box_step(map, 0) != 1) return false;
  std::int64_t from = copy.at[0];
  std::int64_t to = from + box_size(map, 0);
  const auto size = static_cast<std::int64_t>(tensor_size(map, 0));
  if (from < 0) from = 0;
  if (to > size) to = size;
  box.copy = &copy;
  box.begin = tensor_begin(map) + static_cast<std::uint64_t>(from) * bytes;
  box.row_bytes = to > from ? static_cast<unsigned>(to - from) * bytes : 0;
  box.rows = box.row_bytes == 0 ? 0 : rows_of_box(map);
  return true;
}

}  // namespace gpumem::inject
