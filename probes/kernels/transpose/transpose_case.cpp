#include "probes/kernels/transpose/transpose_case.hpp"

#include <string>

namespace gpumem::kernels::transpose {

namespace {

Way way_of(const std::string& name) {
  if (name == "copy") return Way::copy;
  if (name == "strided-write") return Way::strided_write;
  if (name == "strided-read") return Way::strided_read;
  if (name == "tile") return Way::tile;
  if (name == "padded") return Way::padded;
  return name == "swizzled" ? Way::swizzled : Way::wide;
}

}  // namespace

Transpose::Transpose(const Case& decided)
    : way(way_of(decided.name("transpose"))),
      element_bytes(decided.name("type") == "double" ? sizeof(double) : sizeof(float)),
      matrix{.rows = static_cast<std::uint32_t>(decided.number("matrix_rows")),
             .columns = static_cast<std::uint32_t>(decided.number("matrix_columns"))} {
  if (matrix.rows == 0) matrix.rows = matrix.columns;
  vector = way == Way::wide ? vector_elements(matrix, element_bytes) : 1;
  side = way == Way::wide ? wide_row_bytes / element_bytes : tile_side;
}

std::vector<access::Site> sites_of(const Transpose& one) {
  std::vector<access::Site> sites;
  const auto add = [&](const char* name, access::Space space, access::Op op, const Walk& walk, auto address) {
    const std::uint32_t word_bytes = one.vector * one.element_bytes;
    sites.push_back({.name = name,
                     .space = space,
                     .op = op,
                     .word_bytes = word_bytes,
                     .instructions = one.instructions(),
                     .requests = walk.requests(),
                     .period_requests = walk.period(),
                     .extent_bytes = space == access::Space::global ? one.matrix_bytes() : 0,
                     .request = [=](std::uint64_t k) { return request(walk, word_bytes, k, address); }});
  };
  constexpr access::Space global = access::Space::global;
  constexpr access::Space shared = access::Space::shared;
  constexpr access::Op load = access::Op::load;
  constexpr access::Op store = access::Op::store;
  const auto source_row = [=](const Place& at) { return one.matrix.source(at.line, at.position) * one.element_bytes; };
  const auto source_column = [=](const Place& at) {
    return one.matrix.source(at.position, at.line) * one.element_bytes;
  };
  const auto target_row = [=](const Place& at) { return one.matrix.target(at.position, at.line) * one.element_bytes; };
  const auto target_column = [=](const Place& at) {
    return one.matrix.target(at.line, at.position) * one.element_bytes;
  };
  Walk rows = one.by_rows();
  Walk columns = one.by_columns();
  switch (one.way) {
    case Way::copy:
      add("source", global, load, rows, source_row);
      add("target", global, store, rows, source_row);
      break;
    case Way::strided_write:
      rows.strip = tile_side;
      add("source", global, load, rows, source_row);
      add("target", global, store, rows, target_column);
      break;
    case Way::strided_read:
      columns.strip = tile_side;
      add("source", global, load, columns, source_column);
      add("target", global, store, columns, target_row);
      break;
    case Way::tile:
    case Way::padded:
    case Way::swizzled:
      add("source", global, load, rows, source_row);
      add("tile", shared, store, rows, [=](const Place& at) { return one.tile_address(at.line, at.position); });
      add("tile", shared, load, columns, [=](const Place& at) { return one.tile_address(at.position, at.line); });
      add("target", global, store, columns, target_row);
      break;
    case Way::wide:
      add("source", global, load, rows, source_row);
      // Instead of the row that it has loaded, a lane stores the column of its square with that number.
      add("tile", shared, store, rows, [=](const Place& at) {
        return one.wide_address(at.line / one.vector * one.vector, at.position + at.line % one.vector);
      });
      add("tile", shared, load, columns, [=](const Place& at) { return one.wide_address(at.position, at.line); });
      add("target", global, store, columns, target_row);
      break;
  }
  return sites;
}

}  // namespace gpumem::kernels::transpose
