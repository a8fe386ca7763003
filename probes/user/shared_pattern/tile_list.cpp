#include "probes/user/shared_pattern/tile_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/pattern/spatter.hpp"
#include "probes/user/indices/index_axes.hpp"

namespace gpumem::shared_pattern {

namespace {

using global::NamedIndices;

std::string place_of(const std::string& value) { return fmt::format("--indices: '{}'", value); }

/// Throws a usage error. For one of many Spatter configurations it is UnusableItem, so that the others still run.
[[noreturn]] void refuse_list(const NamedIndices& named, const std::string& why) {
  if (named.format == pattern::IndexFormat::spatter) throw UnusableItem(why);
  throw usage_error(why);
}

/// The operation of a case: --op, else that of Spatter's configuration, else read.
TileOp operation_of(const Case& chosen, const NamedIndices& named, const std::string& value) {
  if (!chosen.is_auto(axis::op)) return chosen[axis::op];
  if (!named.op || named.op == global::Op::read) return TileOp::read;
  if (named.op == global::Op::write) return TileOp::write;
  refuse_list(named, place_of(value) +
                         " reads through one list and writes through another; pass --op read or --op write for "
                         "one of them");
}

/// The list of notation, repeated.
ElementList repeated(const pattern::SpatterPattern& notation, const std::string& value) {
  const std::uint64_t offsets = notation.offsets.size();
  const std::uint64_t repeats = (free_accesses + offsets - 1) / offsets;
  return {.sequence = pattern::spatter_indices(notation, notation.delta.value_or(pattern::spatter_delta), repeats,
                                               place_of(value)),
          .accesses = std::max(free_accesses, offsets)};
}

ElementList list_of(const NamedIndices& named, TileOp op, const std::string& value) {
  if (named.notation) return repeated(*named.notation, value);
  const bool loads = op == TileOp::read || op == TileOp::load_matrices || op == TileOp::load_transposed;
  const pattern::IndexSequence& sequence = loads && named.from ? *named.from : named.sequence.value();
  return {.sequence = sequence, .accesses = sequence.count()};
}

void require_length(const NamedIndices& named, const TileCase& tile) {
  if (tile.accesses() > most_listed) {
    refuse_list(named,
                fmt::format("{} has {} indices, and a block makes at most {} accesses of them; pass those of one "
                            "block",
                            place_of(tile.pattern), tile.accesses(), most_listed));
  }
  if (tile.matrices > 0 && !tile.fills_requests()) {
    refuse_list(named, fmt::format("{} has {} indices, and --op {} takes {} rows of matrices at once; pass a multiple "
                                   "of them{}",
                                   place_of(tile.pattern), tile.accesses(), axis::op.name_of(tile.op),
                                   tile.request_lanes(), tile.matrices > 1 ? ", or fewer --matrices" : ""));
  }
}

}  // namespace

TileCase tile_of_list(const Case& chosen, global::IndexFiles& files) {
  const std::string& value = chosen[global::axis::indices];
  const auto named = files.get(value, global::axis::indices.name, global::index_options_of(chosen));
  const TileOp op = operation_of(chosen, *named, value);
  TileCase tile{.pattern = value,
                .list = list_of(*named, op, value),
                .op = op,
                .word_bytes = chosen[axis::word_bytes],
                .matrices = matrices_of(op, chosen[axis::matrices]),
                .swizzle = swizzle_of(chosen[axis::swizzle])};
  require_options_of_operation(tile, chosen[axis::matrices]);
  require_length(*named, tile);
  return tile;
}

}  // namespace gpumem::shared_pattern
