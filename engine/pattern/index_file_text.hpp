#pragma once
// Indices as text: decimal integers between blanks, commas or ends of lines, and comments from '#' to the end of a
// line. Floats that are whole numbers up to 2^53 are integers too.

#include <cstddef>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// A byte-order mark, a comma at the end of a line and Windows' ends of lines do no harm. Words of 32 bits, unless one
/// index needs 64; of the text, no more than `piece_bytes` (at least 128) are in memory at a time. Throws a usage error
/// that names the source, line and column (in bytes, both counted from 1) for what is no decimal integer, negative or
/// above most_index, and for a comma without a number before it; and when there is no number at all.
[[nodiscard]] IndexSequence read_index_text(const ByteSource& source, std::size_t piece_bytes = std::size_t{1} << 20U);

}  // namespace gpumem::pattern
