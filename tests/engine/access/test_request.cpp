#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <set>
#include <utility>

#include "engine/access/request.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_request {

namespace {

constexpr std::uint32_t all_lanes = 0xffff'ffff;

/// Lane i accesses word offset + i * stride.
constexpr WarpRequest affine(std::uint64_t offset, std::uint64_t stride, unsigned word_bytes) {
  WarpRequest request;
  request.active = all_lanes;
  request.word_bytes = word_bytes;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) request.address[lane] = (offset + lane * stride) * word_bytes;
  return request;
}

constexpr unsigned sectors(std::uint64_t offset, std::uint64_t stride, unsigned word_bytes) {
  return sectors_per_request(affine(offset, stride, word_bytes));
}

constexpr unsigned wavefronts(std::uint64_t stride, unsigned word_bytes, Op op = Op::load) {
  return shared_wavefronts(affine(0, stride, word_bytes), op);
}

}  // namespace

// Counted by an H200: requests of 4, 8 and 16 bytes a lane, shifted by whole words.
static_assert(sectors(0, 1, 4) == 4 && sectors(1, 1, 4) == 5 && sectors(8, 1, 4) == 4);
static_assert(sectors(0, 1, 8) == 8 && sectors(1, 1, 8) == 9 && sectors(4, 1, 8) == 8);
static_assert(sectors(0, 1, 16) == 16 && sectors(1, 1, 16) == 17 && sectors(2, 1, 16) == 16);

// The distinct bytes of a request, 128 a wavefront; at least one with an active lane.
static_assert(least_wavefronts(affine(0, 1, 4)) == 1 && least_wavefronts(affine(0, 32, 4)) == 1);
static_assert(least_wavefronts(affine(0, 1, 16)) == 4 && least_wavefronts(affine(0, 0, 16)) == 1);
static_assert(least_wavefronts(affine(0, 1, 1)) == 1 && least_wavefronts(WarpRequest{}) == 0);

// Rows of four matrices: next to each other, and 128 bytes apart; their first matrix alone.
static_assert(matrix_wavefronts(affine(0, 1, 16)) == 4 && matrix_wavefronts(affine(0, 8, 16)) == 32);
static_assert(matrix_wavefronts(affine(0, 9, 16)) == 4);
// A group of lanes takes a cycle even if none of them is active, as an H100 measures it.
static_assert(shared_cycles({.address = {0, 16, 32}, .active = 7, .word_bytes = 16}, Op::load) == 4);
static_assert(shared_cycles({.address = {0, 16}, .active = 3, .word_bytes = 16}, Op::load) == 2);
static_assert(shared_cycles({.address = {0, 16}, .active = 3, .word_bytes = 16}, Op::store) == 4);
static_assert(shared_cycles({.address = {0, 512, 1024}, .active = 7, .word_bytes = 8}, Op::load) == 3);
// Copies by cp.async: as an H100 counts them. Lanes with one address take turns.
static_assert(copy_wavefronts(affine(0, 1, 4)) == 1 && copy_wavefronts(affine(0, 1, 8)) == 2);
static_assert(copy_wavefronts(affine(0, 1, 16)) == 4 && copy_wavefronts(affine(0, 4, 4)) == 4);
static_assert(copy_wavefronts(affine(0, 0, 4)) == 32 && copy_wavefronts(affine(0, 0, 16)) == 32);
static_assert(copy_wavefronts(affine(0, 2, 8)) == 4 && copy_wavefronts(affine(0, 33, 16)) == 4);

// No lane, one lane, one address.
static_assert(sectors_per_request(WarpRequest{}) == 0 && lines_per_request(WarpRequest{}) == 0);
static_assert(shared_wavefronts(WarpRequest{}, Op::load) == 0 && useful_bytes(WarpRequest{}) == 0);
static_assert(efficiency(WarpRequest{}) == 0.0);
static_assert(sectors(5, 0, 4) == 1 && wavefronts(0, 4) == 1);

// Constant memory asks for addresses, whatever they have in common.
static_assert(addresses_per_request(WarpRequest{}) == 0);
static_assert(addresses_per_request(affine(5, 0, 4)) == 1 && addresses_per_request(affine(5, 1, 4)) == 32);
static_assert(addresses_per_request(affine(0, 1, 1)) == 32 && addresses_per_request(affine(0, 8, 16)) == 32);

namespace {

/// A request of local memory in which lane i asks for byte `first + i * step` of its own.
constexpr WarpRequest local_request(std::uint64_t first, std::uint64_t step) {
  WarpRequest request;
  request.active = all_lanes;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) request.address[lane] = local_address(first + lane * step, lane);
  return request;
}

}  // namespace

// One index for all lanes is a line; an index for each is a sector for each.
static_assert(local_address(0, 0) == 0 && local_address(0, 31) == 124 && local_address(4, 0) == 128);
static_assert(local_address(7, 2) == 128 + 8 + 3);
static_assert(sectors_per_request(local_request(0, 0)) == 4 && sectors_per_request(local_request(60, 0)) == 4);
static_assert(lines_per_request(local_request(60, 0)) == 1);
static_assert(sectors_per_request(local_request(0, 4)) == 32);

TEST_CASE("sectors of consecutive words at every offset", "[access]") {
  for (unsigned offset = 0; offset <= 64; ++offset) {
    INFO("offset " << offset);
    CHECK(sectors(offset, 1, 1) == (offset % 32 == 0 ? 1U : 2U));
    CHECK(sectors(offset, 1, 2) == (offset % 16 == 0 ? 2U : 3U));
    CHECK(sectors(offset, 1, 4) == (offset % 8 == 0 ? 4U : 5U));
    CHECK(sectors(offset, 1, 8) == (offset % 4 == 0 ? 8U : 9U));
    CHECK(sectors(offset, 1, 16) == (offset % 2 == 0 ? 16U : 17U));
  }
}

TEST_CASE("sectors and efficiency of strided words", "[access]") {
  for (const unsigned word_bytes : {4U, 8U, 16U}) {
    for (unsigned stride = 1; stride <= 64; ++stride) {
      INFO(word_bytes << "-byte words, stride " << stride);
      // 32 words span 32 x stride words of whole sectors; no lane has more than a sector to itself.
      const unsigned expected = std::min(stride * word_bytes, sector_bytes);
      CHECK(sectors(0, stride, word_bytes) == expected);
      CHECK(efficiency(affine(0, stride, word_bytes)) == Approx(static_cast<double>(word_bytes) / expected));
    }
  }
  // The guide's table: efficiency 1 / stride down to 1/8, 32 sectors from stride 8 on.
  CHECK(efficiency(affine(0, 1, 4)) == 1.0);
  CHECK(efficiency(affine(0, 2, 4)) == 0.5);
  CHECK(efficiency(affine(0, 8, 4)) == 0.125);
  CHECK(efficiency(affine(0, 32, 4)) == 0.125);
  CHECK(sectors(0, 8, 4) == 32);
}

TEST_CASE("lines of strided words", "[access]") {
  for (unsigned stride = 1; stride <= 64; ++stride) {
    INFO("stride " << stride);
    CHECK(lines_per_request(affine(0, stride, 4)) == std::min(stride, 32U));
    // Up to stride 32 no line between the first and the last is passed over.
    CHECK(lines_per_request(affine(1, stride, 4)) == std::min((1 + 31 * stride) / 32 + 1, 32U));
  }
}

TEST_CASE("a permutation or a subset of the lanes costs the same sectors", "[access]") {
  std::mt19937_64 engine(1);
  WarpRequest request = affine(0, 1, 4);
  for (int i = 0; i < 100; ++i) {
    std::shuffle(std::begin(request.address), std::end(request.address), engine);
    CHECK(sectors_per_request(request) == 4);
    CHECK(shared_wavefronts(request, Op::load) == 1);
  }
  request = affine(0, 1, 4);
  request.active = 0x0101'0101;  // one lane in each sector
  CHECK(sectors_per_request(request) == 4);
  CHECK(useful_bytes(request) == 16);
  CHECK(efficiency(request) == Approx(0.125));
}

TEST_CASE("inactive lanes touch nothing", "[access]") {
  WarpRequest request = affine(0, 1, 4);
  request.active = 0x0000'00ff;
  for (unsigned lane = 8; lane < warp_lanes; ++lane) request.address[lane] = 0xdead'0000 + 4096 * lane;
  CHECK(sectors_per_request(request) == 1);
  CHECK(lines_per_request(request) == 1);
  CHECK(shared_wavefronts(request, Op::load) == 1);
  CHECK(useful_bytes(request) == 32);
  CHECK(efficiency(request) == 1.0);
}

TEST_CASE("a word that lanes share is useful once", "[access]") {
  CHECK(useful_bytes(affine(3, 0, 4)) == 4);
  CHECK(efficiency(affine(3, 0, 4)) == 0.125);
}

TEST_CASE("shared wavefronts of strides, as counted by an H200", "[access]") {
  for (unsigned stride = 0; stride <= 300; ++stride) {
    INFO("stride " << stride);
    CHECK(wavefronts(stride, 4) == (stride == 0 ? 1U : std::gcd(stride, 32U)));
    CHECK(wavefronts(stride, 8) == (stride == 0 ? 1U : std::min(32U, 2 * std::gcd(stride, 16U))));
    CHECK(wavefronts(stride, 16) == (stride == 0 ? 2U : std::min(32U, 4 * std::gcd(stride, 8U))));
  }
}

TEST_CASE("stores of one word by many lanes are not merged as loads are", "[access]") {
  CHECK(wavefronts(0, 4, Op::store) == 1);
  CHECK(wavefronts(0, 8, Op::store) == 2);
  CHECK(wavefronts(0, 16, Op::store) == 4);
  CHECK(wavefronts(1, 16, Op::store) == wavefronts(1, 16));
}

TEST_CASE("shared wavefronts of small words: those in one bank word are one", "[access]") {
  CHECK(wavefronts(1, 1) == 1);
  CHECK(wavefronts(1, 2) == 1);
  CHECK(wavefronts(4, 1) == 1);
  CHECK(wavefronts(128, 1) == 32);
  CHECK(wavefronts(64, 2) == 32);
  CHECK(wavefronts(2, 2) == 1);
}

TEST_CASE("shared wavefronts of a 32-wide tile's column: padding it to 33 removes the conflict", "[access]") {
  CHECK(wavefronts(32, 4) == 32);
  CHECK(wavefronts(33, 4) == 1);
}

TEST_CASE("shared wavefronts do not depend on where the base is", "[access]") {
  for (const unsigned word_bytes : {4U, 8U, 16U}) {
    for (unsigned stride = 0; stride <= 33; ++stride) {
      for (unsigned offset = 0; offset <= 33; ++offset) {
        CHECK(shared_wavefronts(affine(offset, stride, word_bytes), Op::load) == wavefronts(stride, word_bytes));
      }
    }
  }
}

// A second implementation, byte by byte, and thousands of random requests.

namespace {

std::size_t blocks_by_byte(const WarpRequest& request, unsigned block_bytes) {
  std::set<std::uint64_t> blocks;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((request.active & (1U << lane)) == 0) continue;
    for (unsigned byte = 0; byte < request.word_bytes; ++byte) {
      blocks.insert((request.address[lane] + byte) / block_bytes);
    }
  }
  return blocks.size();
}

/// True if the active lanes of every pair (lane, lane ^ distance) have the same address.
bool pairs_share(const WarpRequest& request, unsigned distance) {
  std::map<unsigned, std::set<std::uint64_t>> addresses_of_pair;
  for (unsigned lane = 0; lane < 32; ++lane) {
    if ((request.active & (1U << lane)) != 0) addresses_of_pair[lane & ~distance].insert(request.address[lane]);
  }
  return std::ranges::all_of(addresses_of_pair, [](const auto& pair) { return pair.second.size() == 1; });
}

std::size_t wavefronts_by_byte(const WarpRequest& request, bool is_load) {
  std::size_t total = 0;
  std::map<unsigned, unsigned> lanes_at_once = {{1, 32}, {2, 32}, {4, 32}, {8, 16}, {16, 8}};
  unsigned group_lanes = lanes_at_once.at(request.word_bytes);
  if (is_load && group_lanes < 32 && (pairs_share(request, 1) || pairs_share(request, 2))) group_lanes *= 2;
  for (unsigned first = 0; first < 32; first += group_lanes) {
    std::map<std::uint64_t, std::set<std::uint64_t>> words_of_bank;
    for (unsigned lane = first; lane < first + group_lanes; ++lane) {
      if ((request.active & (1U << lane)) == 0) continue;
      for (unsigned byte = 0; byte < request.word_bytes; ++byte) {
        const std::uint64_t word = (request.address[lane] + byte) >> 2;
        words_of_bank[word & 31].insert(word);
      }
    }
    std::size_t busiest = 0;
    for (const auto& [bank, words] : words_of_bank) busiest = std::max(busiest, words.size());
    total += busiest;
  }
  return total;
}

std::size_t distinct_addresses(const WarpRequest& request) {
  std::set<std::uint64_t> addresses;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (request.lane_active(lane)) addresses.insert(request.address[lane]);
  }
  return addresses.size();
}

/// A kind of request by name, and one of it with words of this size; aligned to them or to nothing.
class RandomRequests {
 public:
  static constexpr std::array kinds = {"scattered", "clustered", "few addresses",    "permuted",
                                       "same bank", "affine",    "equal neighbours", "equal second neighbours"};

  WarpRequest operator()(std::size_t kind, unsigned word_bytes, bool aligned) {
    WarpRequest request;
    request.word_bytes = word_bytes;
    request.active = up_to(3) == 0 ? static_cast<std::uint32_t>(engine_()) : all_lanes;
    if (up_to(50) == 0) request.active = 0;
    const std::uint64_t base = up_to(1 << 20) * word_bytes;
    const std::uint64_t stride = up_to(70);
    const std::uint64_t few = 1 + up_to(6);
    std::array<std::uint64_t, warp_lanes> order{};
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), engine_);
    const std::uint64_t misalignment = aligned ? 0 : up_to(200);
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      const std::array<std::uint64_t, kinds.size()> word = {
          up_to(std::uint64_t{1} << 40),
          up_to(96),
          up_to(few),
          order[lane],
          32 * up_to(40),
          lane * stride,
          order[lane & ~1U] * stride,
          order[lane & ~2U] * stride,
      };
      request.address[lane] = base + word[kind] * word_bytes + misalignment;
    }
    return request;
  }

 private:
  std::uint64_t up_to(std::uint64_t bound) { return std::uniform_int_distribution<std::uint64_t>(0, bound)(engine_); }

  std::mt19937_64 engine_{20'261'120};
};

/// Checks that is_right(request, aligned) holds for random requests of every kind and size of words.
template <class IsRight>
void check_random_requests(const IsRight& is_right) {
  RandomRequests random;
  for (std::size_t kind = 0; kind < RandomRequests::kinds.size(); ++kind) {
    for (const unsigned word_bytes : {1U, 2U, 4U, 8U, 16U}) {
      for (const bool aligned : {true, false}) {
        int wrong = 0;
        for (int i = 0; i < 100; ++i) wrong += is_right(random(kind, word_bytes, aligned), aligned) ? 0 : 1;
        INFO(RandomRequests::kinds[kind] << ", " << word_bytes << "-byte words, " << (aligned ? "aligned" : "not"));
        CHECK(wrong == 0);
      }
    }
  }
}

}  // namespace

TEST_CASE("random requests cost what counting byte by byte gives", "[access]") {
  check_random_requests([](const WarpRequest& request, bool /*aligned*/) {
    const std::size_t sector_count = blocks_by_byte(request, 32);
    const double words = static_cast<double>(distinct_addresses(request));
    const double expected_efficiency =
        sector_count == 0 ? 0 : words * request.word_bytes / (32.0 * static_cast<double>(sector_count));
    return sectors_per_request(request) == sector_count && lines_per_request(request) == blocks_by_byte(request, 128) &&
           blocks_touched(request, dram_atom_bytes).size == blocks_by_byte(request, 64) &&
           shared_wavefronts(request, Op::load) == wavefronts_by_byte(request, true) &&
           shared_wavefronts(request, Op::store) == wavefronts_by_byte(request, false) &&
           addresses_per_request(request) == distinct_addresses(request) &&
           useful_bytes(request) == words * request.word_bytes && efficiency(request) == Approx(expected_efficiency);
  });
}

namespace {

/// True if no bank gives two words in one wavefront, and no two groups of lanes share one.
bool is_served(const WarpRequest& request, unsigned group, const LaneWavefronts& served) {
  std::map<std::pair<unsigned, std::uint64_t>, std::uint64_t> given;  // by wavefront and bank
  std::map<unsigned, unsigned> group_of;                              // by wavefront
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    const unsigned wavefront = served.of_lane[lane];
    if (wavefront >= served.count || group_of.try_emplace(wavefront, lane / group).first->second != lane / group) {
      return false;
    }
    for (unsigned byte = 0; byte < request.word_bytes; ++byte) {
      const std::uint64_t word = (request.address[lane] + byte) / bank_bytes;
      if (given.try_emplace({wavefront, word % bank_count}, word).first->second != word) return false;
    }
  }
  return true;
}

}  // namespace

TEST_CASE("each lane of a random request is served by one of its wavefronts", "[access]") {
  check_random_requests([](const WarpRequest& request, bool aligned) {
    const auto is_right = [&](Op op) {
      const unsigned group = lanes_served_together(request, op);
      const LaneWavefronts served = lane_wavefronts(request, group);
      // A word across a boundary of its size can take its banks in several wavefronts.
      return served.count == shared_wavefronts(request, op) &&
             *std::ranges::max_element(served.of_lane) + 1 == std::max(served.count, 1U) &&
             (!aligned || is_served(request, group, served));
    };
    return is_right(Op::load) && is_right(Op::store) &&
           lane_wavefronts(request, matrix_rows).count == matrix_wavefronts(request);
  });
}

TEST_CASE("the most blocks a request can touch fit", "[access]") {
  // Every lane across a boundary of its own, for sectors, lines and banks.
  WarpRequest request;
  request.active = all_lanes;
  request.word_bytes = 16;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) request.address[lane] = 1024 * (lane + 1) - 8;
  CHECK(sectors_per_request(request) == 64);
  CHECK(lines_per_request(request) == 64);
  CHECK(shared_wavefronts(request, Op::load) == 32);
}

}  // namespace gpumem::access::test_request
