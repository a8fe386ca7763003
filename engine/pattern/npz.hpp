#pragma once
// Archives of arrays as numpy.savez writes them, and sparse matrices as scipy.sparse.save_npz does.

#include <optional>
#include <string>

#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// Reads the array called `name`. Without a name, it reads the `indices` of a matrix in compressed sparse rows or
/// columns (CSR, CSC), in their order: the column of each entry, row by row, or the row, column by column. From any
/// other archive it reads the only array. Throws a usage error for another layout of a matrix, with what converts it;
/// for several arrays without a name, or none of that name, with those that there are; and as read_npy() and
/// zip_entries() do.
[[nodiscard]] IndexSequence read_npz(const ByteSource& source, const std::optional<std::string>& name);

}  // namespace gpumem::pattern
