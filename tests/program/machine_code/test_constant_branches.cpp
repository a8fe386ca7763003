#include <algorithm>
#include <array>
#include <cstring>
#include <map>

#include "program/machine_code/constant_branches.hpp"
#include "program/machine_code/known_values.hpp"
#include "program/machine_code/operations.hpp"
#include "program/machine_code/warp_path.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/compiled_kernels.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_constant_branches {

namespace {

namespace test = gpumem::test;

constexpr std::uint32_t first_parameter = 0x210;

std::string chooses_parameters(std::int32_t stride, std::int32_t rounds) {
  return test::bytes_of(std::uint64_t{0x7f0000000000}) + test::bytes_of(std::uint64_t{0x7f0000100000}) +
         test::bytes_of(stride) + test::bytes_of(rounds) + test::bytes_of(0.5F);
}

LaunchConstants launched_with(const std::string& parameters) {
  return {.parameters = parameters, .parameter_offset = first_parameter, .grid = {8, 3, 2}, .block = {256, 1, 1}};
}

ConstantBranches branches_of(const std::string& parameters) {
  const std::string code = test::code_of_words(test::chooses_words);
  return constant_branches(code, instructions_of(code, 9), 9, launched_with(parameters));
}

/// Returns the values that the straight code of a kernel stores, by the offset from its first parameter.
std::map<std::uint32_t, std::optional<std::uint32_t>> stored(const std::vector<std::uint64_t>& words,
                                                             const LaunchConstants& launch) {
  std::map<std::uint32_t, std::optional<std::uint32_t>> all;
  const ConstantBank bank(launch, 9);
  KnownValues values;
  for (std::size_t i = 0; i < words.size(); i += 2) {
    constexpr std::uint64_t store = 0x186;
    if ((words[i] & 0x1ff) == store) {
      const auto offset = static_cast<std::uint32_t>(words[i] >> 40);
      all[offset] = values.thread(static_cast<unsigned>(words[i] >> 32 & 0xff));
    }
    values.run(computation_of(words[i], words[i + 1]), bank);
  }
  return all;
}

}  // namespace

TEST_CASE("a branch on a parameter is decided", "[program][constants]") {
  const ConstantBranches strided = branches_of(chooses_parameters(3, 7));
  REQUIRE(strided.taken.size() == test::chooses_words.size() / 2);
  CHECK(strided.taken[test::chooses_branch] == false);
  CHECK(strided.runs[test::chooses_load]);
  CHECK_FALSE(strided.runs[test::chooses_loop]);

  const ConstantBranches side_by_side = branches_of(chooses_parameters(1, 7));
  CHECK(side_by_side.taken[test::chooses_branch] == true);
  CHECK_FALSE(side_by_side.runs[test::chooses_load]);
  CHECK(side_by_side.runs[test::chooses_loop]);

  const ConstantBranches unknown = branches_of("");
  CHECK_FALSE(unknown.taken[test::chooses_branch]);
  CHECK(unknown.runs[test::chooses_load]);
  const std::string code = test::code_of_words(test::chooses_words);
  CHECK(constant_branches(code, instructions_of(code, 10), 10, launched_with("")).runs.empty());  // read otherwise
}

TEST_CASE("a loop goes round as often as parameters say", "[program][constants]") {
  CHECK(branches_of(chooses_parameters(1, 7)).rounds.at(test::chooses_loop) == 7);
  CHECK(branches_of(chooses_parameters(1, 5000)).rounds.at(test::chooses_loop) == 5000);
  CHECK(branches_of(chooses_parameters(1, 0)).rounds.empty());
  CHECK(branches_of(chooses_parameters(1, 2'000'000'000)).rounds.empty());  // longer than it is followed
  CHECK(branches_of("").rounds.empty());
  CHECK(branches_of(chooses_parameters(1, 100'000)).rounds.at(test::chooses_loop) == 100'000);
}

TEST_CASE("rounds that depend on the thread are those of some threads", "[program][constants]") {
  // S2R R0, SR_TID.X; VIADD R0, R0, 1; loop: IADD3 R0, R0, -1, RZ; ISETP.GT.AND P0, PT, R0, RZ, PT; @P0 BRA loop; EXIT
  const std::vector<std::uint64_t> words = {0x0000000000007919, 0x000e220000002100, 0x0000000100007836,
                                            0x001fce0000000000, 0xffffffff00007810, 0x000fc80007ffe0ff,
                                            0x000000ff0000720c, 0x000fda0003f04270, 0xfffffffc00f40947,
                                            0x000fea000383ffff, 0x000000000000794d, 0x000fea0003800000};
  const std::string code = test::code_of_words(words);
  const auto rounds = [&](std::uint32_t threads) {
    LaunchConstants launch = launched_with("");
    launch.block = {threads, 1, 1};
    return constant_branches(code, instructions_of(code, 9), 9, launch).rounds;
  };
  // The last lane of a warp goes round most often: 32 times in the first warp, 64 times in the second.
  CHECK(rounds(32).at(2) == 32);
  CHECK(rounds(64).at(2) == 48);
  CHECK(rounds(0).empty());  // nobody knows how many threads there are
}

TEST_CASE("an instruction forgets no more than it writes", "[program][constants]") {
  const ConstantBank bank({}, 9);
  KnownValues values;
  const auto run = [&](std::uint64_t low, std::uint64_t high) { values.run(computation_of(low, high), bank); };
  for (std::uint64_t number = 4; number < 16; ++number) {
    run(0x0000000700007424 | number << 16U, 0x000fca00078e00ff);  // IMAD.MOV.U32 of 7
  }
  values.set({.number = 0}, true);
  run(0x0000000500047306, 0x001e220000209000);  // I2F.U32.RP R4, R5
  CHECK_FALSE(values.thread(4));
  CHECK(values.thread(5) == 7U);
  run(0x00000006000e7312, 0x0000620000201800);  // I2F.F64.U32 R14, R6
  CHECK(values.thread(13) == 7U);
  CHECK_FALSE(values.thread(14));
  CHECK_FALSE(values.thread(15));
  run(0x00000000060a7984, 0x000e240000000800);  // LDS R10, [R6]
  CHECK_FALSE(values.thread(10));
  run(0x0000000a060b738d, 0x000e24000180000b);  // ATOMS.CAST.SPIN R11, [R6], R10, R11
  CHECK(values.predicate({.number = 0}) == true);
}

TEST_CASE("a call forgets no more than its subroutine writes", "[program][constants]") {
  constexpr std::size_t counts = test::chooses_loop;  // adds 1 to the counter of the loop
  constexpr std::size_t computes = counts + 1;
  const auto rounds_with = [&](std::size_t subroutine) {
    std::vector<std::uint64_t> words = test::chooses_words;
    const std::uint64_t distance = (words.size() / 2 - computes - 1) * 16;
    const auto add = [&](std::uint64_t low, std::uint64_t high) { words.insert(words.end(), {low, high}); };
    add(words[2 * subroutine], words[2 * subroutine + 1]);
    add(0xfffffff406cc7950, 0x000fec0003c3ffff);        // RET.REL.NODEC
    words[2 * computes] = 0x7944 | distance / 4 << 16;  // CALL.REL.NOINC
    words[2 * computes + 1] = 0x000fea0003c00000;
    const std::string code = test::code_of_words(words);
    const std::string parameters = chooses_parameters(1, 7);
    return constant_branches(code, instructions_of(code, 9), 9, launched_with(parameters)).rounds;
  };
  CHECK(rounds_with(computes).at(test::chooses_loop) == 7);
  CHECK(rounds_with(counts).empty());
}

TEST_CASE("a path knows rounds that nothing seen tells", "[program][constants]") {
  constexpr double warps = 64;
  const model::Profile profile = model::load_profile("h200");
  const std::string code = test::code_of_words(test::chooses_words);
  const auto path = [&](const std::string& parameters, std::size_t seen_at, inject::RawOp op) {
    return warp_path({code, 9}, {test::streaming(op, 64, 4, seen_at * 16)}, warps, profile.rates,
                     launched_with(parameters));
  };
  const WarpPath known = path(chooses_parameters(1, 1000), test::chooses_last_store, inject::RawOp::store);
  CHECK_FALSE(known.has_unseen_loops);
  const double cycles = std::ranges::max(known.busy_cycles);
  CHECK(cycles > 4 * 1000 * warps);
  CHECK(cycles < 4.1 * 1000 * warps);
  CHECK(path("", test::chooses_last_store, inject::RawOp::store).has_unseen_loops);
  // A load was seen that could not run: nothing is believed.
  const WarpPath wrong = path(chooses_parameters(1, 1000), test::chooses_load, inject::RawOp::load);
  const WarpPath nothing = path("", test::chooses_load, inject::RawOp::load);
  CHECK(wrong.busy_cycles == nothing.busy_cycles);
  CHECK(wrong.has_unseen_loops == nothing.has_unseen_loops);
}

TEST_CASE("integers are computed as the GPU computes them", "[program][constants]") {
  struct Case {
    std::uint32_t a, b;
    std::int32_t c;
    std::int64_t d;
    std::uint64_t e;
    float f;
    bool g;
  };
  for (const auto& [a, b, c, d, e, f, g] :
       {Case{12345678, 37, -19, -5'000'000'000, 0x123456789abcdef0, 2.0F, true}, Case{0, 0, 0, 0, 0, -3.0F, false},
        Case{~0U, 31, 2147483647, 5, 5, 1.5F, false}, Case{0x80000000, 64, -2147483647, -1, ~0ULL, -2.0F, true}}) {
    std::string parameters = test::bytes_of(std::uint64_t{0x7f0000000000}) + test::bytes_of(a) + test::bytes_of(b) +
                             test::bytes_of(c) + std::string(4, 0) + test::bytes_of(d) + test::bytes_of(e) +
                             test::bytes_of(f) + test::bytes_of(g);
    auto all = stored(test::mixed_words, launched_with(parameters));
    const auto low = [](std::uint64_t value) { return static_cast<std::uint32_t>(value); };
    const auto sum = static_cast<std::uint64_t>(d) * 3 + e;
    CHECK(all.at(0) == a * b + 7);
    CHECK(all.at(4) == a / 10);
    CHECK(all.at(12) == static_cast<std::uint32_t>(c / 8));
    CHECK(all.at(16) == low(sum >> 13));
    CHECK(all.at(20) == low(sum >> 45));
    CHECK(all.at(24) == static_cast<std::uint32_t>(std::min(c, static_cast<std::int32_t>(b))) + std::max(a, 77U));
    CHECK(all.at(32) == ((a & 0xff00) ^ (b | 0x1234) ^ ~static_cast<std::uint32_t>(c)));
    CHECK(all.at(36) == (d < static_cast<std::int64_t>(e) ? a : b));
    CHECK(all.at(40) == (d >= 5 ? 1U : 2U));
    CHECK(all.at(44) == (f > 1.5F ? 3U : f < -2 ? 4U : 5U));
    CHECK(all.at(48) == (g ? a : b));
    CHECK(all.at(56) == low(std::uint64_t{a} * b >> 32));
    CHECK(all.at(60) == low(e << (b & 63)));
    CHECK(all.at(64) == low((e << (b & 63)) >> 32));
    CHECK(all.at(72) == low(static_cast<std::uint64_t>(d >> (b & 63))));
    CHECK(all.at(80) == 256 * 3 + 2);
    CHECK(all.at(84) == low(static_cast<std::uint64_t>(d) - e));
    CHECK(all.at(88) == low((static_cast<std::uint64_t>(d) - e) >> 32));
    CHECK(all.at(96) == (a == b || (c > 3 && e != 9) ? 1U : 0U));
  }
}

}  // namespace gpumem::program::test_constant_branches
