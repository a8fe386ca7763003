#pragma once
// Matrix Market files of sparse matrices, "coordinate" ones. The format:
// https://math.nist.gov/MatrixMarket/formats.html

#include <string_view>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// What every such file begins with.
inline constexpr std::string_view matrix_market_begin = "%%MatrixMarket";

/// The column of each entry, from 0, row by row and ascending in each: what a product with a vector x gathers,
/// x[column], in compressed sparse rows (CSR), as scipy.io.mmread(FILE).tocsr().indices is. Of a symmetric,
/// skew-symmetric or Hermitian matrix both triangles. Values are not looked at. Throws a usage error that names the
/// source and the line for a dense matrix, for an entry beyond the size or missing, and for what is damaged.
[[nodiscard]] IndexSequence read_matrix_market(const ByteSource& source);

}  // namespace gpumem::pattern
