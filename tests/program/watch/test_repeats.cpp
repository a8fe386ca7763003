#include <cstdint>
#include <string>
#include <vector>

#include "program/watch/sites/repeat_rule.hpp"
#include "tests/catch.hpp"

namespace gpumem::inject::test_repeats {

namespace {

constexpr std::uint64_t begin = 0x7f00'0000'0000;
const CodeAccesses told{.all_are_told = true, .strong = {}, .bulk = {}};

SeenRange range(RawOp op, std::uint64_t from, std::uint64_t to, std::uint64_t pc = 0x50) {
  return {.pc = pc,
          .space = RawSpace::global,
          .op = op,
          .begin = begin + from,
          .end = begin + to,
          .private_memory = op == RawOp::store};
}

/// A load of 4096 bytes, and a store of as many behind them.
std::vector<SeenRange> copy() { return {range(RawOp::load, 0, 4096), range(RawOp::store, 4096, 8192, 0x70)}; }

std::vector<SeenRange> copy_and(const SeenRange& more) {
  std::vector<SeenRange> ranges = copy();
  ranges.push_back(more);
  return ranges;
}

NoRepeat reason(const std::vector<SeenRange>& ranges, const CodeAccesses& code = told, bool whole = true) {
  return reason_not_to_repeat(ranges, code, whole);
}

/// Returns code of sm_90: the words as they are in memory, and an EXIT.
std::string code_of(std::vector<std::uint64_t> words) {
  words.insert(words.end(), {0x0000'0000'0000'794d, 0x000f'ea00'0380'0000});
  return {reinterpret_cast<const char*>(words.data()), words.size() * sizeof(words.front())};
}

}  // namespace

TEST_CASE("a launch runs once more if it stores to no byte that it loads", "[run]") {
  CHECK(reason(copy()) == NoRepeat::none);
  CHECK(reason({}) == NoRepeat::none);  // it accesses nothing
  CHECK(reason({range(RawOp::load, 0, 4097), range(RawOp::store, 4096, 8192)}) == NoRepeat::overlap);
  CHECK(reason({range(RawOp::store, 0, 4096), range(RawOp::load, 4095, 8192)}) == NoRepeat::overlap);
  CHECK(reason({range(RawOp::store, 0, 8192), range(RawOp::load, 4, 8)}) == NoRepeat::overlap);
  CHECK(reason({range(RawOp::load, 0, 8192), range(RawOp::store, 4, 8)}) == NoRepeat::overlap);
  // Two stores to the same bytes are no loads.
  CHECK(reason(copy_and(range(RawOp::store, 4096, 5000, 0x90))) == NoRepeat::none);
}

TEST_CASE("accesses that outlive the launch decide, no others", "[run]") {
  for (const RawSpace space : {RawSpace::shared, RawSpace::cluster, RawSpace::local}) {
    SeenRange inside = range(RawOp::atomic, 0, 0);
    inside.space = space;
    CHECK(reason(copy_and(inside)) == NoRepeat::none);
  }
  CHECK(reason(copy_and(range(RawOp::atomic, 1 << 20, (1 << 20) + 4))) == NoRepeat::atomic);
  SeenRange host = range(RawOp::load, 1 << 20, (1 << 20) + 4);
  host.space = RawSpace::host;
  CHECK(reason(copy_and(host)) == NoRepeat::none);
  host.op = RawOp::store;
  CHECK(reason(copy_and(host)) == NoRepeat::shared_memory);
  SeenRange of_others = range(RawOp::store, 1 << 20, (1 << 20) + 4);
  of_others.private_memory = false;
  CHECK(reason(copy_and(of_others)) == NoRepeat::shared_memory);
}

TEST_CASE("a launch that was not seen as a whole does not run once more", "[run]") {
  CHECK(reason(copy(), told, false) == NoRepeat::partly_seen);
  SeenRange counted = range(RawOp::load, 1 << 20, 1 << 21);
  counted.only_counted = true;
  CHECK(reason(copy_and(counted)) == NoRepeat::partly_seen);
  SeenRange unread_map = range(RawOp::load, 1 << 20, 1 << 21);
  unread_map.flags = raw_bulk_copy | raw_not_counted;
  CHECK(reason(copy_and(unread_map)) == NoRepeat::partly_seen);
  SeenRange nowhere = range(RawOp::load, 0, 0);
  nowhere.end = 0;
  CHECK(reason(copy_and(nowhere)) == NoRepeat::partly_seen);
  SeenRange outside = range(RawOp::load, 1 << 20, 1 << 21);
  outside.flags = raw_outside_kernel;
  CHECK(reason(copy_and(outside)) == NoRepeat::untold);
}

TEST_CASE("the code says which accesses others may wait for, and which no callback tells of", "[run]") {
  CHECK(reason(copy(), CodeAccesses{}) == NoRepeat::untold);
  CHECK(reason(copy(), {.all_are_told = true, .strong = {0x70}, .bulk = {}}) == NoRepeat::strong);
  CHECK(reason(copy(), {.all_are_told = true, .strong = {0x80}, .bulk = {}}) == NoRepeat::none);  // it did not run
  const CodeAccesses bulk{.all_are_told = true, .strong = {}, .bulk = {0x90}};
  CHECK(reason(copy(), bulk) == NoRepeat::untold);
  SeenRange block = range(RawOp::load, 1 << 20, 1 << 21, 0x90);
  CHECK(reason(copy_and(block), bulk) == NoRepeat::untold);
  block.flags = raw_bulk_copy;
  CHECK(reason(copy_and(block), bulk) == NoRepeat::none);
}

TEST_CASE("the accesses of machine code are told of, or not", "[run]") {
  // As nvcc 13.0 compiles them for compute capability 9.0.
  const std::vector<std::uint64_t> load = {0x0000'0004'0203'7981, 0x000e'a200'0c1e'1900};            // LDG.E
  const std::vector<std::uint64_t> store = {0x0000'0009'0400'7986, 0x001f'e200'0c10'190a};           // STG.E
  const std::vector<std::uint64_t> in_block = {0x0000'0005'0200'7985, 0x001f'e200'0c10'b904};        // ST.E.STRONG.SM
  const std::vector<std::uint64_t> volatile_store = {0x0000'0005'0200'7986, 0x004f'e800'0c11'5904};  // STG.E.STRONG.SYS
  const std::vector<std::uint64_t> add = {0x0000'0009'0400'098e, 0x004f'e800'0c10'e184};             // REDG.E.ADD
  const std::vector<std::uint64_t> prefetch = {0x0000'0000'0200'798f, 0x001f'e800'0080'0100};        // CCTL.E.PF2
  const std::vector<std::uint64_t> block_fence = {0x0000'0000'0000'7992, 0x0003'ec00'0000'0000};     // MEMBAR.SC.CTA
  for (const auto& plain : {load, store, in_block, add, prefetch, block_fence}) {
    const CodeAccesses accesses = accesses_of(code_of(plain), false);
    CHECK(accesses.all_are_told);
    CHECK(accesses.strong.empty());
    CHECK(accesses.bulk.empty());
  }
  std::vector<std::uint64_t> two = load;
  two.insert(two.end(), volatile_store.begin(), volatile_store.end());
  CHECK(accesses_of(code_of(two), false).strong == std::vector<std::uint64_t>{16});

  const std::vector<std::uint64_t> tensor_load = {0x0000'0004'0800'75b4, 0x0003'd800'0800'0000};  // UTMALDG.1D
  const std::vector<std::uint64_t> bulk_store = {0x0000'0008'0400'73ba, 0x0003'e400'0800'0405};   // UBLKCP.G.S
  for (const auto& bulk : {tensor_load, bulk_store}) {
    CHECK(accesses_of(code_of(bulk), false).bulk == std::vector<std::uint64_t>{0});
  }

  const std::vector<std::uint64_t> gpu_fence = {0x0000'0000'0000'7992, 0x000f'ec00'0000'2000};     // MEMBAR.SC.GPU
  const std::vector<std::uint64_t> system_fence = {0x0000'0000'0000'7992, 0x000f'ec00'0000'3000};  // MEMBAR.SC.SYS
  const std::vector<std::uint64_t> release = {0x0000'0000'0000'7992, 0x000f'ec00'0000'a000};       // MEMBAR.ALL.GPU
  const std::vector<std::uint64_t> discard = {0x0000'0000'0200'798f, 0x000f'e200'0500'0100};       // CCTL.E.DML2
  const std::vector<std::uint64_t> texture = {0x0000'04ff'0f07'7f66, 0x001f'6200'089e'01ff};       // TLD.LZ
  const std::vector<std::uint64_t> surface = {0x7000'0400'0200'7f9d, 0x000f'e200'0810'a900};       // SUST.D.BA.2D
  const std::vector<std::uint64_t> multicast = {0x0000'0000'ff05'79a5, 0x000e'aa00'0801'5904};     // LDGMC.E.ADD
  const std::vector<std::uint64_t> tensor_store = {0x0000'0004'0800'73b5, 0x0003'e400'0800'0000};  // UTMASTG.1D
  const std::vector<std::uint64_t> tensor_add = {0x0000'0004'0800'73b6, 0x0003'd800'0800'0000};    // UTMAREDG.1D.ADD
  for (const auto& untold :
       {gpu_fence, system_fence, release, discard, texture, surface, multicast, tensor_store, tensor_add}) {
    CHECK_FALSE(accesses_of(code_of(untold), false).all_are_told);
  }
  const std::vector<std::uint64_t> call = {0x0000'0000'0a00'7343, 0x001f'ea00'03c0'0000};  // CALL.ABS.NOINC
  CHECK(accesses_of(code_of(call), false).all_are_told);
  CHECK_FALSE(accesses_of(code_of(call), true).all_are_told);  // of printf, for example
}

}  // namespace gpumem::inject::test_repeats
