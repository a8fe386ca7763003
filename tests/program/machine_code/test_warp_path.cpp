#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "program/machine_code/instructions.hpp"
#include "program/machine_code/warp_path.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_warp_path {

namespace {

namespace test = gpumem::test;
using namespace test::machine_code;

constexpr double warps = 64;

inject::Site site_at(std::size_t index, std::uint64_t requests, inject::RawOp op = inject::RawOp::load) {
  return test::streaming(op, requests, 4, index * 16);
}

WarpPath path_of(const std::vector<Written>& code, const std::vector<inject::Site>& sites) {
  static const model::Profile profile = model::load_profile("h200");
  return warp_path({code_of(code), 9}, sites, warps, profile.rates);
}

/// Cycles of the busiest pipe.
double cycles_of(const WarpPath& path) { return std::ranges::max(path.busy_cycles); }

double waits_per_warp(const std::vector<Written>& code, const std::vector<inject::Site>& sites) {
  return path_of(code, sites).chains.waits / warps;
}

}  // namespace

TEST_CASE("branches are decoded for every compute capability", "[program][warp_path]") {
  const auto decoded = instructions_of(code_of({{fadd}, {bra, none, 0, true, 0}, {bra, none, 0, true, 300}}), 9);
  REQUIRE(decoded.size() == 3);
  CHECK(decoded[1].target == 0);
  CHECK(decoded[2].target == 3);  // beyond the end
  CHECK_FALSE(decoded[1].always);
  CHECK(decoded[0].always);
  // "BRA" to itself, as nvcc puts it behind the end for compute capability 8.0 and 9.0.
  for (const auto& [low, major] : {std::pair(0xfffffff000007947ULL, 8U), std::pair(0xfffffffc00fc7947ULL, 9U)}) {
    const auto trap = instructions_of(test::bytes_of(std::uint64_t{low}) + test::bytes_of(std::uint64_t{0}), major);
    CHECK(trap.front().target == 0);
  }
  CHECK(instructions_of(code_of({{fadd}}), 6).empty());
}

TEST_CASE("loads that are under way together are waited for once", "[program][warp_path]") {
  const std::vector<Written> together = {{ldg, 0}, {ldg, 1}, {ldg, 2}, {fadd, none, 0b111}, {exits}};
  CHECK(waits_per_warp(together, {site_at(0, 64), site_at(1, 64), site_at(2, 64)}) == 1);
  const std::vector<Written> apart = {{ldg, 0}, {fadd, none, 1}, {ldg, 0}, {fadd, none, 1}, {exits}};
  CHECK(waits_per_warp(apart, {site_at(0, 64), site_at(2, 64)}) == 2);
}

TEST_CASE("a loop waits as often as it goes round, however far ahead it loads", "[program][warp_path]") {
  const std::vector<Written> at_once = {{fadd}, {ldg, 0}, {fadd, none, 1}, {bra, none, 0, true, 1}, {exits}};
  CHECK(waits_per_warp(at_once, {site_at(1, 64 * 100)}) == Approx(100));
  const std::vector<Written> ahead = {{ldg, 0},        {fadd, none, 1}, {ldg, 0}, {bra, none, 0, true, 1},
                                      {fadd, none, 1}, {exits}};
  CHECK(waits_per_warp(ahead, {site_at(0, 64), site_at(2, 64 * 100)}) == Approx(101).margin(1));
  const std::vector<Written> four = {
      {fadd}, {ldg, 0}, {ldg, 1}, {ldg, 2}, {ldg, 3}, {fadd, none, 0b1111}, {bra, none, 0, true, 1}, {exits}};
  CHECK(waits_per_warp(four, {site_at(1, 6400), site_at(2, 6400), site_at(3, 6400), site_at(4, 6400)}) == Approx(100));
}

TEST_CASE("what L1 has is not waited for", "[program][warp_path]") {
  inject::Site served = site_at(0, 64);
  served.l2_requests = 16;
  CHECK(waits_per_warp({{ldg, 0}, {fadd, none, 1}, {exits}}, {served}) == 0.25);
}

TEST_CASE("instructions keep the narrowest pipe busy, as often as they ran", "[program][warp_path]") {
  CHECK(cycles_of(path_of({{fadd}, {fadd}, {stg}, {exits}}, {site_at(2, 64, inject::RawOp::store)})) == 4 * warps);
  CHECK(cycles_of(path_of({{imad}, {imad}, {imad}, {imad}, {stg}, {exits}}, {site_at(4, 64, inject::RawOp::store)})) ==
        8 * warps);
  CHECK(cycles_of(path_of({{dfma}, {dfma}, {stg}, {exits}}, {site_at(2, 64, inject::RawOp::store)})) == 6 * warps);
  CHECK(cycles_of(path_of({{mufu}, {mufu}, {stg}, {exits}}, {site_at(2, 64, inject::RawOp::store)})) == 16 * warps);
  CHECK(cycles_of(path_of({{match}, {match}, {stg}, {exits}}, {site_at(2, 64, inject::RawOp::store)})) == 36 * warps);
}

TEST_CASE("what never accessed memory never ran, and nor did what leads only there", "[program][warp_path]") {
  // Either way ends in a store; the second is seen never.
  const std::vector<Written> code = {
      {fadd}, {bra, none, 0, true, 5}, {fadd}, {stg}, {exits}, {mufu, none}, {mufu}, {mufu}, {stg}, {exits}};
  CHECK(cycles_of(path_of(code, {site_at(3, 64, inject::RawOp::store)})) == 5 * warps);
}

TEST_CASE("what nobody sees is said", "[program][warp_path]") {
  const std::vector<Written> turns = {{fadd}, {fadd}, {bra, none, 0, true, 1}, {stg}, {exits}};
  CHECK(path_of(turns, {site_at(3, 64, inject::RawOp::store)}).has_unseen_loops);
  const std::vector<Written> seen = {{fadd}, {lds, 0}, {bra, none, 1, true, 1}, {stg}, {exits}};
  inject::Site shared = site_at(1, 640);
  shared.space = inject::RawSpace::shared;
  CHECK_FALSE(path_of(seen, {shared, site_at(3, 64, inject::RawOp::store)}).has_unseen_loops);
  const std::vector<UncountedAccess> uncounted = path_of({{tensor_copy}, {exits}}, {}).uncounted;
  REQUIRE(uncounted.size() == 1);
  CHECK(uncounted[0].index == 0);
  CHECK(path_of({{fadd}, {exits}}, {}).uncounted.empty());
  CHECK_FALSE(warp_path({"", 9}, {}, warps, model::load_profile("h200").rates).known);
}

TEST_CASE("a path through anything at all ends", "[program][warp_path]") {
  std::uint64_t state = 1;
  for (int turn = 0; turn < 200; ++turn) {
    std::string code(16 * 40, '\0');
    for (char& byte : code) {
      state = state * 6364136223846793005ULL + 1442695040888963407ULL;
      byte = static_cast<char>(state >> 56);
    }
    for (std::size_t i = 0; i < 40; i += 3) {  // many branches
      code[16 * i] = 0x47;
      code[16 * i + 1] = static_cast<char>((code[16 * i + 1] & 0xf0) | 0x9);
    }
    const WarpPath path =
        warp_path({code, 9}, {site_at(4, 1000), site_at(17, 10)}, warps, model::load_profile("h200").rates);
    CHECK(path.known);
    CHECK(cycles_of(path) >= 0);
    CHECK(path.chains.waits >= 0);
  }
}

}  // namespace gpumem::program::test_warp_path
