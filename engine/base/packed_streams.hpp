#pragma once
// The part of zlib.h and lzma.h that is used here, so that neither is needed to build: for unpack.cpp alone.

#include <cstddef>
#include <cstdint>

namespace gpumem {

/// z_stream, of every zlib 1.
struct ZlibStream {
  const std::byte* next_in;
  unsigned avail_in;
  unsigned long total_in;
  std::byte* next_out;
  unsigned avail_out;
  unsigned long total_out;
  const char* message;
  void* state;
  void* allocate;
  void* free;
  void* opaque;
  int data_type;
  unsigned long adler;
  unsigned long reserved;
};

/// lzma_stream, of every liblzma 5.
struct LzmaStream {
  const std::byte* next_in;
  std::size_t avail_in;
  std::uint64_t total_in;
  std::byte* next_out;
  std::size_t avail_out;
  std::uint64_t total_out;
  const void* allocator;
  void* state;
  void* reserved_pointers[4];
  std::uint64_t seek_position;
  std::uint64_t reserved_integer;
  std::size_t reserved_sizes[2];
  int reserved_enumerators[2];
};

}  // namespace gpumem
