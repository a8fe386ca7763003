// Prices that follow from the addresses shown of some requests: banks of L1, scatters, and lines filled in part.

#include <algorithm>
#include <cstdint>

#include "program/read/shown_requests.hpp"
#include "tests/catch.hpp"
#include "tests/program/priced_launches.hpp"

namespace gpumem::program::test_pricing_addresses {

using namespace priced_launches;

namespace {

/// Fills in the requests shown: lane `i` of request `k` at address(k, i).
template <class Address>
inject::Site shown_at(inject::Site site, Address address) {
  site.shown = 8;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    site.request[k].active = ~0U;
    for (unsigned lane = 0; lane < 32; ++lane) site.request[k].address[lane] = address(k, lane);
  }
  return site;
}

/// Words of 4 bytes, each in a sector of its own that no L1 has.
inject::Site scattered(RawOp op) {
  inject::Site site = streaming(op, requests, 4, 0x90);
  site.sectors = site.lines = site.l2_sectors = site.l2_requests = site.memory_sectors = 32 * requests;
  const auto address = [](std::uint64_t k, std::uint64_t lane) {
    constexpr std::uint64_t odd = 0x9E3779B97F4A7C15U;
    const std::uint64_t mixed = (k * 32 + lane + 1) * odd;
    return ((mixed ^ mixed >> 29U) * odd >> 40U) * 64;
  };
  return shown_at(site, address);
}

/// Bytes or words of a warp side by side, warp after warp, as they are shown of a launch that goes on through an array,
/// or with three gaps as long between them.
inject::Site side_by_side(unsigned word_bytes, std::uint64_t every) {
  constexpr std::uint64_t many = 4 * requests;  // more than L2 holds
  inject::Site site = streaming(RawOp::load, many, word_bytes);
  site.word_bytes = static_cast<std::uint8_t>(word_bytes);
  site.useful_bytes = 32 * word_bytes * many;
  site.sectors = site.l2_sectors = site.memory_sectors = site.least_sectors = word_bytes * many;
  site.lines = site.l2_requests = many;
  site.used_words = site.useful_bytes / 4;
  site.shown = 9;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const std::uint64_t before = k == 0 ? 0 : std::uint64_t{1} << 2 * (k - 1);
    site.request[k].active = ~0U;
    for (unsigned lane = 0; lane < 32; ++lane) {
      site.request[k].address[lane] = 0x7f00'0000'0000 + (before * inject::sum_copies * 32 * every + lane) * word_bytes;
    }
  }
  return site;
}

}  // namespace

TEST_CASE("lanes at different lines of L1 wait for each other only in one bank", "[program][pricing]") {
  inject::Site load = streaming(RawOp::load, 64 * requests);
  load.lines = 32 * load.requests;
  load.l2_sectors = load.l2_requests = load.memory_sectors = load.used_words = 1000;
  const auto l1_seconds = [&](std::uint64_t distance) {
    const auto address = [&](std::uint64_t, std::uint64_t lane) { return lane * distance; };
    return stage_seconds(launch_of({shown_at(load, address)}), "l1_lines");
  };
  const double in_one_bank = l1_seconds(128);
  const double three_at_a_time = l1_seconds(132);
  CHECK(in_one_bank == Approx(3 * three_at_a_time));
}

TEST_CASE("sectors that a load had brought need no fill when a part of them is stored", "[program][pricing]") {
  inject::Site store = scattered(RawOp::store);
  store.used_words = 32 * requests;
  const double filled = stage_seconds(launch_of({store}), "dram");
  store.loaded_sectors = store.memory_sectors;
  CHECK(stage_seconds(launch_of({store}), "dram") < 0.7 * filled);
}

TEST_CASE("local stores reach L2 and, as long as it holds them, no memory", "[program][pricing]") {
  inject::Site spill = streaming(RawOp::store, 16 * requests, 4, 0x90);
  spill.space = inject::RawSpace::local;
  spill.l2_sectors = spill.l2_requests = spill.memory_sectors = spill.used_words = 0;
  const inject::Site load = streaming(RawOp::load, requests);
  const double sectors = static_cast<double>(spill.sectors) / h200().rates.l2.store_sectors_per_s;
  const double loaded = stage_seconds(launch_of({load}), "l2_sectors");
  CHECK(stage_seconds(launch_of({load, spill}), "l2_sectors") ==
        Approx(std::max(sectors, loaded) + h200().rates.l2.crossing_share * std::min(sectors, loaded)).epsilon(0.01));
  CHECK(stage_seconds(launch_of({load, spill}), "dram") == Approx(stage_seconds(launch_of({load}), "dram")));
}

TEST_CASE("a scatter is cured by a gather, which costs what its loads do", "[program][pricing]") {
  const LaunchSums scatter = launch_of({streaming(RawOp::load, requests), scattered(RawOp::store)});
  const LaunchSums gather =
      launch_of({streaming(RawOp::load, requests), scattered(RawOp::load), streaming(RawOp::store, requests, 4, 0xa0)});
  CHECK(saved_share(scatter) == Approx(1 - seconds(gather) / seconds(scatter)).epsilon(0.05));
}

TEST_CASE("a byte a lane leaves no line of memory in part", "[program][pricing]") {
  const auto lines_s = [](unsigned word_bytes, std::uint64_t every) {
    return stage_seconds(launch_of({side_by_side(word_bytes, every)}), "l2_lines") / word_bytes;
  };
  CHECK(lines_s(1, 1) == Approx(lines_s(4, 1)).epsilon(0.01));
  CHECK(lines_s(1, 4) > 2 * lines_s(1, 1));  // a sector of each line
  // Lanes at random may fetch as much as there is, and each sector comes alone.
  inject::Site random = side_by_side(4, 1);
  for (std::uint32_t k = 0; k < random.shown; ++k) {
    for (std::uint64_t lane = 0; lane < 32; ++lane) random.request[k].address[lane] += 4096 * (lane * 7919 % 33);
  }
  CHECK_FALSE(lies_dense(random));
}

}  // namespace gpumem::program::test_pricing_addresses
