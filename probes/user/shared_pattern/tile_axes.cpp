#include "probes/user/shared_pattern/tile_axes.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

#include "engine/pattern/expression.hpp"
#include "probes/user/indices/index_axes.hpp"
#include "probes/user/shared_pattern/shared_case.hpp"
#include "probes/user/space.hpp"

namespace gpumem::shared_pattern {

namespace {

std::vector<std::string> texts_of(std::string_view text, std::string_view option) {
  std::vector<std::string> texts;
  for (const std::string_view expression : pattern::expressions_of(text)) {
    const OwnOperation own = own_operation(expression);
    for (const pattern::Swept& swept : pattern::parse(own.expression, option, pattern::Names::of_tile)) {
      texts.push_back(own.name.empty() ? swept.text : fmt::format("{}: {}", own.name, swept.text));
    }
  }
  return texts;
}

Axis tile_number(const Number<>& parameter, const char* flag, const char* unit, const char* purpose) {
  constexpr std::uint64_t most = std::uint64_t{1} << 18U;  // elements of 1 byte in 227 KiB, rounded up
  return parameter(
      {.flag = flag, .unit = unit, .purpose = purpose, .defaults = "0", .maximum = most, .zero_follows = true});
}

Axis swizzle_axis() {
  return axis::swizzle({.flag = "swizzle",
                        .purpose = "permutation of the tile's elements: CuTe's Swizzle<B,M,S> as B,M,S, applied to the "
                                   "element that the expression or the index gives; a list compares: none,3,0,5,5,0,5",
                        .defaults = "none",
                        .texts = [](std::string_view text) { return swizzle_values(text); },
                        .takes = "none, B,M,S"});
}

Axis word_bytes_axis() {
  return axis::word_bytes({.flag = "word-bytes",
                           .unit = "bytes",
                           .purpose = "size of an element: what one lane loads or stores with one instruction",
                           .defaults = "4",
                           .numbers = {1, 2, 4, 8, 16}});
}

Axis matrices_axis() {
  return axis::matrices({.flag = "matrices",
                         .unit = "matrices",
                         .purpose = "matrices that one ldmatrix or stmatrix moves; 0: 4",
                         .defaults = "0",
                         .numbers = {0, 1, 2, 4},
                         .zero_follows = true});
}

/// The operations of an index array: it has no text that could name its own.
Axis list_op_axis() {
  Axis op = axis::op({.flag = "op",
                      .purpose = "operation: of words, or of matrices of 8 x 8 halves, whose rows of 16 bytes the "
                                 "indices give; auto is that of Spatter's file, else read",
                      .defaults = "auto",
                      .takes_auto = true});
  std::erase(op.names, axis::op.name_of(TileOp::own));
  return op;
}

}  // namespace

std::vector<Axis> expression_axes() {
  Axis columns = tile_number(axis::columns, "columns", "elements", "elements of a row of the tile");
  columns.defaults = "32";
  columns.minimum = 1;
  columns.zero_follows = false;
  return {
      axis::pattern({.flag = "pattern",
                     .purpose = "element of the block's tile that access i of n goes to: an expression of i, lane, "
                                "warp, thread, row (i / columns), column (i % columns) and pitch; {a..b} in it for a "
                                "sweep",
                     .defaults = "row * pitch + column, column * pitch + row",
                     .quick = "column * pitch + row",
                     .texts = [](std::string_view text) { return texts_of(text, "pattern"); },
                     .takes = "expressions"}),
      space_axis("shared", "memory that the pattern is about: shared is a tile in each block"),
      swizzle_axis(),
      tile_number(axis::rows, "rows", "rows",
                  "rows of the tile, which the accesses of a block cover once; 0: 1024 accesses that may go anywhere"),
      std::move(columns),
      tile_number(axis::pitch, "pitch", "elements",
                  "elements from the beginning of a row to that of the next; 0: those of a row, and --pad"),
      tile_number(axis::pad, "pad", "elements", "elements of padding at the end of each row, against bank conflicts"),
      axis::op({.flag = "op",
                .purpose = "operation: of words, or of matrices of 8 x 8 halves, whose rows of 16 bytes the expression "
                           "gives; own: the one that each pattern begins with, as in 'write: column * pitch + row'",
                .defaults = "read"}),
      word_bytes_axis(),
      matrices_axis(),
      axis::active({.flag = "active",
                    .purpose = "expression that is not 0 for the accesses that take part",
                    .defaults = "1",
                    .zero_follows = true,
                    .texts = [](std::string_view text) { return texts_of(text, "active"); },
                    .takes = "expressions"})};
}

std::vector<Axis> list_axes() {
  return {global::indices_axis("UNIFORM:32:1:NR UNIFORM:32:2:NR UNIFORM:32:8:NR LAPLACIAN:2:1:32", "UNIFORM:32:2:NR"),
          space_axis("shared", "memory that the indices are about: shared is a tile in each block"),
          swizzle_axis(),
          list_op_axis(),
          word_bytes_axis(),
          matrices_axis(),
          global::index_format_axis(),
          global::index_column_axis()};
}

}  // namespace gpumem::shared_pattern
