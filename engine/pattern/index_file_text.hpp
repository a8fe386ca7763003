#pragma once
// Indices as text: decimal integers between blanks, commas or ends of lines, and comments from '#' to the end of a
// line, or one column of a table: CSV, TSV, or columns between blanks, such as lists of a graph's edges. Floats that
// are whole numbers up to 2^53 are integers too.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// A byte-order mark, a comma at the end of a line and Windows' ends of lines do no harm. Words of 32 bits, unless one
/// index needs 64; of the text, no more than `piece_bytes` (at least 128) are in memory at a time. Throws a usage error
/// that names the source, line and column (in bytes, both counted from 1) for what is no decimal integer, negative or
/// above most_index, and for a comma without a number before it; and when there is no number at all.
[[nodiscard]] IndexSequence read_index_text(const ByteSource& source, std::size_t piece_bytes = std::size_t{1} << 20U);

/// The index that a token is: a decimal integer up to most_index, or a float that is a whole number up to 2^53, as
/// numpy.savetxt writes indices unless it is told otherwise. Else what is wrong with it, which quotes it: "'x' is no
/// decimal integer".
[[nodiscard]] std::variant<std::uint64_t, std::string> index_of(std::string_view token);

/// Reads the column of that name in the first line, or of that number, from 1. The first line says what separates
/// columns: a tab, else a comma, a semicolon, or blanks. Fields may be in double quotes. Empty lines and lines that
/// begin with '#' are skipped. If the column is given by number, its first field may be a name. Throws a usage error
/// that names the source, the line and the column for a field that is no index (index_of) and for a line without
/// the column. If there is no such column, the error names those that there are.
[[nodiscard]] IndexSequence read_index_column(const ByteSource& source, std::string_view column);

}  // namespace gpumem::pattern
