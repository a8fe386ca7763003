#pragma once
// Arrays as numpy.save writes them. The format, versions 1 to 3:
// https://numpy.org/doc/stable/reference/generated/numpy.lib.format.html

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// The beginning of every such file.
inline constexpr std::string_view npy_magic = "\x93NUMPY";

/// The header of an array of integers.
struct NpyHeader {
  unsigned word_bytes = 0;  ///< 1, 2, 4 or 8
  bool is_signed = false;
  std::vector<std::uint64_t> shape;  ///< empty for a single number
  std::uint64_t records = 0;         ///< the product of the shape, at least one, whose bytes fit in 64 bits
};

/// Reads the dictionary of the header, a Python literal, without the bytes before it. Throws a usage error that names
/// the source for a damaged dictionary (with the byte, counted from 0), for a type that is no little-endian integer
/// (with what converts it), for Fortran order where it makes a difference, and for an array without elements.
[[nodiscard]] NpyHeader parse_npy_header(std::string_view dictionary, const std::string& source);

/// All elements, in C order. Throws a usage error as parse_npy_header does, for another format or version, for an array
/// that is shorter or longer than the header says, and for the first element that is negative or above most_index.
[[nodiscard]] IndexSequence read_npy(const ByteSource& source);

/// Throws a usage error for the first word that is no index: negative if words are signed (which they are only to look
/// at: a buffer holds unsigned ones), or above most_index.
void require_indices(const IndexSequence& words, bool is_signed, const std::string& source);

}  // namespace gpumem::pattern
