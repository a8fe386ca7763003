// The block that ends last may do what no other block does, and code that no access counts may wait for others.

#include <cstdint>
#include <string>
#include <vector>

#include "program/machine_code/warp_path.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/priced_launches.hpp"

namespace gpumem::program::test_last_block {

using namespace priced_launches;
using namespace gpumem::test::machine_code;

namespace {

constexpr unsigned fence = 0x992;
constexpr unsigned count_blocks = 0x9a8;  // an atomic that returns
constexpr unsigned swap_shared = 0x38d;
constexpr std::size_t fence_at = 3;
constexpr std::size_t count_at = 4;
constexpr unsigned warps_of_block = 8;
constexpr std::uint64_t blocks = 132 * 8;  // one for each place

/// Each block loads, stores, waits until others can see that, and counts itself. The last one adds at one word of
/// shared memory, by 32 lanes of each warp, in turn.
std::string counting_code() {
  std::string code = code_of({{ldg, 0},
                              {fadd, none, 1},
                              {stg},
                              {fence},
                              {count_blocks, 1},
                              {fadd, none, 2},
                              {bra, none, 0, true, 12},
                              {lds, 0},
                              {fadd, none, 1, false, -1, 4},
                              {swap_shared, 0},
                              {bra, none, 1, true, 7},
                              {stg},
                              {exits}});
  code[16 * fence_at + 9] |= 0x20;  // for the GPU, not for the block
  return code;
}

LaunchSums counting_launch(const std::string& code) {
  constexpr std::uint64_t warps = blocks * warps_of_block;
  return {.sites = {streaming(RawOp::load, warps, 4, 0), streaming(RawOp::store, warps, 4, 32),
                    streaming(RawOp::atomic, warps, 4, 16 * count_at)},
          .blocks = blocks,
          .block_threads = 32 * warps_of_block,
          .registers_per_thread = 32,
          .code = code};
}

}  // namespace

TEST_CASE("lanes that compare and swap at a word of shared memory take turns", "[program][pricing]") {
  const std::string code = code_of({{fadd},
                                    {lds, 0},
                                    {fadd, none, 1, false, -1, 6},
                                    {swap_shared, 0},
                                    {fadd, none, 1, false, -1, 13},
                                    {bra, none, 0, true, 1, 5},
                                    {exits}});
  const auto cycles = [&](double warps) { return longest_way({code, 9}, warps, h200().rates, {}).cycles; };
  // As measured on an H100: 145.8 cycles a lane, and about 45 if many warps add at once.
  CHECK(cycles(1) == Approx(32 * 145.8).epsilon(0.05));
  CHECK(cycles(2) == cycles(1));
  CHECK(cycles(8) == Approx(32 * 8 * 45).epsilon(0.05));
}

TEST_CASE("the last block does what no seen block did, if the time says so", "[program][pricing]") {
  const std::string code = counting_code();
  const std::string unfenced = code.substr(0, 16 * fence_at) + code_of({{fadd}}) + code.substr(16 * (fence_at + 1));
  const double turns_s = 32 * warps_of_block * 45 / 1.98e9;
  const auto priced_s = [&](const std::string& of, bool partly_seen, double measured_s) {
    LaunchSums launch = counting_launch(of);
    launch.partly_seen = partly_seen;
    launch.measured_s = measured_s;
    return seconds(launch);
  };
  const double without_s = priced_s(code, false, 1);
  const double measured_s = without_s + turns_s;
  CHECK(priced_s(code, true, measured_s) == Approx(measured_s).epsilon(0.2));
  CHECK(priced_s(code, false, measured_s) == without_s);
  CHECK(priced_s(code, true, without_s) == without_s);
  // Without a fence no block knows that all others have stored.
  CHECK(priced_s(unfenced, true, measured_s) == priced_s(unfenced, false, measured_s));
}

TEST_CASE("what nobody can tell is said", "[program][pricing]") {
  const std::string code = code_of({{ldg, 0}, {fadd, none, 1}, {fadd}, {bra, none, 0, true, 2}, {stg}, {exits}});
  LaunchSums launch = launch_of({streaming(RawOp::load, requests, 4, 0), streaming(RawOp::store, requests, 4, 64)});
  launch.code = code;
  launch.measured_s = 1.4 * seconds(launch);
  const std::string why = Pricing(launch, h200()).no_prediction();
  CHECK(why.starts_with("it has loops without accesses whose rounds depend on data"));
  launch.measured_s = 1.2 * *launch.measured_s / 1.4;
  CHECK(Pricing(launch, h200()).no_prediction().empty());
}

}  // namespace gpumem::program::test_last_block
