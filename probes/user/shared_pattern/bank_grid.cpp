// The picture of a tile: banks, and the request with most wavefronts.

#include <fmt/format.h>

#include <algorithm>
#include <bitset>
#include <utility>

#include "probes/user/shared_pattern/shared_pattern.hpp"

namespace gpumem::shared_pattern {

namespace {

/// The rows of elements that a picture shows. A tile without a number of rows is a line of words: 128 bytes a row, so
/// that a column is a bank.
struct Shape {
  std::uint64_t rows = 0;
  std::uint64_t columns = 0;
  std::uint64_t pitch = 0;  ///< elements
};

Shape shape_of(const TileCase& tile, const TileRequests& requests) {
  if (tile.rows > 0) {
    // Rows that overlap are shown as they follow one another in memory.
    const std::uint64_t rows = (tile.tile_elements() + tile.pitch - 1) / tile.pitch;
    return {.rows = rows, .columns = std::min(tile.columns, tile.pitch), .pitch = tile.pitch};
  }
  const std::uint64_t line = access::bank_count * access::bank_bytes / tile.word_bytes;
  const std::uint64_t elements = requests.tile_bytes / tile.word_bytes;
  return {.rows = (elements + line - 1) / line, .columns = line, .pitch = line};
}

std::uint64_t worst_request(const TileRequests& requests, const TileCase& tile) {
  std::uint64_t worst = 0;
  unsigned most = 0;
  for (std::uint64_t k = 0; k < requests.count(); ++k) {
    const unsigned wavefronts = wavefronts_of(requests.request(k), tile);
    if (wavefronts > most) worst = k;
    most = std::max(most, wavefronts);
  }
  return worst;
}

/// The elements that a lane accesses from its own on, if the swizzle leaves them together for all lanes; else 1.
unsigned elements_together(const access::WarpRequest& request, const TileCase& tile) {
  const unsigned each = std::max(1U, request.word_bytes / tile.word_bytes);
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t place = request.address[lane] / tile.word_bytes;
    for (unsigned i = 1; i < each; ++i) {
      if (tile.swizzle(place + i) != tile.swizzle(place) + i) return 1;
    }
  }
  return each;
}

std::vector<BankGrid::Lane> lanes_in(const access::WarpRequest& request, const TileCase& tile, const Shape& shape) {
  const unsigned group = lanes_together(request, tile);
  const access::LaneWavefronts served =
      tile.copies() ? access::lane_wavefronts<false>(request, group) : access::lane_wavefronts(request, group);
  std::vector<BankGrid::Lane> lanes;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t element = tile.swizzle(request.address[lane] / tile.word_bytes);  // its own inverse
    lanes.push_back({.lane = lane,
                     .row = element / shape.pitch,
                     .column = element % shape.pitch,
                     .wavefront = served.of_lane[lane]});
  }
  return lanes;
}

/// The first and the last value of a member of the lanes.
template <class Member>
std::pair<std::uint64_t, std::uint64_t> span_of(const std::vector<BankGrid::Lane>& lanes, Member member) {
  const auto [low, high] = std::ranges::minmax(lanes, {}, member);
  return {low.*member, high.*member};
}

std::string place_words(const char* what, std::pair<std::uint64_t, std::uint64_t> span) {
  if (span.first == span.second) return fmt::format("{} {}", what, span.first);
  return fmt::format("{}s {} to {}", what, span.first, span.second);
}

/// "in bank 0", or "in 8 banks"
std::string bank_words(const access::WarpRequest& request) {
  std::bitset<access::bank_count> banks;
  std::uint64_t one = 0;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t first = request.address[lane] / access::bank_bytes;
    const std::uint64_t last = (request.address[lane] + request.word_bytes - 1) / access::bank_bytes;
    for (std::uint64_t word = first; word <= last; ++word) banks.set(word % access::bank_count);
    one = first % access::bank_count;
  }
  return banks.count() == 1 ? fmt::format("all in bank {}", one) : fmt::format("in {} banks", banks.count());
}

std::string wavefronts_in_words(std::uint64_t count) {
  return fmt::format("{} wavefront{}", count, count == 1 ? "" : "s");
}

std::string text_of(const BankGrid& grid, const access::WarpRequest& request) {
  const auto rows = span_of(grid.lanes, &BankGrid::Lane::row);
  auto columns = span_of(grid.lanes, &BankGrid::Lane::column);
  columns.second += grid.elements - 1;
  const std::string columns_in_words = place_words("column", columns);
  const std::string rows_in_words = place_words("row", rows);
  const bool one_column = columns.first == columns.second && rows.first != rows.second;
  const bool conflicts = grid.wavefronts > grid.least_wavefronts;
  return fmt::format(
      "{} {}{}; its lanes access {}, {}, {}.",
      grid.requests == 1 ? "The request takes" : fmt::format("The slowest of {} requests takes", grid.requests),
      wavefronts_in_words(grid.wavefronts),
      conflicts ? fmt::format(", {} without bank conflicts", grid.least_wavefronts)
                : std::string(", the fewest for its bytes"),
      one_column ? columns_in_words : rows_in_words, one_column ? rows_in_words : columns_in_words,
      bank_words(request));
}

/// The first of at most `BankGrid::most` rows or columns to show, of `all`: the first, or from where the lanes begin.
std::uint64_t first_shown(std::uint64_t all, std::uint64_t lanes_begin) {
  return all <= BankGrid::most ? 0 : std::min(lanes_begin, all - BankGrid::most);
}

}  // namespace

BankGrid bank_grid_of(const TileCase& tile) {
  const TileRequests requests = requests_of(tile, most_block_bytes);
  Shape shape = shape_of(tile, requests);
  const access::WarpRequest request = requests.request(worst_request(requests, tile));
  BankGrid grid{.element_bytes = tile.word_bytes,
                .elements = elements_together(request, tile),
                .banks = {},
                .requests = requests.count(),
                .wavefronts = wavefronts_of(request, tile),
                .least_wavefronts = access::least_wavefronts(request),
                .lanes = lanes_in(request, tile, shape),
                .text = {}};
  const auto [first_row, last_row] = span_of(grid.lanes, &BankGrid::Lane::row);
  const auto [first_column, last_column] = span_of(grid.lanes, &BankGrid::Lane::column);
  if (last_column >= shape.columns) shape.columns = shape.pitch;  // the pattern accesses the padding
  grid.tile_rows = shape.rows;
  grid.tile_columns = shape.columns;
  grid.first_row = first_shown(shape.rows, first_row);
  grid.first_column = first_shown(shape.columns, first_column);
  for (std::uint64_t row = grid.first_row; row < std::min(shape.rows, grid.first_row + BankGrid::most); ++row) {
    std::string& banks = grid.banks.emplace_back();
    for (std::uint64_t column = grid.first_column; column < std::min(shape.columns, grid.first_column + BankGrid::most);
         ++column) {
      const std::uint64_t byte = tile.swizzle(row * shape.pitch + column) * tile.word_bytes;
      banks += BankGrid::digits[byte / access::bank_bytes % access::bank_count];
    }
  }
  grid.text = text_of(grid, request);
  return grid;
}

}  // namespace gpumem::shared_pattern
