#include "probes/kernels/transpose/transpose_case.hpp"

namespace gpumem::kernels::transpose {

Transpose::Transpose(const Case& decided)
    : way(decided[axis::transpose]),
      element_bytes(decided[axis::element_bytes]),
      matrix{.rows = decided[axis::matrix_rows], .columns = decided[axis::matrix_columns]} {
  if (matrix.rows == 0) matrix.rows = matrix.columns;
  vector = way == Variant::wide ? vector_elements(matrix, element_bytes) : 1;
  side = way == Variant::wide ? wide_side(element_bytes, vector) : tile_side;
}

std::vector<access::Site> sites_of(const Transpose& transpose) {
  std::vector<access::Site> sites;
  const auto add = [&](const char* name, access::Space space, access::Op op, const MatrixPass& walk, auto address) {
    const std::uint32_t word_bytes = transpose.vector * transpose.element_bytes;
    sites.push_back({.name = name,
                     .space = space,
                     .op = op,
                     .word_bytes = word_bytes,
                     .instructions = transpose.instructions(),
                     .requests = walk.requests(),
                     .period_requests = walk.period(),
                     .extent_bytes = space == access::Space::global ? transpose.matrix_bytes() : 0,
                     .request = [=](std::uint64_t k) { return request(walk, word_bytes, k, address); }});
  };
  constexpr access::Space global = access::Space::global;
  constexpr access::Space shared = access::Space::shared;
  constexpr access::Op load = access::Op::load;
  constexpr access::Op store = access::Op::store;
  const auto source_row = [=](const Place& at) {
    return transpose.matrix.source(at.line, at.position) * transpose.element_bytes;
  };
  const auto source_column = [=](const Place& at) {
    return transpose.matrix.source(at.position, at.line) * transpose.element_bytes;
  };
  const auto target_row = [=](const Place& at) {
    return transpose.matrix.target(at.position, at.line) * transpose.element_bytes;
  };
  const auto target_column = [=](const Place& at) {
    return transpose.matrix.target(at.line, at.position) * transpose.element_bytes;
  };
  const Variant way = transpose.way;
  MatrixPass rows = transpose.by_rows();
  MatrixPass columns = transpose.by_columns();
  if (way == Variant::strided_write) rows.strip = tile_side;
  if (way == Variant::strided_read) columns.strip = tile_side;

  if (way == Variant::strided_read) {
    add("source", global, load, columns, source_column);
  } else {
    add("source", global, load, rows, source_row);
  }
  if (way == Variant::wide) {
    // Instead of the row that it has loaded, a lane stores the column of its square with that number.
    add("tile", shared, store, rows, [=](const Place& at) {
      return transpose.wide_address(at.line / transpose.vector * transpose.vector,
                                    at.position + at.line % transpose.vector);
    });
    add("tile", shared, load, columns, [=](const Place& at) { return transpose.wide_address(at.position, at.line); });
  } else if (transpose.uses_shared()) {
    add("tile", shared, store, rows, [=](const Place& at) { return transpose.tile_address(at.line, at.position); });
    add("tile", shared, load, columns, [=](const Place& at) { return transpose.tile_address(at.position, at.line); });
  }
  if (way == Variant::copy) {
    add("target", global, store, rows, source_row);
  } else if (way == Variant::strided_write) {
    add("target", global, store, rows, target_column);
  } else {
    add("target", global, store, columns, target_row);
  }
  return sites;
}

}  // namespace gpumem::kernels::transpose
