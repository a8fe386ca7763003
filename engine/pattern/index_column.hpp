#pragma once
// The indices of one column of a table in text: CSV, TSV, or columns between blanks, such as lists of a graph's edges.

#include <string_view>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// Reads the column of that name in the first line, or of that number, from 1. The first line says what separates
/// columns: a tab, else a comma, a semicolon, or blanks. Fields may be in double quotes. Empty lines and lines that
/// begin with '#' are skipped. If the column is given by number, its first field may be a name. Throws a usage error
/// that names the source, the line and the column for a field that is no index (index_token.hpp) and for a line without
/// the column. If there is no such column, the error names those that there are.
[[nodiscard]] IndexSequence read_index_column(const ByteSource& source, std::string_view column);

}  // namespace gpumem::pattern
