#include <array>
#include <atomic>
#include <cstdint>
#include <functional>
#include <random>
#include <set>
#include <stdexcept>
#include <string>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "engine/access/exact.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_exact {

namespace {

constexpr std::uint32_t all_lanes = 0xffff'ffff;

using Pattern = std::function<WarpRequest(std::uint64_t k)>;

Requests launch_of(std::uint64_t count, unsigned word_bytes, std::uint64_t extent_bytes, Pattern pattern) {
  return {.name = "source",
          .word_bytes = word_bytes,
          .count = count,
          .extent_bytes = extent_bytes,
          .fill = [pattern = std::move(pattern)](std::uint64_t first, std::span<WarpRequest> requests) {
            for (WarpRequest& request : requests) request = pattern(first++);
          }};
}

/// Lanes whose bit of `active` is set access the words at element(32 k + lane).
WarpRequest words(std::uint64_t k, unsigned word_bytes, std::uint32_t active,
                  const std::function<std::uint64_t(std::uint64_t)>& element) {
  WarpRequest request;
  request.word_bytes = word_bytes;
  request.active = active;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    request.address[lane] = request.lane_active(lane) ? element(k * warp_lanes + lane) * word_bytes : ~std::uint64_t{0};
  }
  return request;
}

/// Counts by the definitions of request.hpp, with a set of every byte touched.
ExactSummary by_byte(const Requests& launch) {
  Counts counts;
  std::unordered_map<std::uint64_t, unsigned> bytes_of_sector;
  std::set<std::uint64_t> bytes;
  for (std::uint64_t k = 0; k < launch.count; ++k) {
    std::array<WarpRequest, 1> requests;
    requests[0].word_bytes = launch.word_bytes;
    launch.fill(k, requests);
    const WarpRequest& request = requests[0];
    if (request.active == 0) continue;
    counts.requests += 1;
    counts.sectors += sectors_per_request(request);
    counts.lines += lines_per_request(request);
    counts.addresses += addresses_per_request(request);
    if (costed(launch.space, launch.op).wavefronts) counts.wavefronts += shared_wavefronts(request, launch.op);
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      if (!request.lane_active(lane)) continue;
      for (unsigned byte = 0; byte < request.word_bytes; ++byte) bytes.insert(request.address[lane] + byte);
    }
  }
  for (const std::uint64_t byte : bytes) ++bytes_of_sector[byte / 32];
  std::unordered_map<std::uint64_t, unsigned> sectors_of_atom;
  std::set<std::uint64_t> lines;
  std::set<std::uint64_t> pairs;
  std::set<std::uint64_t> channels;
  Footprint footprint;
  for (const auto& [sector, touched] : bytes_of_sector) {
    footprint.sectors += 1;
    footprint.partial_sectors += touched < 32 ? 1 : 0;
    ++sectors_of_atom[sector / 2];
    lines.insert(sector / 4);
    pairs.insert(sector / 8);
  }
  for (const auto& [atom, sectors] : sectors_of_atom) {
    footprint.atoms += 1;
    footprint.partial_atoms += sectors < 2 ? 1 : 0;
    channels.insert(atom % 8);
  }
  footprint.lines = static_cast<double>(lines.size());
  footprint.line_pairs = static_cast<double>(pairs.size());
  footprint.channels = static_cast<unsigned>(channels.size());
  return {counts, {{}, footprint}};
}

auto all_of(const Counts& c) { return std::tuple(c.requests, c.sectors, c.lines, c.wavefronts, c.addresses); }
auto all_of(const LaunchExtent& r) { return std::tuple(r.accesses, r.end_byte, r.highest_request); }
auto all_of(const Footprint& f) {
  return std::tuple(f.sectors, f.partial_sectors, f.atoms, f.partial_atoms, f.lines, f.line_pairs, f.channels);
}

/// Lane by lane; of several requests that reach highest it is `highest_request`, if that is one of them.
LaunchExtent reach_of(const Requests& launch, std::uint64_t highest_request) {
  LaunchExtent reach;
  for (std::uint64_t k = 0; k < launch.count; ++k) {
    std::array<WarpRequest, 1> requests;
    requests[0].word_bytes = launch.word_bytes;
    launch.fill(k, requests);
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      if (!requests[0].lane_active(lane)) continue;
      ++reach.accesses;
      const std::uint64_t end = requests[0].address[lane] + launch.word_bytes;
      if (end < reach.end_byte) continue;
      if (end > reach.end_byte || k == highest_request) reach.highest_request = k;
      reach.end_byte = end;
    }
  }
  return reach;
}

/// Checks that the launch is counted as byte by byte: with its extent, with a larger one and without, in one piece and
/// in many, by one thread and by several.
void check_exact(Requests launch) {
  const ExactSummary expected = by_byte(launch);
  const std::uint64_t extent = launch.extent_bytes;
  for (const std::uint64_t known : {extent, 3 * extent + 5, std::uint64_t{0}}) {
    launch.extent_bytes = known;
    for (const CountingLimits& limits : {CountingLimits{1}, CountingLimits{3}, CountingLimits{2, 1U << 14U}}) {
      INFO("extent " << known << " of " << extent << ", " << limits.threads << " threads, " << limits.memory_bytes);
      LaunchExtent reach;
      const ExactSummary found = summarise_exactly(launch, limits, &reach);
      CHECK(all_of(reach) == all_of(reach_of(launch, reach.highest_request)));
      CHECK(all_of(found.counts) == all_of(expected.counts));
      CHECK(all_of(found.summary.footprint) == all_of(expected.summary.footprint));
    }
  }
}

std::uint64_t hash(std::uint64_t x) {  // splitmix64
  x += 0x9e37'79b9'7f4a'7c15;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31U);
}

Site site_of(const Requests& launch) {
  return {.name = launch.name,
          .word_bytes = launch.word_bytes,
          .requests = launch.count,
          .extent_bytes = launch.extent_bytes,
          .request = [fill = launch.fill](std::uint64_t k) {
            std::array<WarpRequest, 1> requests;
            fill(k, requests);
            return requests[0];
          }};
}

std::string error_of(const Requests& launch, const CountingLimits& limits = {}) {
  try {
    static_cast<void>(summarise_exactly(launch, limits));
  } catch (const gpumem::Error& error) {
    CHECK(error.kind() == gpumem::ErrorKind::usage);
    return error.what();
  }
  return "";
}

}  // namespace

TEST_CASE("random launches are counted exactly, whatever is active, aligned and shared", "[exact]") {
  std::mt19937_64 engine(13);
  const auto up_to = [&](std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound)(engine);
  };
  for (const unsigned word_bytes : {1U, 2U, 4U, 8U, 16U}) {
    for (const unsigned alignment : {word_bytes, word_bytes / 2, 1U}) {
      if (alignment == 0) continue;
      for (const std::uint64_t reach : {20U, 2'000U, 300'000U}) {  // from all overlapping to none
        std::vector<WarpRequest> requests(40);
        for (WarpRequest& request : requests) {
          request.word_bytes = word_bytes;
          const std::uint64_t kind = up_to(3);
          request.active = kind == 0 ? 0 : kind == 1 ? all_lanes : static_cast<std::uint32_t>(engine());
          for (std::uint64_t& address : request.address) address = up_to(reach) * alignment;
        }
        INFO(word_bytes << "-byte words aligned to " << alignment << ", reach " << reach);
        check_exact(launch_of(requests.size(), word_bytes, (reach + 1) * alignment + word_bytes,
                              [=](std::uint64_t k) { return requests[k]; }));
      }
    }
  }
}

TEST_CASE("evenly spaced lanes are counted exactly, upwards and downwards, aligned or not", "[exact]") {
  for (const unsigned word_bytes : {1U, 4U, 16U}) {
    for (const std::uint64_t step :
         {0U, 1U, 2U, 3U, 4U, 5U, 8U, 16U, 17U, 31U, 32U, 33U, 64U, 100U, 128U, 132U, 1000U}) {
      for (const std::uint64_t offset : {0U, 4U, 5U, 28U, 31U, 112U, 127U}) {
        const auto launch = launch_of(9, word_bytes, 400'000, [=](std::uint64_t k) {
          WarpRequest request;
          request.word_bytes = word_bytes;
          request.active = all_lanes;
          for (unsigned lane = 0; lane < warp_lanes; ++lane) {
            request.address[lane] = offset + (k * warp_lanes + (k % 2 == 0 ? lane : 31 - lane)) * step;
          }
          return request;
        });
        INFO(word_bytes << "-byte words, " << step << " bytes apart, from " << offset);
        const ExactSummary expected = by_byte(launch);
        const ExactSummary found = summarise_exactly(launch);
        CHECK(all_of(found.counts) == all_of(expected.counts));
        CHECK(all_of(found.summary.footprint) == all_of(expected.summary.footprint));
      }
    }
  }
}

TEST_CASE("whatever the period, and whatever warps are inactive, a launch is counted exactly", "[exact]") {
  for (const std::uint64_t period : {3U, 5U, 7U, 100U, 4097U}) {
    const auto jumps = [=](std::uint64_t i) { return i / period * (period + 3) + i % period; };
    INFO("period " << period);
    check_exact(
        launch_of(300, 4, std::uint64_t{1} << 20U, [=](std::uint64_t k) { return words(k, 4, all_lanes, jumps); }));
    check_exact(launch_of(4300, 4, std::uint64_t{1} << 24U, [=](std::uint64_t k) {  // a whole warp in every period
      return words(k, 4, k % period == 2 ? 0x00f0'0f01 : 0, [](std::uint64_t i) { return i; });
    }));
  }
}

TEST_CASE("permutations, transposes, hashes and rows of power-law lengths are counted exactly", "[exact]") {
  constexpr std::uint64_t n = 1U << 13U;
  const auto check_pattern = [](unsigned word_bytes, std::uint64_t extent, const auto& element) {
    check_exact(launch_of(n / warp_lanes, word_bytes, extent * word_bytes,
                          [=](std::uint64_t k) { return words(k, word_bytes, all_lanes, element); }));
  };
  check_pattern(4, n, [](std::uint64_t i) { return (i * 2654435761U) % n; });
  check_pattern(8, n, [](std::uint64_t i) { return i % 128 * (n / 128) + i / 128; });
  check_pattern(4, 5000, [](std::uint64_t i) { return hash(i) % 5000; });
  check_pattern(16, 40'000, [](std::uint64_t i) { return hash(i) % 40'000; });
  check_pattern(2, 3 * n, [](std::uint64_t i) { return 3 * (i ^ 5U); });
  // A lane per row, rows of 1 / u elements behind each other: most lanes end early.
  std::vector<std::uint64_t> begin{0};
  for (std::uint64_t row = 0; row < 512; ++row) begin.push_back(begin.back() + 1 + 511 / (1 + hash(row) % 512));
  check_exact(launch_of(16 * 64, 4, begin.back() * 4, [=](std::uint64_t k) {
    WarpRequest request;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      const std::uint64_t row = k / 64 * warp_lanes + lane;
      const std::uint64_t at = begin[row] + k % 64;
      request.address[lane] = at * 4;
      if (at < begin[row + 1]) request.active |= 1U << lane;
    }
    return request;
  }));
}

TEST_CASE("wavefronts are counted exactly, of all word sizes and operations", "[exact]") {
  for (const unsigned word_bytes : {1U, 2U, 4U, 8U, 16U}) {
    for (const Op op : {Op::load, Op::store}) {
      for (const std::uint64_t reach : {8U, 64U, 3000U}) {
        Requests launch = launch_of(200, word_bytes, (reach + 1) * word_bytes, [=](std::uint64_t k) {
          const auto active = static_cast<std::uint32_t>(k % 3 == 0 ? hash(k) : all_lanes);
          // In every fourth request, pairs of lanes share an address, which makes loads of wide words faster.
          return words(k, word_bytes, active, [=](std::uint64_t i) { return hash(k % 4 == 0 ? i / 2 : i) % reach; });
        });
        launch.space = Space::shared;
        launch.op = op;
        CHECK(all_of(summarise_exactly(launch).counts) == all_of(by_byte(launch).counts));
      }
    }
  }
}

TEST_CASE("where a launch is extrapolated from its beginning, evaluating it all tells otherwise", "[exact]") {
  const auto identity = [](std::uint64_t i) { return i; };
  SECTION("warps that are inactive later on") {
    const Requests launch = launch_of(3000, 4, 400'000, [=](std::uint64_t k) {
      return words(k, 4, k < 300 || k % 3 == 0 ? all_lanes : 0, identity);
    });
    const ExactSummary exact = summarise_exactly(launch);
    CHECK(exact.counts.requests == 1200);
    CHECK(exact.counts.sectors == 4800);
    CHECK(exact.summary.footprint.sectors == 4800);
    CHECK(summarise(site_of(launch)).cost.sectors_per_request * 3000 == 12000);
    CHECK(summarise(site_of(launch)).footprint.sectors == 12000);
  }
  SECTION("a period longer than the beginning, and no power of two") {
    const Requests launch = launch_of(3 * 4097, 4, 20'000'000, [=](std::uint64_t k) {
      return words(k, 4, all_lanes, [=](std::uint64_t i) { return k % 4097 < 300 ? i : 8 * i; });
    });
    const ExactSummary exact = summarise_exactly(launch);
    CHECK(exact.counts.sectors == 3 * (300 * 4 + 3797 * 32));
    CHECK(summarise(site_of(launch)).cost.sectors_per_request == 4);
  }
  SECTION("a beginning that keeps to a small part of what the launch touches") {
    const Requests launch = launch_of(1U << 15U, 4, std::uint64_t{1} << 22U, [=](std::uint64_t k) {
      return words(k, 4, all_lanes, [=](std::uint64_t i) { return k < 512 ? i % 4096 : i; });
    });
    const ExactSummary exact = summarise_exactly(launch);
    CHECK(exact.summary.footprint.sectors == ((1U << 15U) - 512 + 128) * 4);
    CHECK(summarise(site_of(launch)).footprint.sectors == 512);
  }
}

TEST_CASE("costs are averages over all warps, as summarise has them, or over requests issued", "[exact]") {
  const Requests launch = launch_of(
      200, 4, 25'600, [](std::uint64_t k) { return words(k, 4, k % 4 == 0 ? 0xffU : 0, [](auto i) { return i; }); });
  const ExactSummary exact = summarise_exactly(launch);
  const SiteCost sampled = summarise(site_of(launch)).cost;
  CHECK(exact.summary.cost.sectors_per_request == sampled.sectors_per_request);
  CHECK(exact.summary.cost.lines_per_request == sampled.lines_per_request);
  CHECK(exact.summary.cost.efficiency == sampled.efficiency);
  const SiteCost issued = average(exact.counts, exact.counts.requests, costed(Space::global, Op::load), 4);
  CHECK(issued.sectors_per_request == 1);
  CHECK(issued.efficiency == 1);
  CHECK(issued.addresses_per_request == 0);  // which global memory is not costed in
}

TEST_CASE("of a site that repeats itself, counts are of all passes and the footprint is of one", "[exact]") {
  Site site = site_of(launch_of(
      30, 4, 1280, [](std::uint64_t k) { return words(k % 10, 4, all_lanes, [](std::uint64_t i) { return i; }); }));
  site.passes = 3;
  const ExactSummary exact = summarise_exactly(site);
  CHECK(exact.counts.requests == 30);
  CHECK(exact.counts.sectors == 120);
  CHECK(exact.summary.cost.sectors_per_request == 4);
  CHECK(exact.summary.footprint.sectors == 40);
}

TEST_CASE("few requests far apart need neither memory nor time", "[exact]") {
  const auto launch =
      launch_of(3, 4, 0, [](std::uint64_t k) { return words(k, 4, 1, [](std::uint64_t i) { return i << 52U; }); });
  CHECK(summarise_exactly(launch).summary.footprint.lines == 3);
}

TEST_CASE("a launch without requests, without active lanes or without a rule costs nothing", "[exact]") {
  const auto none = [](std::uint64_t) { return WarpRequest{}; };
  for (Requests launch : {launch_of(0, 4, 100, none), launch_of(5000, 4, 100, none)}) {
    const ExactSummary exact = summarise_exactly(launch);
    CHECK(all_of(exact.counts) == all_of(Counts{}));
    CHECK(all_of(exact.summary.footprint) == all_of(Footprint{}));
    CHECK(exact.summary.cost.efficiency == 0);
  }
  Requests texture = launch_of(5, 4, 100, {});
  texture.space = Space::texture;  // whose addresses need not be known
  CHECK(all_of(summarise_exactly(texture).counts) == all_of(Counts{}));
}

TEST_CASE("words beyond the extent are an error that names the first, whichever thread met one", "[exact]") {
  const auto launch = launch_of(100'000, 4, std::uint64_t{64} << 20U, [](std::uint64_t k) {
    return words(k, 4, 0xfffe, [=](std::uint64_t i) { return k % 5000 == 4999 && i % 32 > 6 ? 1U << 24U : i; });
  });
  for (int i = 0; i < 5; ++i) {
    CHECK(error_of(launch, {.threads = 4}) ==
          "site 'source', request 4999, lane 7: the 4-byte word at byte 67108864 lies beyond the end, 67108864; make "
          "the extent larger, or the index smaller");
  }
  const auto at = [](std::uint64_t byte, std::uint64_t extent) {
    return error_of(launch_of(1, 4, extent, [=](std::uint64_t) {
      WarpRequest request;
      request.active = 2;
      request.address[1] = byte;
      return request;
    }));
  };
  CHECK(at(96, 100).empty());
  CHECK(at(97, 100).find("lane 1") != std::string::npos);
  CHECK(at(0, 3).find("beyond the end, 3") != std::string::npos);
  CHECK(at(~std::uint64_t{0} - 3, 0).find("beyond the end") != std::string::npos);
  CHECK(at(~std::uint64_t{0} - 3, ~std::uint64_t{0}).find("beyond the end") != std::string::npos);
}

TEST_CASE("words that cannot be, and launches that cannot be counted, are errors", "[exact]") {
  for (const unsigned word_bytes : {0U, 3U, 64U}) {
    CHECK(error_of(launch_of(1, word_bytes, 100, {})).find("1, 2, 4, 8, 16 or 32") != std::string::npos);
  }
  const auto mixed = launch_of(
      9, 4, 1000, [](std::uint64_t k) { return words(k, k == 7 ? 8 : 4, all_lanes, [](std::uint64_t) { return 1; }); });
  CHECK(error_of(mixed).find("request 7: words of 8 bytes") != std::string::npos);
  const auto everywhere = launch_of(4000, 4, 0, [](std::uint64_t k) {
    return words(k, 4, all_lanes, [](std::uint64_t i) { return hash(i) >> 10U; });
  });
  CHECK(error_of(everywhere, {.memory_bytes = 1U << 20U}).find("spread over") != std::string::npos);
  CHECK(summarise_exactly(everywhere).summary.footprint.sectors == 4000 * 32);  // as a list
}

TEST_CASE("what evaluating throws arrives, and no thread is left behind", "[exact]") {
  std::atomic<int> evaluating = 0;
  auto launch = launch_of(1'000'000, 4, 1U << 20U, {});
  launch.fill = [&](std::uint64_t first, std::span<WarpRequest>) {
    ++evaluating;
    if (first == 32'768) throw std::runtime_error("index 1048576: division by zero");
    --evaluating;
  };
  CHECK_THROWS_WITH(summarise_exactly(launch, {.threads = 4}), "index 1048576: division by zero");
  CHECK(evaluating == 1);
}

}  // namespace gpumem::access::test_exact
