#include "probes/kernels/matmul/matmul_sites.hpp"

#include <functional>
#include <utility>

#include "probes/kernels/matmul/walk.hpp"
#include "probes/requests.hpp"

namespace gpumem::kernels {

namespace {

using access::Op;
using access::Space;
using access::warp_lanes;

/// A walk over a matrix by warps whose lanes lie in `lane_rows` rows.
MatrixWalk walk_of(std::uint64_t rows, std::uint64_t columns, std::uint32_t real_bytes, unsigned lane_rows = 1) {
  return {.rows = {.extent = rows, .lanes = lane_rows},
          .columns = {.extent = columns, .lanes = warp_lanes / lane_rows},
          .word_bytes = real_bytes};
}

/// Requests to shared memory that every block makes for every tile, at the same places.
struct TileAccess {
  const char* name;
  Op op;
  unsigned word_bytes;
  unsigned instructions;
  std::uint64_t in_a_tile;  ///< requests
  std::uint64_t tiles;      ///< of all blocks
};

/// `address` gives the first byte of a lane's word, from the number of the request among those of a tile and the lane.
access::Site tile_site(const TileAccess& in_tiles, std::function<std::uint64_t(std::uint64_t, unsigned)> address) {
  const auto& [name, op, word_bytes, instructions, in_a_tile, tiles] = in_tiles;
  access::Site site{.name = name,
                    .space = Space::shared,
                    .op = op,
                    .word_bytes = word_bytes,
                    .instructions = instructions,
                    .requests = in_a_tile * tiles,
                    .passes = tiles,
                    .request =
                        [in_tiles, address = std::move(address)](std::uint64_t k) {
                          return warp_request(in_tiles.word_bytes,
                                              [&](unsigned lane) { return address(k % in_tiles.in_a_tile, lane); });
                        },
                    .kinds = {}};
  for (std::uint64_t k = 0; k < in_a_tile; ++k) site.kinds.push_back({k, tiles});
  return site;
}

/// Marks loads of data that several blocks share: each of `blocks` blocks brings it to its multiprocessor's L1, and
/// uses it from there.
access::Site fetched(access::Site site, std::uint64_t blocks) {
  site.fetches = blocks;
  return site;
}

std::vector<access::Site> direct_sites(ProductBy by, const ProductShape& shape, std::uint32_t real_bytes) {
  constexpr unsigned instructions = direct::unrolled + 1;
  const std::uint64_t of_a = std::uint64_t{shape.m} * shape.k;
  const std::uint64_t of_b = std::uint64_t{shape.k} * shape.n;
  const ProductLaunch launch = product_launch(by, shape, real_bytes);
  if (by == ProductBy::column) {
    return {
        fetched(walking_site("A", Op::load, instructions, walk_of(shape.m, shape.k, real_bytes, warp_lanes), shape.n),
                launch.blocks_y),
        fetched(broadcast_site("B", Space::global, instructions, of_b, real_bytes, shape.m), launch.blocks_x),
        walking_site("C", Op::store, 1, walk_of(shape.m, shape.n, real_bytes, warp_lanes), 1)};
  }
  const access::Site b = fetched(
      walking_site("B", Op::load, instructions, walk_of(shape.k, shape.n, real_bytes), shape.m), launch.blocks_y);
  const access::Site c = walking_site("C", Op::store, 1, walk_of(shape.m, shape.n, real_bytes), 1);
  if (by == ProductBy::row) {
    return {fetched(broadcast_site("A", Space::global, instructions, of_a, real_bytes, shape.n), launch.blocks_x), b,
            c};
  }
  const access::Site a =
      fetched(walking_site("A", Op::load, direct::brought + 1, walk_of(shape.m, shape.k, real_bytes), launch.blocks_x),
              launch.blocks_x);
  // The stores to shared memory take the addresses of the loads: another start of a row shifts all of its words by as
  // many banks.
  access::Site kept = a;
  kept.name = "rows of A";
  kept.space = Space::shared;
  kept.op = Op::store;
  return {a, b, std::move(kept), broadcast_site("rows of A", Space::shared, instructions, of_a, real_bytes, shape.n),
          c};
}

std::vector<access::Site> square_tile_sites(const SquareTile& tile, const ProductShape& shape,
                                            std::uint32_t real_bytes) {
  const std::uint32_t wide = wide_bytes / real_bytes;
  const unsigned lane_rows = warp_lanes / tile.side;
  const std::uint64_t strips = blocks_for(shape.n, tile.side);
  const std::uint64_t bands = blocks_for(shape.m, tile.side);
  const std::uint64_t tiles = strips * bands * blocks_for(shape.k, tile.side);
  const std::uint64_t warps = tile.threads() / warp_lanes;
  const std::uint64_t of_a = tile.side / wide * tile.outputs;  // words that a thread reads of a tile
  const auto x_of = [=](std::uint64_t thread) { return static_cast<std::uint32_t>(thread % tile.side); };
  const auto y_of = [=](std::uint64_t thread) { return static_cast<std::uint32_t>(thread / tile.side); };
  return {fetched(walking_site("A", Op::load, tile.outputs, walk_of(shape.m, shape.k, real_bytes, lane_rows), strips),
                  strips),
          fetched(walking_site("B", Op::load, tile.outputs, walk_of(shape.k, shape.n, real_bytes, lane_rows), bands),
                  bands),
          tile_site({"tiles", Op::store, real_bytes, 2 * tile.outputs, 2 * tile.outputs * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const std::uint64_t thread = k / (2 * tile.outputs) * warp_lanes + lane;
                      const auto output = static_cast<std::uint32_t>(k % tile.outputs);
                      return std::uint64_t{tile.word(tile.row(y_of(thread), output), x_of(thread))} * real_bytes;
                    }),
          tile_site({"tile of A", Op::load, wide_bytes, static_cast<unsigned>(of_a), of_a * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const auto output = static_cast<std::uint32_t>(k % tile.outputs);
                      const auto word = static_cast<std::uint32_t>(k % of_a / tile.outputs);
                      const std::uint32_t row = tile.row(y_of(k / of_a * warp_lanes + lane), output);
                      return std::uint64_t{tile.word(row, word * wide)} * real_bytes;
                    }),
          tile_site({"tile of B", Op::load, real_bytes, tile.side, tile.side * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const std::uint64_t thread = k / tile.side * warp_lanes + lane;
                      return std::uint64_t{tile.word(static_cast<std::uint32_t>(k % tile.side), x_of(thread))} *
                             real_bytes;
                    }),
          walking_site("C", Op::store, tile.outputs, walk_of(shape.m, shape.n, real_bytes, lane_rows), 1)};
}

template <std::uint32_t real_bytes>
std::vector<access::Site> register_block_sites(const ProductShape& shape) {
  using Block = RegisterBlock<real_bytes>;
  const std::uint32_t width = moved_at_once(shape, real_bytes);
  const std::uint32_t word_bytes = width * real_bytes;
  const std::uint32_t words = Block::words(width);
  const std::uint64_t warps = Block::threads / warp_lanes;
  const std::uint64_t strips = blocks_for(shape.n, Block::side);
  const std::uint64_t bands = blocks_for(shape.m, Block::side);
  const std::uint64_t tiles = strips * bands * blocks_for(shape.k, Block::depth);
  const MatrixWalk a = walk_of(shape.m, shape.k / width, word_bytes, warp_lanes / (Block::depth / width));
  const MatrixWalk b = walk_of(shape.k, shape.n / width, word_bytes);
  const MatrixWalk c{.rows = {.extent = shape.m, .lanes = Block::lane_rows, .step = Block::group},
                     .columns = {.extent = shape.n / width, .lanes = Block::lane_columns, .step = Block::group / width},
                     .word_bytes = word_bytes};
  const auto word_of = [=](std::uint64_t turn_and_warp, unsigned lane) {
    const auto number = static_cast<std::uint32_t>(turn_and_warp);
    return number % words * Block::threads + number / words * warp_lanes + lane;
  };
  const auto thread_of = [=](std::uint64_t k, unsigned lane) {
    return static_cast<std::uint32_t>(k / (Block::depth * Block::groups) * warp_lanes + lane);
  };
  const auto k_of = [=](std::uint64_t k) { return static_cast<std::uint32_t>(k / Block::groups % Block::depth); };
  const auto square_of = [=](std::uint64_t k) { return static_cast<std::uint32_t>(k % Block::groups); };
  constexpr unsigned read = Block::depth * Block::groups;
  return {fetched(walking_site("A", Op::load, 2 * words, a, strips), strips),
          fetched(walking_site("B", Op::load, 2 * words, b, bands), bands),
          tile_site({"tile of A", Op::store, real_bytes, 2 * words * width, words * width * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const std::uint32_t word = word_of(k / width, lane);
                      const auto column = Block::column_in_a(word, width) + static_cast<std::uint32_t>(k % width);
                      return std::uint64_t{Block::place_in_a(Block::row_in_a(word, width), column)} * real_bytes;
                    }),
          tile_site({"tile of B", Op::store, word_bytes, 2 * words, words * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const std::uint32_t word = word_of(k, lane);
                      const std::uint32_t row = Block::row_in_b(word, width);
                      return std::uint64_t{Block::place_in_b(row, Block::column_in_b(word, width))} * real_bytes;
                    }),
          tile_site({"tile of A", Op::load, wide_bytes, read, read * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const std::uint32_t row = Block::row(thread_of(k, lane), square_of(k));
                      return std::uint64_t{Block::place_in_a(row, k_of(k))} * real_bytes;
                    }),
          tile_site({"tile of B", Op::load, wide_bytes, read, read * warps, tiles},
                    [=](std::uint64_t k, unsigned lane) {
                      const std::uint32_t column = Block::column(thread_of(k, lane), square_of(k));
                      return std::uint64_t{Block::place_in_b(k_of(k), column)} * real_bytes;
                    }),
          walking_site("C", Op::store, Block::outputs * Block::outputs / width, c, 1)};
}

/// The tile of a kernel with square tiles.
SquareTile square_tile(ProductBy by) {
  if (by == ProductBy::tile_16) return {.side = 16, .outputs = 1};
  return {.side = 32, .outputs = by == ProductBy::outputs_2 ? 2U : 1U};
}

}  // namespace

ProductShape product_shape(const Case& decided) {
  const std::uint32_t n = decided[axis::product_n];
  const std::uint32_t m = decided[axis::product_m];
  const std::uint32_t k = decided[axis::product_k];
  return {.m = m == 0 ? n : m, .n = n, .k = k == 0 ? n : k};
}

bool in_tiles(ProductBy by) {
  return by == ProductBy::tile_16 || by == ProductBy::tile_32 || by == ProductBy::outputs_2 ||
         by == ProductBy::outputs_64;
}

double direct_scheduler_cycles(const ProductShape& shape, std::uint32_t real_bytes) {
  constexpr double beside = 26.0 / direct::unrolled;  // counted in the code for compute capability 9.0
  const double multiplications = static_cast<double>(shape.m) * shape.n * shape.k;
  return multiplications / warp_lanes * (beside + (real_bytes == sizeof(double) ? 2 : 1));
}

std::uint32_t rounds_of_product(ProductBy by, const ProductShape& shape) {
  switch (by) {
    case ProductBy::row:
    case ProductBy::column:
    case ProductBy::rows_in_shared:
      return blocks_for(shape.k, direct::unrolled);
    case ProductBy::tile_16:
    case ProductBy::tile_32:
    case ProductBy::outputs_2:
      return blocks_for(shape.k, square_tile(by).side);
    case ProductBy::outputs_64:
      return blocks_for(shape.k, RegisterBlock<sizeof(float)>::depth);
    case ProductBy::library:
      break;
  }
  return 1;
}

ProductLaunch product_launch(ProductBy by, const ProductShape& shape, std::uint32_t real_bytes) {
  switch (by) {
    case ProductBy::row:
    case ProductBy::rows_in_shared: {
      const bool keeps = by == ProductBy::rows_in_shared;
      return {.blocks_x = blocks_for(shape.n, direct::along),
              .blocks_y = blocks_for(shape.m, direct::across),
              .threads_x = direct::along,
              .threads_y = direct::across,
              .shared_bytes = keeps ? std::uint64_t{direct::across} * shape.k * real_bytes : 0};
    }
    case ProductBy::column:
      return {.blocks_x = blocks_for(shape.m, direct::along),
              .blocks_y = blocks_for(shape.n, direct::across),
              .threads_x = direct::along,
              .threads_y = direct::across};
    case ProductBy::tile_16:
    case ProductBy::tile_32:
    case ProductBy::outputs_2: {
      const SquareTile tile = square_tile(by);
      return {.blocks_x = blocks_for(shape.n, tile.side),
              .blocks_y = blocks_for(shape.m, tile.side),
              .threads_x = tile.side,
              .threads_y = tile.thread_rows(),
              .shared_bytes = std::uint64_t{2} * tile.side * tile.side * real_bytes};
    }
    case ProductBy::outputs_64: {
      using Block = RegisterBlock<sizeof(float)>;
      const std::uint32_t pitch = real_bytes == sizeof(float) ? Block::pitch : RegisterBlock<sizeof(double)>::pitch;
      return {.blocks_x = blocks_for(shape.n, Block::side),
              .blocks_y = blocks_for(shape.m, Block::side),
              .threads_x = Block::threads,
              .shared_bytes = std::uint64_t{2} * Block::depth * (pitch + Block::side) * real_bytes};
    }
    case ProductBy::library:
      break;
  }
  return {};
}

std::vector<access::Site> product_sites(ProductBy by, const ProductShape& shape, std::uint32_t real_bytes) {
  switch (by) {
    case ProductBy::row:
    case ProductBy::column:
    case ProductBy::rows_in_shared:
      return direct_sites(by, shape, real_bytes);
    case ProductBy::tile_16:
    case ProductBy::tile_32:
    case ProductBy::outputs_2:
      return square_tile_sites(square_tile(by), shape, real_bytes);
    case ProductBy::outputs_64:
      return real_bytes == sizeof(float) ? register_block_sites<sizeof(float)>(shape)
                                         : register_block_sites<sizeof(double)>(shape);
    case ProductBy::library:
      break;
  }
  return {};
}

}  // namespace gpumem::kernels
