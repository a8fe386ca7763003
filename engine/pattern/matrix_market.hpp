#pragma once
// Matrix Market files of sparse matrices, "coordinate" ones. The format:
// https://math.nist.gov/MatrixMarket/formats.html

#include <string_view>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// The beginning of every such file.
inline constexpr std::string_view matrix_market_begin = "%%MatrixMarket";

/// Reads the column of each entry, from 0, row by row and ascending in each row. A product with a vector x in
/// compressed sparse rows (CSR) gathers x[column] in this order; scipy.io.mmread(FILE).tocsr().indices is the same
/// list. A symmetric, skew-symmetric or Hermitian matrix gives both triangles. Values are not looked at. Throws a usage
/// error that names the source and the line for a dense matrix, for an entry beyond the size or missing, and for a
/// damaged file.
[[nodiscard]] IndexSequence read_matrix_market(const ByteSource& source);

}  // namespace gpumem::pattern
