#include <string>
#include <vector>

#include "program/watch/code_traits.hpp"
#include "program/watch/sites/launch_part.hpp"
#include "tests/catch.hpp"

namespace gpumem::inject::test_launch_parts {

namespace {

/// Returns code of sm_90: the words as they are in memory.
std::string code_of(const std::vector<std::uint64_t>& words) {
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words.front())};
}

const std::vector<std::uint64_t> plain_load = {0x0000'0004'0203'7981, 0x000e'a200'0c1e'1900};     // LDG.E
const std::vector<std::uint64_t> volatile_load = {0x0000'0004'0200'7981, 0x001e'a400'0c1f'5900};  // LDG.E.STRONG.SYS
const std::vector<std::uint64_t> acquire_load = {0x0000'0004'0200'7980, 0x001e'a800'0c10'f900};   // LD.E.STRONG.GPU
const std::vector<std::uint64_t> block_load = {0x0000'0004'0200'7980, 0x001e'a400'0c10'b900};     // LD.E.STRONG.SM
const std::vector<std::uint64_t> fetch_add = {0x0000'000b'020d'09a8, 0x002e'e200'081e'e1c4};      // ATOMG.E.ADD
const std::vector<std::uint64_t> back = {0xffff'fffc'00f4'8947, 0x000f'ea00'0383'ffff};           // @!P0 BRA -48
const std::vector<std::uint64_t> end = {0x0000'0000'0000'794d, 0x000f'ea00'0380'0000,             // EXIT
                                        0xffff'fffc'00fc'7947, 0x000f'c000'0383'ffff};            // BRA to itself
const std::vector<std::uint64_t> far_back = {0xffff'fff0'00f4'8947, 0x000f'ea00'0383'ffff};       // @!P0 BRA -3120
const std::vector<std::uint64_t> end_of_sm_80 = {0xffff'fff0'0000'7947, 0x000f'c000'0383'ffff};   // BRA to itself

std::string followed_by_end(const std::vector<std::uint64_t>& words) { return code_of(words) + code_of(end); }

/// A part as its launch leaves it that turned blocks away behind this one.
LaunchPart cut(LaunchPart part, std::uint64_t behind) {
  part.let_in = turned_away | behind;
  return part;
}

}  // namespace

TEST_CASE("blocks may wait for each other by strong loads and by atomics that return", "[run]") {
  for (const auto& waits : {volatile_load, acquire_load, fetch_add}) {
    CHECK(blocks_may_wait(followed_by_end(waits), false));
  }
  for (const auto& never : {plain_load, block_load, back}) CHECK_FALSE(blocks_may_wait(followed_by_end(never), false));
  const std::vector<std::uint64_t> call = {0x0000'0000'0000'7944, 0};  // CALL.REL
  CHECK_FALSE(blocks_may_wait(followed_by_end(call), false));          // of what is in the same code
  CHECK(blocks_may_wait(followed_by_end(call), true));
}

TEST_CASE("loops are branches that lead back, but for the one that ends the code", "[run]") {
  CHECK_FALSE(has_loops(followed_by_end(plain_load)));
  CHECK(has_loops(followed_by_end(back)));
  CHECK(has_loops(followed_by_end(far_back)));
  CHECK_FALSE(has_loops(code_of(end_of_sm_80)));
}

TEST_CASE("a launch is looked at as a whole unless its blocks can be tried", "[run]") {
  const LaunchPart all = first_part(0, 1000, false, 80);
  CHECK(all.begin_block == 0);
  CHECK(all.end_block == 1000);
  CHECK(all.budget_ns == 80);
  CHECK(all.looks == 1);
  const LaunchPart few = first_part(1, 1000, true, 80);
  CHECK(few.begin_block == 1);
  CHECK(few.end_block == 1 + 62);
  CHECK(few.let_in == 1);
  CHECK(few.budget_ns == 20);
  CHECK(first_part(0, 1 << 20, true, 80).end_block == 64);
  CHECK(first_part(0, few_blocks - 1, true, 80).end_block == few_blocks - 1);
}

TEST_CASE("what is looked at next is as much as there is time for", "[run]") {
  constexpr std::uint64_t budget_ns = 160;
  const LaunchPart first = first_part(1, 1001, true, budget_ns);
  const LaunchPart all = next_part(first, budget_ns / 16, 1001, budget_ns);
  CHECK(all.begin_block == first.end_block);
  CHECK(all.end_block == 1001);
  // 62 blocks took half of the time: there is time for twice as many.
  CHECK(next_part(first, budget_ns / 2, 1001, budget_ns).end_block == first.end_block + 124);
  LaunchPart spent = first;
  spent.spent = 1;
  CHECK(next_part(spent, 1, 1001, budget_ns).end_block == first.end_block);
  CHECK(end_of(cut(first, 30)) == 30);
  CHECK(next_part(cut(first, 30), 1, 1001, budget_ns).end_block == 30);
}

TEST_CASE("most blocks of a launch tell how long it takes", "[run]") {
  CHECK(whole_ns(2'010'000, 100, 300) == 3'000'000);
  CHECK(whole_ns(2'010'000, 200, 300) == 0);
  CHECK(whole_ns(100'000, 1, 300) == 0);  // the host's clock is not that good
}

TEST_CASE("a part that turned nobody away has run to its end", "[run]") {
  const LaunchPart part = first_part(0, 1000, false, 80);
  CHECK(end_of(part) == 1000);
  CHECK(end_of(cut(part, 400)) == 400);
  CHECK(end_of(cut(part, 2000)) == 1000);
}

TEST_CASE("blocks that ran unseen tell the time of all if the patch at their begin takes next to nothing", "[run]") {
  CHECK(whole_ns_by_events(99e3, 4e3, 1, 100) == Approx(100e3));
  CHECK(whole_ns_by_events(50e3, 2.5e3, 50, 100) == Approx(100e3));
  CHECK(whole_ns_by_events(50e3, 2.6e3, 50, 100) == 0);
  CHECK(whole_ns_by_events(49e3, 1e3, 51, 100) == 0);
}

}  // namespace gpumem::inject::test_launch_parts
