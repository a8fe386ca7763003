#include "probes/user/shared_pattern/shared_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/expression.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_tokens.hpp"

namespace gpumem::shared_pattern {

namespace {

/// Bits of the index of an element of 1 byte in the largest shared memory of a block, 227 KiB (CUDA C++ Programming
/// Guide, Technical Specifications).
constexpr int most_index_bits = 18;

[[noreturn]] void refuse_swizzle(std::string_view text, const std::string& problem) {
  throw usage_error(fmt::format("--swizzle: {} {}", pattern::quoted(text), problem));
}

std::vector<std::string_view> items_of(std::string_view text) {
  std::vector<std::string_view> items;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(',', begin), text.size());
    items.push_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return items;
}

std::optional<int> whole_number(std::string_view text) {
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Throws unless Swizzle<bits, base, shift> is one: CUTLASS, include/cute/swizzle.hpp.
void require_fitting_bits(std::string_view value, int bits, int base, int shift) {
  if (bits < 0 || base < 0) refuse_swizzle(value, "has a negative number of bits; B and M of B,M,S are 0 or more");
  if (bits > most_index_bits || base > most_index_bits || std::abs(static_cast<long long>(shift)) > most_index_bits ||
      bits + base + std::abs(shift) > most_index_bits) {
    refuse_swizzle(value, fmt::format("reaches bit {}; the index of an element in shared memory has {} bits, so that "
                                      "B + M + |S| is at most {}",
                                      static_cast<long long>(bits) + base + std::abs(static_cast<long long>(shift)),
                                      most_index_bits, most_index_bits));
  }
  if (std::abs(shift) < bits) {
    refuse_swizzle(value, fmt::format("shifts {0} bits by {1}, onto themselves; |S| of B,M,S is at least B", bits,
                                      std::abs(shift)));
  }
}

pattern::Expression expression_of(const std::string& text, const char* option, const TileCase& tile) {
  return in_tile(pattern::parse_one(text, option, pattern::Names::of_tile), static_cast<std::int64_t>(tile.columns),
                 static_cast<std::int64_t>(tile.pitch));
}

/// The operation of a case. Throws a usage error unless either its pattern or --op names one.
TileOp operation_of(const Case& chosen) {
  const std::string& pattern = chosen[axis::pattern];
  const std::string_view named = own_operation(pattern).name;
  const TileOp op = chosen[axis::op];
  if (op == TileOp::own && named.empty()) {
    throw usage_error(fmt::format("--op own: the pattern '{}' names no operation; begin it with one, as in 'write: {}'",
                                  pattern, pattern));
  }
  if (op != TileOp::own && !named.empty()) {
    throw usage_error(fmt::format("--op {}: the pattern '{}' names its operation itself; pass --op own",
                                  chosen.name(axis::op), pattern));
  }
  return op == TileOp::own ? axis::op.value_of(named) : op;
}

/// Writes the requests of a case, and checks every address.
class TileEvaluation {
 public:
  TileEvaluation(const TileCase& tile, std::uint64_t most_bytes)
      : tile_(tile),
        most_bytes_(most_bytes),
        active_(expression_of(tile.active, "active", tile), static_cast<std::int64_t>(tile.accesses())) {
    if (tile.list) return;
    element_.emplace(expression_of(tile.pattern, "pattern", tile), static_cast<std::int64_t>(tile.accesses()));
  }

  [[nodiscard]] TileRequests evaluate() {
    const unsigned lanes = tile_.request_lanes();
    found_.access_bytes = tile_.access_bytes();
    for (std::uint64_t first = 0; first < tile_.accesses(); first += lanes) {
      const std::uint64_t count = std::min<std::uint64_t>(lanes, tile_.accesses() - first);
      auto at = pattern::consecutive(static_cast<std::int64_t>(first), count);
      at.warp = static_cast<std::int64_t>(first / lanes % most_warps);
      add_request(at);
    }
    if (found_.count() == 0) {
      throw usage_error(fmt::format("--active: '{}' is 0 for every one of the {} accesses; no access takes part",
                                    tile_.active, tile_.accesses()));
    }
    found_.tile_bytes = static_cast<std::uint32_t>((end_byte_ + row_bytes - 1) / row_bytes * row_bytes);
    return std::move(found_);
  }

 private:
  static constexpr std::uint64_t most_warps = 32;  ///< of a block: CUDA C++ Programming Guide, Technical Specifications

  void add_request(pattern::WarpAccesses at) {
    const pattern::WarpValues taking_part = active_(at);
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if (taking_part[lane] == 0) at.active &= ~(std::uint32_t{1} << lane);
    }
    if (at.active == 0) return;
    const pattern::WarpValues& elements = elements_of(at);
    const std::size_t begin = found_.bytes.size();
    found_.bytes.resize(begin + access::warp_lanes, no_access);
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((at.active >> lane & 1U) == 0) continue;
      found_.bytes[begin + lane] = address_of(elements[lane], at.i[lane]);
      ++found_.accesses;
    }
    const access::WarpRequest request = found_.request(found_.count() - 1);
    found_.wavefronts += wavefronts_of(request, tile_);
    found_.cycles += cycles_of(request, tile_);
    found_.least += access::least_wavefronts(request);
  }

  /// The element of each active lane, valid until the next call.
  const pattern::WarpValues& elements_of(const pattern::WarpAccesses& at) {
    if (!tile_.list) return (*element_)(at);
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((at.active >> lane & 1U) == 0) continue;
      const std::uint64_t element = tile_.list->sequence(static_cast<std::uint64_t>(at.i[lane]));
      listed_[lane] = static_cast<std::int64_t>(element);  // it has 63 bits at most
    }
    return listed_;
  }

  std::uint32_t address_of(std::int64_t element, std::int64_t access) {
    const std::uint64_t each = found_.access_bytes / std::min(tile_.word_bytes, found_.access_bytes);
    if (element < 0) refuse(element, access, ", negative; elements count from 0");
    const std::uint64_t end = static_cast<std::uint64_t>(element) + each;
    if (tile_.rows > 0 && end > tile_.tile_elements()) {
      refuse(element, access,
             fmt::format(", beyond the {} elements of the tile ({} rows, {} elements apart); make --rows or --pitch "
                         "larger, or leave --rows out",
                         tile_.tile_elements(), tile_.rows, std::max(tile_.pitch, tile_.columns)));
    }
    if (end > most_bytes_ / tile_.word_bytes) refuse_beyond_memory(element, access, "is");
    const std::uint64_t place = tile_.swizzle(static_cast<std::uint64_t>(element));
    if (place + each > most_bytes_ / tile_.word_bytes) {
      refuse_beyond_memory(static_cast<std::int64_t>(place), access, "is swizzled to");
    }
    if (tile_.rows > 0 && place + each > tile_.tile_elements()) {
      throw usage_error(
          fmt::format("--swizzle: element {} of '{}' (access i = {}) goes to {}, beyond the {} elements of "
                      "the tile; choose fewer or lower bits, or a tile of a power of two",
                      element, tile_.pattern, access, place, tile_.tile_elements()));
    }
    const std::uint64_t byte = place * tile_.word_bytes;
    if (byte % found_.access_bytes != 0) {
      refuse(element, access,
             fmt::format(", at byte {}{}, and a row of a matrix begins at a multiple of {}", byte,
                         place == static_cast<std::uint64_t>(element) ? "" : " when swizzled", found_.access_bytes));
    }
    end_byte_ = std::max(end_byte_, byte + found_.access_bytes);
    return static_cast<std::uint32_t>(byte);
  }

  [[noreturn]] void refuse(std::int64_t element, std::int64_t access, const std::string& problem,
                           const char* verb = "is") const {
    if (tile_.list) {
      throw usage_error(fmt::format("--indices: '{}': index {}, counted from 0, {} {}{}", tile_.pattern, access, verb,
                                    element, problem));
    }
    throw usage_error(
        fmt::format("--pattern: '{}' {} {} for access i = {}{}", tile_.pattern, verb, element, access, problem));
  }
  [[noreturn]] void refuse_beyond_memory(std::int64_t element, std::int64_t access, const char* verb) const {
    const char* const cure = tile_.list ? "leave such indices out, or count them from the beginning of the tile"
                                        : "keep it smaller with % or &, or pass fewer --rows";
    refuse(element, access,
           fmt::format(", beyond the {} elements of {} bytes that a block's {} of shared memory have; {}",
                       most_bytes_ / tile_.word_bytes, tile_.word_bytes, size_in_words(most_bytes_), cure),
           verb);
  }

  const TileCase& tile_;
  std::uint64_t most_bytes_;
  std::optional<pattern::Evaluator> element_;  ///< absent with a list
  pattern::Evaluator active_;
  pattern::WarpValues listed_{};  ///< what elements_of() returns of a list
  TileRequests found_;
  std::uint64_t end_byte_ = 0;
};

}  // namespace

std::vector<std::string> swizzle_values(std::string_view text) {
  std::vector<std::string> values;
  const std::vector<std::string_view> items = items_of(text);
  for (std::size_t k = 0; k < items.size(); ++k) {
    if (items[k] == "none") {
      values.emplace_back(items[k]);
      continue;
    }
    int numbers[3] = {};
    for (std::size_t part = 0; part < 3; ++part) {
      const auto number = k + part < items.size() ? whole_number(items[k + part]) : std::nullopt;
      if (!number) refuse_swizzle(text, "is neither none nor three whole numbers B,M,S, such as 3,0,5");
      numbers[part] = *number;
    }
    values.push_back(fmt::format("{},{},{}", numbers[0], numbers[1], numbers[2]));
    require_fitting_bits(values.back(), numbers[0], numbers[1], numbers[2]);
    k += 2;
  }
  return values;
}

access::Swizzle swizzle_of(std::string_view value) {
  if (value == "none") return {};
  const std::vector<std::string_view> items = items_of(value);
  if (items.size() != 3) refuse_swizzle(value, "is not one swizzle B,M,S");
  const auto number = [&](std::size_t k) { return whole_number(items[k]).value_or(0); };
  require_fitting_bits(value, number(0), number(1), number(2));
  return {static_cast<unsigned>(number(0)), static_cast<unsigned>(number(1)), number(2)};
}

OwnOperation own_operation(std::string_view pattern) {
  const std::size_t colon = pattern.find(':');
  if (colon == std::string_view::npos) return {.name = {}, .expression = pattern};
  const auto trimmed = [](std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(first, text.find_last_not_of(' ') + 1 - first);
  };
  const std::string_view name = trimmed(pattern.substr(0, colon));
  const std::vector<std::string> names = axis::op.names();
  // Any other colon is one of a condition or a sweep.
  if (name == axis::op.name_of(TileOp::own) || std::ranges::find(names, name) == names.end()) {
    return {.name = {}, .expression = pattern};
  }
  return {.name = name, .expression = trimmed(pattern.substr(colon + 1))};
}

TileCase tile_of_expression(const Case& chosen) {
  TileCase tile{.pattern = std::string(own_operation(chosen[axis::pattern]).expression),
                .active = chosen[axis::active],
                .op = operation_of(chosen),
                .word_bytes = chosen[axis::word_bytes],
                .rows = chosen[axis::rows],
                .columns = chosen[axis::columns],
                .pitch = chosen[axis::pitch],
                .swizzle = swizzle_of(chosen[axis::swizzle])};
  const std::uint64_t padding = chosen[axis::pad];
  tile.matrices = matrices_of(tile.op, chosen[axis::matrices]);
  require_options_of_operation(tile, chosen[axis::matrices]);
  if (tile.pitch > 0 && padding > 0) {
    throw usage_error(
        fmt::format("--pitch {} and --pad {} both say how far rows are apart; pass one of them", tile.pitch, padding));
  }
  if (tile.pitch == 0) tile.pitch = tile.columns + padding;
  if (tile.rows * tile.columns * tile.word_bytes % tile.access_bytes() != 0) {
    throw usage_error(
        fmt::format("--rows {} and --columns {} of {} bytes do not divide into rows of a matrix, of {} "
                    "bytes; pass a multiple of {} columns",
                    tile.rows, tile.columns, tile.word_bytes, row_bytes, row_bytes / tile.word_bytes));
  }
  if (tile.matrices > 0 && !tile.fills_requests()) {
    throw usage_error(
        fmt::format("--rows {} and --columns {} have {} rows of matrices, and --op {} takes {} at once; "
                    "pass a multiple of them{}",
                    tile.rows, tile.columns, tile.accesses(), axis::op.name_of(tile.op), tile.request_lanes(),
                    tile.matrices > 1 ? ", or fewer --matrices" : ""));
  }
  static_cast<void>(expression_of(tile.pattern, "pattern", tile));
  static_cast<void>(expression_of(tile.active, "active", tile));
  return tile;
}

unsigned matrices_of(TileOp op, unsigned asked) {
  constexpr unsigned all_matrices = 4;
  if (op == TileOp::read || op == TileOp::write || op == TileOp::copy) return 0;
  return asked == 0 ? all_matrices : asked;
}

void require_options_of_operation(const TileCase& tile, unsigned matrices_asked) {
  const bool moves_matrices = tile.matrices > 0;
  if (!moves_matrices && matrices_asked > 0) {
    throw usage_error(fmt::format("--matrices {}: --op {} moves words, not matrices; pass --op ldmatrix or stmatrix",
                                  matrices_asked, axis::op.name_of(tile.op)));
  }
  if (moves_matrices && tile.active != "1") {
    throw usage_error(fmt::format("--active: all lanes take part in --op {}; leave --active out, or pass --op read",
                                  axis::op.name_of(tile.op)));
  }
  if (tile.copies() && tile.word_bytes < access::bank_bytes) {
    throw usage_error(fmt::format("--word-bytes {}: --op cp-async copies 4, 8 or 16 bytes a lane", tile.word_bytes));
  }
}

access::WarpRequest TileRequests::request(std::uint64_t k) const {
  access::WarpRequest request{.word_bytes = access_bytes};
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    const std::uint32_t address = bytes[k * access::warp_lanes + lane];
    if (address == no_access) continue;
    request.address[lane] = address;
    request.active |= std::uint32_t{1} << lane;
  }
  return request;
}

unsigned lanes_together(const access::WarpRequest& request, const TileCase& tile) {
  if (tile.matrices > 0) return access::matrix_rows;
  if (tile.copies()) return access::lanes_copied_together(request);
  return access::lanes_served_together(request, tile.stores() ? access::Op::store : access::Op::load);
}

unsigned wavefronts_of(const access::WarpRequest& request, const TileCase& tile) {
  if (tile.matrices > 0) return access::matrix_wavefronts(request);
  if (tile.copies()) return access::copy_wavefronts(request);
  return access::shared_wavefronts(request, tile.stores() ? access::Op::store : access::Op::load);
}

double cycles_of(const access::WarpRequest& request, const TileCase& tile) {
  if (tile.copies()) {
    // Besides its wavefronts a copy takes what it takes to find the source in L1. Measured on an H100 with all numbers
    // of wavefronts from 1 to 32 (docs/patterns.md); nothing was published.
    const unsigned wavefronts = wavefronts_of(request, tile);
    return wavefronts + (wavefronts > 2 ? 1.15 : 1.65);
  }
  if (tile.matrices > 0) return wavefronts_of(request, tile);  // none of the rows is inactive
  return access::shared_cycles(request, tile.stores() ? access::Op::store : access::Op::load);
}

TileRequests requests_of(const TileCase& tile, std::uint64_t most_bytes) {
  const std::uint64_t elements = most_bytes / tile.word_bytes;
  if (tile.rows > 0 && tile.tile_elements() > elements) {
    throw usage_error(
        fmt::format("--rows {}: a tile of {} elements of {} bytes is larger than the {} of shared memory "
                    "that a block has; pass fewer rows or columns",
                    tile.rows, tile.tile_elements(), tile.word_bytes, size_in_words(most_bytes)));
  }
  return TileEvaluation(tile, most_bytes).evaluate();
}

}  // namespace gpumem::shared_pattern
