#include <cstdint>
#include <map>
#include <numeric>
#include <random>
#include <utility>
#include <vector>

#include "engine/access/site.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_site {

namespace {

constexpr std::uint32_t all_lanes = 0xffff'ffff;
constexpr std::uint64_t everything = std::uint64_t{1} << 40;  // as exact_requests: extrapolate nothing

/// A launch of `requests` warps in which element i accesses word offset + i * stride.
Site affine(std::uint64_t requests, std::uint64_t offset, std::uint64_t stride, unsigned word_bytes,
            Space space = Space::global) {
  Site site;
  site.name = "source";
  site.space = space;
  site.word_bytes = word_bytes;
  site.requests = requests;
  site.request = [=](std::uint64_t k) {
    WarpRequest request;
    request.active = all_lanes;
    request.word_bytes = word_bytes;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      request.address[lane] = (offset + (k * warp_lanes + lane) * stride) * word_bytes;
    }
    return request;
  };
  return site;
}

Site of(std::vector<WarpRequest> requests) {
  Site site;
  site.requests = requests.size();
  site.request = [requests = std::move(requests)](std::uint64_t k) { return requests[k]; };
  return site;
}

/// A footprint counted from a map of every byte touched.
Footprint by_byte(const Site& site) {
  std::map<std::uint64_t, int> sectors;  // bytes touched in each
  std::map<std::uint64_t, bool> bytes;
  for (std::uint64_t k = 0; k < site.requests; ++k) {
    const WarpRequest request = site.request(k);
    for (unsigned lane = 0; lane < 32; ++lane) {
      if ((request.active & (1U << lane)) == 0) continue;
      for (unsigned byte = 0; byte < request.word_bytes; ++byte) bytes[request.address[lane] + byte] = true;
    }
  }
  for (const auto& [byte, touched] : bytes) ++sectors[byte / 32];
  std::map<std::uint64_t, int> atoms;  // sectors touched in each
  std::map<std::uint64_t, int> lines;
  Footprint footprint;
  for (const auto& [sector, count] : sectors) {
    footprint.sectors += 1;
    footprint.partial_sectors += count < 32 ? 1 : 0;
    ++atoms[sector / 2];
    ++lines[sector / 4];
  }
  for (const auto& [atom, count] : atoms) {
    footprint.atoms += 1;
    footprint.partial_atoms += count < 2 ? 1 : 0;
  }
  footprint.lines = static_cast<double>(lines.size());
  return footprint;
}

void check_same(const Footprint& found, const Footprint& expected) {
  CHECK(found.sectors == Approx(expected.sectors));
  CHECK(found.partial_sectors == Approx(expected.partial_sectors).margin(1e-9));
  CHECK(found.atoms == Approx(expected.atoms));
  CHECK(found.partial_atoms == Approx(expected.partial_atoms).margin(1e-9));
  CHECK(found.lines == Approx(expected.lines));
}

}  // namespace

TEST_CASE("a launch without requests costs nothing", "[site]") {
  const SiteSummary summary = summarise(affine(0, 0, 1, 4));
  CHECK(summary.cost.sectors_per_request == 0);
  CHECK(summary.cost.efficiency == 0);
  check_same(summary.footprint, {});
}

TEST_CASE("requests without active lanes cost nothing", "[site]") {
  const SiteSummary summary = summarise(of(std::vector(3, WarpRequest{})));
  CHECK(summary.cost.sectors_per_request == 0);
  CHECK(summary.cost.efficiency == 0);
  check_same(summary.footprint, {});
}

TEST_CASE("an aligned launch touches whole blocks", "[site]") {
  const SiteSummary summary = summarise(affine(100, 0, 1, 4));
  CHECK(summary.cost.sectors_per_request == 4);
  CHECK(summary.cost.lines_per_request == 1);
  CHECK(summary.cost.efficiency == 1);
  CHECK(summary.cost.wavefronts_per_request == 0);  // global memory has none of this kind
  check_same(summary.footprint, {.sectors = 400, .partial_sectors = 0, .atoms = 200, .partial_atoms = 0, .lines = 100});
}

TEST_CASE("a launch shifted by one word: each request pays, the footprint hardly grows", "[site]") {
  const SiteSummary summary = summarise(affine(100, 1, 1, 4));
  CHECK(summary.cost.sectors_per_request == 5);
  CHECK(summary.cost.lines_per_request == 2);
  CHECK(summary.cost.efficiency == Approx(0.8));
  // One sector more than when aligned; the first and the last are partial.
  check_same(summary.footprint, {.sectors = 401, .partial_sectors = 2, .atoms = 201, .partial_atoms = 1, .lines = 101});
}

TEST_CASE("a strided launch leaves sectors, then atoms, partial", "[site]") {
  check_same(summarise(affine(10, 0, 2, 4)).footprint,
             {.sectors = 80, .partial_sectors = 80, .atoms = 40, .partial_atoms = 0, .lines = 20});
  check_same(summarise(affine(10, 0, 16, 4)).footprint,
             {.sectors = 320, .partial_sectors = 320, .atoms = 320, .partial_atoms = 320, .lines = 160});
  // The other words of a stride-2 walk: together they fill the sectors.
  std::vector<WarpRequest> both;
  for (std::uint64_t k = 0; k < 10; ++k) both.push_back(affine(10, 0, 2, 4).request(k));
  for (std::uint64_t k = 0; k < 10; ++k) both.push_back(affine(10, 1, 2, 4).request(k));
  check_same(summarise(of(both)).footprint,
             {.sectors = 80, .partial_sectors = 0, .atoms = 40, .partial_atoms = 0, .lines = 20});
}

TEST_CASE("a shared site has wavefronts", "[site]") {
  for (const unsigned stride : {1U, 2U, 3U, 32U, 33U}) {
    const SiteSummary summary = summarise(affine(8, 0, stride, 4, Space::shared));
    CHECK(summary.cost.wavefronts_per_request == std::gcd(stride, 32U));
  }
}

TEST_CASE("a site of constant memory has addresses", "[site]") {
  for (const unsigned stride : {0U, 1U, 33U}) {
    const SiteSummary summary = summarise(affine(8, 0, stride, 4, Space::constant));
    CHECK(summary.cost.addresses_per_request == (stride == 0 ? 1 : 32));
    CHECK(summary.cost.wavefronts_per_request == 0);
  }
  CHECK(summarise(affine(8, 0, 1, 4)).cost.addresses_per_request == 0);  // global memory has none
}

TEST_CASE("a launch of mixed requests costs their mean", "[site]") {
  const SiteSummary summary = summarise(of({affine(1, 0, 1, 4).request(0), affine(1, 0, 8, 4).request(0)}));
  CHECK(summary.cost.sectors_per_request == 18);
  CHECK(summary.cost.lines_per_request == Approx(4.5));
  CHECK(summary.cost.efficiency == Approx(256.0 / (36 * 32)));
}

TEST_CASE("footprints of random launches are what counting byte by byte gives", "[site]") {
  std::mt19937_64 engine(3);
  const auto up_to = [&](std::uint64_t bound) {
    return std::uniform_int_distribution<std::uint64_t>(0, bound)(engine);
  };
  for (const unsigned word_bytes : {1U, 2U, 4U, 8U, 16U}) {
    for (const bool aligned : {true, false}) {
      for (const std::uint64_t reach : {20U, 200U, 2'000U, 1'000'000U}) {  // from all overlapping to none
        for (int launch = 0; launch < 12; ++launch) {
          std::vector<WarpRequest> requests(1 + up_to(12));
          for (WarpRequest& request : requests) {
            request.word_bytes = word_bytes;
            request.active = up_to(1) == 0 ? all_lanes : static_cast<std::uint32_t>(engine());
            for (std::uint64_t& address : request.address) {
              address = up_to(reach) * word_bytes + (aligned ? 0 : up_to(31));
            }
          }
          INFO(word_bytes << "-byte words, aligned " << aligned << ", reach " << reach);
          const Site site = of(requests);
          check_same(summarise(site).footprint, by_byte(site));
        }
      }
    }
  }
}

TEST_CASE("extrapolating an affine launch gives what evaluating all of it gives", "[site]") {
  for (const unsigned word_bytes : {4U, 8U, 16U}) {
    for (const std::uint64_t stride : {0U, 1U, 2U, 3U, 4U, 5U, 7U, 8U, 16U, 31U, 32U, 33U}) {
      for (const std::uint64_t offset : {0U, 1U, 3U, 8U, 13U, 33U}) {
        for (const std::uint64_t requests : {1025U, 3001U}) {
          INFO(word_bytes << "-byte words, stride " << stride << ", offset " << offset << ", requests " << requests);
          const Site site = affine(requests, offset, stride, word_bytes);
          const SiteSummary extrapolated = summarise(site);
          const SiteSummary exact = summarise(site, everything);
          check_same(extrapolated.footprint, exact.footprint);
          CHECK(extrapolated.cost.sectors_per_request == Approx(exact.cost.sectors_per_request));
          CHECK(extrapolated.cost.lines_per_request == Approx(exact.cost.lines_per_request));
          CHECK(extrapolated.cost.efficiency == Approx(exact.cost.efficiency));
        }
      }
    }
  }
}

TEST_CASE("extrapolating reaches launches too large to evaluate", "[site]") {
  constexpr std::uint64_t requests = std::uint64_t{1} << 30;  // 128 GiB of 4-byte words
  const SiteSummary summary = summarise(affine(requests, 1, 1, 4));
  CHECK(summary.cost.sectors_per_request == 5);
  CHECK(summary.footprint.sectors == 4.0 * requests + 1);
  CHECK(summary.footprint.partial_sectors == 2);
  CHECK(summary.footprint.lines == 1.0 * requests + 1);
}

TEST_CASE("up to twice the exact requests nothing is extrapolated", "[site]") {
  // One more block in the second half than in the first: growth would be misread.
  std::vector<WarpRequest> requests;
  for (std::uint64_t k = 0; k < 8; ++k) requests.push_back(affine(8, 0, k < 4 ? 0 : 1, 4).request(k));
  const Site site = of(requests);
  check_same(summarise(site, 4).footprint, by_byte(site));
}

TEST_CASE("a launch that repeats itself late is extrapolated from whole periods", "[site]") {
  // Rows of 129 requests, of which the last has one lane, each row starting a word further into a sector.
  constexpr std::uint64_t row_requests = 129;
  constexpr std::uint64_t row_words = 128 * warp_lanes + 1;
  Site site;
  site.requests = 64 * row_requests;
  site.request = [](std::uint64_t k) {
    WarpRequest request;
    const bool last = k % row_requests == row_requests - 1;
    request.active = last ? 1 : all_lanes;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      request.address[lane] = (k / row_requests * row_words + k % row_requests * warp_lanes + lane) * 4;
    }
    return request;
  };
  const SiteSummary exact = summarise(site, everything);
  CHECK(summarise(site).cost.sectors_per_request != Approx(exact.cost.sectors_per_request).epsilon(1e-4));
  site.period_requests = 8 * row_requests;
  const SiteSummary by_period = summarise(site);
  CHECK(by_period.cost.sectors_per_request == Approx(exact.cost.sectors_per_request));
  CHECK(by_period.footprint.sectors == Approx(exact.footprint.sectors));
  CHECK(by_period.footprint.lines == Approx(exact.footprint.lines).epsilon(1e-3));  // lines repeat later than sectors
  site.period_requests = 1U << 20U;  // too long to evaluate: the usual run has to do
  CHECK(summarise(site).cost.sectors_per_request > 4);
}

TEST_CASE("of a launch whose kinds of requests are known costs are exact", "[site]") {
  Site site = affine(1'000'000, 0, 1, 4);
  const auto aligned = site.request;
  site.request = [aligned](std::uint64_t k) {
    WarpRequest request = aligned(k);
    if (k == 999'999) request.active = 1;  // which no run at the beginning shows
    return request;
  };
  CHECK(summarise(site).cost.sectors_per_request == 4);
  site.kinds = {{0, 999'999}, {999'999, 1}};
  CHECK(summarise(site).cost.sectors_per_request * 1'000'000 == Approx(3'999'997).epsilon(1e-12));
  CHECK(summarise(site).cost.efficiency == Approx((999'999.0 * 128 + 4) / (3'999'997.0 * 32)).epsilon(1e-12));
}

TEST_CASE("no footprint grows beyond the array", "[site]") {
  // The same 1024 sectors again and again, of which the first two runs find new ones all the time.
  Site site;
  site.requests = 1U << 20U;
  site.request = [](std::uint64_t k) {
    WarpRequest request;
    request.active = 1;
    request.address[0] = k % 1024 * sector_bytes;
    return request;
  };
  CHECK(summarise(site).footprint.sectors == Approx(1U << 20U));
  site.extent_bytes = 1024 * sector_bytes;
  const Footprint within = summarise(site).footprint;
  CHECK(within.sectors == 1024);
  CHECK(within.atoms == 512);
  CHECK(within.lines == 256);
  CHECK(within.line_pairs == 128);
}

}  // namespace gpumem::access::test_site
