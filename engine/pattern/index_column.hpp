#pragma once
// The indices of one column of a table in text: CSV, TSV, or columns between blanks, such as lists of a graph's edges.

#include <string_view>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// The column of that name in the first line, or of that number, from 1. The first line says what separates columns: a
/// tab, else a comma, a semicolon, or blanks. Fields may be in double quotes. Lines that are empty or begin with '#'
/// are none. Of a numbered column the first field may be a name. Throws a usage error that names the source, the line
/// and the column for what is no index (index_token.hpp) and for a line without the column; and when there is no such
/// column, with the names of those that there are.
[[nodiscard]] IndexSequence read_index_column(const ByteSource& source, std::string_view column);

}  // namespace gpumem::pattern
