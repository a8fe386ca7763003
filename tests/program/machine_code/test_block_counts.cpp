#include <algorithm>
#include <cstdint>
#include <map>
#include <vector>

#include "program/machine_code/block_counts.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_block_counts {

namespace {

namespace test = gpumem::test;
using namespace test::machine_code;

constexpr double warps = 64;

inject::Site shared_load_at(std::size_t index, double times) {
  inject::Site site =
      test::streaming(inject::RawOp::load, static_cast<std::uint64_t>(times), 4, index * instruction_bytes);
  site.space = inject::RawSpace::shared;
  return site;
}

/// Counts a code whose loops have the rounds given, each by its first instruction.
BlockCounts counts_of(const std::vector<Written>& code, const std::vector<inject::Site>& sites,
                      const std::map<std::size_t, double>& rounds) {
  ConstantBranches constant;
  constant.rounds = rounds;
  return {instructions_of(code_of(code), 9), sites, warps, constant, UnseenWays::half};
}

double times_of(const BlockCounts& counts, std::size_t instruction) {
  return std::ranges::find(counts.blocks(), instruction, &BasicBlock::begin)->times;
}

}  // namespace

TEST_CASE("an access that rounds leave out does not count them", "[program][block_counts]") {
  const std::vector<Written> sometimes = {{fadd},
                                          {fadd},  // the loop
                                          {bra, none, 0, true, 4},
                                          {lds},
                                          {fadd},
                                          {bra, none, 0, true, 1},
                                          {exits}};
  const BlockCounts counts = counts_of(sometimes, {shared_load_at(3, 5 * warps)}, {{1, 20}});
  CHECK(times_of(counts, 1) == 20 * warps);
  CHECK(times_of(counts, 3) == 5 * warps);
  CHECK(times_of(counts, 4) == 20 * warps);
  // Without known rounds the access is all that there is.
  CHECK(times_of(counts_of(sometimes, {shared_load_at(3, 5 * warps)}, {}), 1) == 5 * warps);

  const std::vector<Written> always = {{fadd}, {fadd}, {lds}, {bra, none, 0, true, 1}, {exits}};
  CHECK(times_of(counts_of(always, {shared_load_at(2, 5 * warps)}, {{1, 20}}), 1) == 5 * warps);
}

TEST_CASE("a subroutine runs as often as it is called", "[program][block_counts]") {
  const std::vector<Written> code = {{fadd},
                                     {call, none, 0, false, 6},  // the loop
                                     {call, none, 0, false, 6},
                                     {bra, none, 0, true, 1},
                                     {stg},
                                     {exits},
                                     {imad},  // the subroutine
                                     {returns}};
  const BlockCounts counts = counts_of(code, {test::streaming(inject::RawOp::store, 64, 4, 64)}, {{1, 100}});
  CHECK(times_of(counts, 6) == 2 * 100 * warps);
  CHECK(times_of(counts, 4) == warps);
  const auto has_subroutine_at = [&](std::size_t instruction) {
    return std::ranges::find(counts.blocks(), instruction, &BasicBlock::begin)->of_subroutine;
  };
  CHECK(has_subroutine_at(6));
  CHECK_FALSE(has_subroutine_at(2));
}

}  // namespace gpumem::program::test_block_counts
