// Atomics of a watched launch: where they meet, and what adding up before would save.

#include <algorithm>
#include <string>
#include <vector>

#include "program/price/atomic_turns.hpp"
#include "tests/catch.hpp"
#include "tests/program/priced_launches.hpp"

namespace gpumem::program::test_pricing_atomics {

using namespace priced_launches;

TEST_CASE("atomics read and write", "[program][pricing]") {
  const LaunchSums atomic = launch_of({streaming(RawOp::atomic, requests)});
  CHECK(workload_of(atomic).useful_bytes_read == 128 * requests);
  CHECK(workload_of(atomic).useful_bytes_written == 128 * requests);
  CHECK(seconds(atomic) > 1.5 * seconds(launch_of({streaming(RawOp::store, requests)})));
}

TEST_CASE("atomics that meet wait for each other", "[program][pricing]") {
  // A histogram of 256 bins, as it was seen on an H200, where it takes 1.04 ms.
  inject::Site bins;
  bins.op = RawOp::atomic;
  bins.word_bytes = 4;
  bins.requests = 131072;
  bins.active_lanes = 32 * bins.requests;
  bins.useful_bytes = 4 * 26 * bins.requests;
  bins.sectors = bins.l2_sectors = 22 * bins.requests;
  bins.least_sectors = 4 * bins.requests;
  bins.lines = bins.l2_requests = 8 * bins.requests;
  bins.memory_sectors = 32;
  bins.used_words = 256;
  LaunchSums launch = launch_of({bins});
  launch.blocks = 16384;
  CHECK(Pricing(launch, h200()).as_it_is().bottleneck == "atomics");
  CHECK(seconds(launch) == Approx(1.04e-3).epsilon(0.25));
  CHECK(saved_share(launch) > 0.5);  // were each block to add up first

  inject::Site& one_word = launch.sites.front();  // for all lanes
  one_word.useful_bytes = 4 * one_word.requests;
  one_word.sectors = one_word.l2_sectors = one_word.least_sectors = one_word.lines = one_word.l2_requests =
      one_word.requests;
  one_word.memory_sectors = one_word.used_words = 1;
  CHECK(is_wasteful(one_word));
  CHECK(seconds(launch) == Approx(static_cast<double>(one_word.active_lanes) / 1.36e9).epsilon(0.05));
  CHECK(saved_share(launch) > 0.9);
}

TEST_CASE("a word of floats takes an addend when it has the sum", "[program][pricing]") {
  inject::Site adds = streaming(RawOp::atomic, 65536);
  adds.useful_bytes = 4 * adds.requests;
  adds.sectors = adds.l2_sectors = adds.least_sectors = adds.lines = adds.l2_requests = adds.requests;
  adds.memory_sectors = adds.used_words = 1;
  adds.shown = 2;
  for (std::uint32_t k = 0; k < adds.shown; ++k) {
    adds.request[k].active = ~0U;
    std::fill(std::begin(adds.request[k].address), std::end(adds.request[k].address), 4096);
  }
  LaunchSums launch = launch_of({adds});
  const double integers = seconds(launch);
  const std::string red_of_floats = gpumem::test::bytes_of(std::uint64_t{0x79a6}) +
                                    gpumem::test::bytes_of(std::uint64_t{7} << 46 | std::uint64_t{7} << 49);
  launch.code = red_of_floats;
  launch.sites[0].pc = 0;
  const double updates = 32.0 * 65536;
  CHECK(integers == Approx(updates / 1.36e9).epsilon(0.05));
  CHECK(seconds(launch) == Approx(updates / 0.57e9).epsilon(0.05));  // as on an H100
}

TEST_CASE("few lines that warps come back to are as few as they look", "[program][pricing]") {
  // Sums of 64 channels, two of 8 bytes each, as an H100 did: 2.36 million updates of 8 lines in 884 us. The launch's
  // blocks come there at once, and several take themselves for the first in a sector.
  std::vector<inject::Site> sites;
  for (const std::uint64_t member : {0U, 8U}) {
    inject::Site adds;
    adds.pc = 0x410 + 2 * member;
    adds.op = RawOp::atomic;
    adds.word_bytes = 8;
    adds.requests = adds.sectors = adds.lines = adds.l2_sectors = adds.l2_requests = adds.least_sectors = 36864;
    adds.active_lanes = 32 * adds.requests;
    adds.useful_bytes = 8 * adds.requests;
    for (const std::uint64_t at : {0x350U, 0x350U, 0x210U, 0x130U, 0x1a0U, 0x1b0U, 0x3c0U, 0x290U, 0x090U}) {
      inject::ShownRequest& shown = adds.request[adds.shown++];
      shown.active = ~0U;
      std::fill(std::begin(shown.address), std::end(shown.address), 0x7f00'0000'0000 + at + member);
    }
    sites.push_back(adds);
  }
  for (const std::uint64_t first : {16U, 60U, 200U}) {
    sites[0].memory_sectors = first;
    LaunchSums launch = launch_of(sites);
    launch.blocks = 6144;
    launch.block_threads = 192;
    INFO(first << " sectors");
    CHECK(stage_seconds(launch, "atomics") == Approx(884e-6).epsilon(0.25));
    CHECK(saved_share(launch) > 0.85);
  }
}

TEST_CASE("words of two lines that all blocks update are in one slice, however many blocks came first",
          "[program][pricing]") {
  // Votes for 64 candidates, as an H200 counted them in 9.84 ms.
  inject::Site votes;
  votes.op = RawOp::atomic;
  votes.word_bytes = 4;
  votes.requests = 1048576;
  votes.active_lanes = 32 * votes.requests;
  votes.useful_bytes = 4 * 25 * votes.requests;
  votes.sectors = votes.l2_sectors = 793 * votes.requests / 100;
  votes.least_sectors = 367 * votes.requests / 100;
  votes.lines = votes.l2_requests = 2 * votes.requests;
  votes.used_words = 64;
  std::uint64_t state = 1;
  for (; votes.shown < inject::shown_requests; ++votes.shown) {
    inject::ShownRequest& shown = votes.request[votes.shown];
    shown.active = ~0U;
    for (std::uint64_t& address : shown.address) {
      state = state * 6364136223846793005U + 1442695040888963407U;
      address = 0x7f00'0000'0000 + 4 * (state >> 58U);
    }
  }
  for (const std::uint64_t first : {8U, 300U, 2000U}) {
    votes.memory_sectors = first;
    LaunchSums launch = launch_of({votes});
    launch.blocks = 32768;
    launch.block_threads = 1024;
    INFO(first << " sectors");
    CHECK(stage_seconds(launch, "atomics") == Approx(9.84e-3).epsilon(0.15));
    CHECK(saved_share(launch) > 0.8);
  }
}

TEST_CASE("atomics of a block meet where its lanes, requests or warps do", "[program][pricing]") {
  const double blocks = requests / 8;
  inject::Site keys = streaming(RawOp::atomic, requests);  // a word a lane, the same ones in all requests
  keys.memory_sectors = 4;
  CHECK(requests_meet(keys, blocks));
  keys.memory_sectors = keys.sectors;
  CHECK_FALSE(requests_meet(keys, blocks));
  inject::Site sums = keys;  // each warp has added up
  sums.active_lanes = sums.sectors = requests;
  sums.useful_bytes = 4 * requests;
  sums.memory_sectors = 8;
  CHECK(requests_meet(sums, blocks));
  CHECK_FALSE(requests_meet(sums, requests));  // and so has each block
  inject::Site flush = keys;                   // 256 words of each block
  flush.memory_sectors = 32;
  CHECK_FALSE(requests_meet(flush, blocks));
}

TEST_CASE("blocks that have added up save nothing by doing so", "[program][pricing]") {
  inject::Site adds = streaming(RawOp::atomic, requests / 64);
  adds.active_lanes = adds.requests;  // a lane of each block
  adds.useful_bytes = 4 * adds.requests;
  adds.sectors = adds.lines = adds.l2_sectors = adds.l2_requests = adds.least_sectors = adds.requests;
  adds.memory_sectors = adds.used_words = 1;
  const LaunchSums launch = launch_of({streaming(RawOp::load, requests), adds});
  CHECK(saved_share(launch, {false, true}) == 0);
}

}  // namespace gpumem::program::test_pricing_atomics
