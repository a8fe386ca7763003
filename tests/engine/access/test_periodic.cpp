#include <cstdint>
#include <functional>
#include <memory>
#include <random>
#include <span>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/access/periodic.hpp"
#include "engine/base/error.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_periodic {

namespace {

constexpr std::uint32_t all_lanes = 0xffff'ffff;

auto all_of(const Counts& c) { return std::tuple(c.requests, c.sectors, c.lines, c.wavefronts, c.addresses); }
auto all_of(const Footprint& f) {
  return std::tuple(f.sectors, f.partial_sectors, f.atoms, f.partial_atoms, f.lines, f.line_pairs, f.channels);
}
auto all_of(const SiteCost& c) {
  return std::tuple(c.sectors_per_request, c.lines_per_request, c.wavefronts_per_request, c.addresses_per_request,
                    c.efficiency);
}

/// A launch that says how many of its requests have been evaluated.
struct Launch {
  Requests requests;
  Period period;
  std::shared_ptr<std::uint64_t> evaluated = std::make_shared<std::uint64_t>(0);
};

/// `first` again and again, growth_bytes further on each time; then `end`.
Launch repeated(std::vector<WarpRequest> first, std::int64_t growth_bytes, std::uint64_t regular,
                std::vector<WarpRequest> end) {
  Launch launch;
  launch.period = {first.size(), growth_bytes, regular};
  launch.requests.name = "source";
  launch.requests.word_bytes = first.front().word_bytes;
  launch.requests.count = regular + end.size();
  launch.requests.fill = [=, evaluated = launch.evaluated](std::uint64_t k, std::span<WarpRequest> requests) {
    *evaluated += requests.size();
    for (WarpRequest& request : requests) {
      request = k < regular ? first[k % first.size()] : end[k - regular];
      const std::uint64_t grown = k < regular ? k / first.size() * static_cast<std::uint64_t>(growth_bytes) : 0;
      for (std::uint64_t& address : request.address) address += grown;
      ++k;
    }
  };
  return launch;
}

/// Checks that the launch is counted as if all of it were evaluated. Returns the number of requests evaluated.
std::uint64_t check_same(const Launch& launch, const CountingLimits& limits = {.threads = 1}) {
  const ExactSummary expected = summarise_exactly(launch.requests, {.threads = 1});
  *launch.evaluated = 0;
  const ExactSummary found = summarise_periodic(launch.requests, launch.period, limits);
  CHECK(all_of(found.counts) == all_of(expected.counts));
  CHECK(all_of(found.summary.cost) == all_of(expected.summary.cost));
  CHECK(all_of(found.summary.footprint) == all_of(expected.summary.footprint));
  return *launch.evaluated;
}

/// Warps of which lane l of request k accesses the word at first_byte + (32 k + l) x step_bytes.
std::vector<WarpRequest> affine(std::uint64_t requests, unsigned word_bytes, std::uint64_t first_byte,
                                std::uint64_t step_bytes) {
  std::vector<WarpRequest> warps(requests);
  for (std::uint64_t k = 0; k < requests; ++k) {
    warps[k].word_bytes = word_bytes;
    warps[k].active = all_lanes;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      warps[k].address[lane] = first_byte + (k * warp_lanes + lane) * step_bytes;
    }
  }
  return warps;
}

class Random {
 public:
  std::uint64_t up_to(std::uint64_t bound) { return std::uniform_int_distribution<std::uint64_t>(0, bound)(engine_); }
  template <class T>
  T one_of(std::initializer_list<T> values) {
    return values.begin()[up_to(values.size() - 1)];
  }

  /// Requests between `lowest` and `reach` beyond: warps of evenly spaced lanes, of scattered ones, cut off, inactive.
  std::vector<WarpRequest> requests(std::uint64_t count, unsigned word_bytes, std::uint64_t lowest, std::uint64_t reach,
                                    std::uint64_t alignment) {
    std::vector<WarpRequest> requests(count);
    for (WarpRequest& request : requests) {
      request.word_bytes = word_bytes;
      const std::uint64_t activity = up_to(5);
      request.active = activity == 0   ? 0
                       : activity == 1 ? static_cast<std::uint32_t>(engine_())
                       : activity == 2 ? all_lanes >> up_to(31)
                                       : all_lanes;
      const bool evenly = up_to(1) == 0;
      const std::uint64_t first = up_to(reach / 2 / alignment);
      const std::uint64_t step = up_to(reach / 64 / alignment);
      for (unsigned lane = 0; lane < warp_lanes; ++lane) {
        request.address[lane] = lowest + (evenly ? first + lane * step : up_to(reach / alignment)) * alignment;
      }
    }
    return requests;
  }

 private:
  std::mt19937_64 engine_{17};
};

}  // namespace

TEST_CASE("random launches that repeat themselves are counted as by evaluating them all", "[periodic]") {
  Random random;
  unsigned partly = 0;
  for (int i = 0; i < 3000; ++i) {
    const unsigned word_bytes = random.one_of({1U, 2U, 4U, 8U, 16U});
    const std::uint64_t alignment = random.one_of<std::uint64_t>({word_bytes, word_bytes, 1});
    const std::uint64_t reach = random.one_of<std::uint64_t>({64, 500, 3'000, 20'000});
    const std::uint64_t unit = random.one_of<std::uint64_t>({word_bytes, 32, 128, 512});
    const std::uint64_t grown = random.up_to(std::max<std::uint64_t>(1, 2 * reach / unit)) * unit;
    const bool upwards = random.up_to(2) > 0;
    const std::uint64_t requests = random.one_of<std::uint64_t>({1, 1, 2, 3, 7});
    const std::uint64_t regular = requests * random.up_to(2000) + random.up_to(requests);
    const std::uint64_t begin = upwards ? random.up_to(5) * alignment : 2'100 * grown + random.up_to(5) * alignment;
    // The end goes on in line, or reaches back, or lies anywhere.
    const std::uint64_t where = random.up_to(3);
    const std::uint64_t back = random.up_to(20) * reach;
    const std::uint64_t way = regular / requests * grown;
    const std::uint64_t last = upwards ? begin + way : begin - way;
    const std::uint64_t end = where < 2    ? last
                              : where == 2 ? upwards ? last - std::min(last, back) : last + back
                                           : random.up_to(begin + 2'100 * grown);
    const auto growth = static_cast<std::int64_t>(grown);
    Launch launch =
        repeated(random.requests(requests, word_bytes, begin, reach, alignment), upwards ? growth : -growth, regular,
                 random.requests(random.up_to(3), word_bytes, end / alignment * alignment, reach, alignment));
    launch.requests.space = random.one_of({Space::global, Space::shared, Space::constant, Space::local});
    launch.requests.op = random.one_of({Op::load, Op::store});
    launch.requests.extent_bytes = random.one_of<std::uint64_t>({0, begin + 2'100 * grown + 21 * reach + 16});
    INFO(i << ": " << word_bytes << "-byte words aligned to " << alignment << ", reach " << reach << ", period "
           << requests << ", growth " << launch.period.growth_bytes << ", " << regular << " of "
           << launch.requests.count << ", end at " << end);
    if (check_same(launch) < launch.requests.count) ++partly;
  }
  CHECK(partly > 1000);
}

TEST_CASE("affine launches are counted exactly from a few of their requests", "[periodic]") {
  for (const unsigned word_bytes : {1U, 2U, 4U, 8U, 16U}) {
    for (const std::uint64_t stride : {1U, 2U, 3U, 5U, 8U, 31U, 32U, 33U, 1024U}) {
      for (const std::uint64_t offset : {0U, 1U, 7U, 32U, 100U}) {
        const std::uint64_t step = stride * word_bytes;
        std::vector<WarpRequest> end = affine(1, word_bytes, offset * word_bytes + 5000 * warp_lanes * step, step);
        end[0].active = 0x7ff;
        Launch launch = repeated(affine(1, word_bytes, offset * word_bytes, step),
                                 static_cast<std::int64_t>(warp_lanes * step), 5000, end);
        launch.requests.extent_bytes = (offset + 5000 * warp_lanes * stride + 11 * stride) * word_bytes;
        INFO(word_bytes << "-byte words, stride " << stride << ", offset " << offset);
        CHECK(check_same(launch) < 150);
      }
    }
  }
}

TEST_CASE("a launch that stays where it is takes one period and its end", "[periodic]") {
  const std::vector<WarpRequest> first = affine(5, 4, 12, 20);
  CHECK(check_same(repeated(first, 0, 4003, affine(2, 4, 1'000'000, 4))) < 40);
}

TEST_CASE("blocks left partial until the next period completes them are counted exactly", "[periodic]") {
  // The first half of 32 sectors, and the second of those that come 40 periods later.
  constexpr std::uint64_t period_bytes = std::uint64_t{warp_lanes} * sector_bytes;
  for (const std::int64_t growth : {1, -1}) {
    const std::uint64_t begin = growth > 0 ? 0 : 3000 * period_bytes;
    std::vector<WarpRequest> halves = affine(1, 16, begin, sector_bytes);
    halves.push_back(affine(1, 16, begin + 40 * period_bytes + 16, sector_bytes).front());
    const Launch launch = repeated(halves, growth * std::int64_t{period_bytes}, 2 * 3000, {});
    CHECK(check_same(launch) < 700);
    const Footprint found = summarise_periodic(launch.requests, launch.period).summary.footprint;
    CHECK(found.partial_sectors == 2 * 40 * warp_lanes);
    CHECK(found.sectors == 3040 * warp_lanes);
  }
}

TEST_CASE("an end that reaches back into the launch is counted with what it overlaps", "[periodic]") {
  const auto end_at = [](std::uint64_t byte) {
    return repeated(affine(1, 4, 0, 8), 256, 10'000, affine(1, 4, byte, 4));
  };
  CHECK(check_same(end_at(10'000 * 256 + 4)) < 50);
  CHECK(check_same(end_at(9'000 * 256 + 4)) < 3000);
  CHECK(check_same(end_at(9'999 * 256 + 4)) < 50);
  CHECK(check_same(end_at(1'000 * 256 + 4)) >= 10'000);  // where all of it has to be evaluated
  CHECK(check_same(end_at(std::uint64_t{1} << 40U)) < 50);
}

TEST_CASE("launches whose accesses go along runs side by side are counted exactly by the runs", "[periodic]") {
  Random random;
  std::uint64_t saved = 0;
  for (int time = 0; time < 200; ++time) {
    const unsigned word_bytes = random.one_of({4U, 8U, 16U});
    const std::uint64_t growth = word_bytes * random.one_of({1ULL, 2ULL, 4ULL, 8ULL});
    const std::uint64_t period = 1 + random.up_to(5);
    const std::uint64_t periods = 300 + random.up_to(700);
    const std::uint64_t reach = random.one_of({1ULL << 14U, 1ULL << 17U});
    const auto first = random.requests(period, word_bytes, 0, reach, word_bytes);
    const auto end = random.requests(random.up_to(3), word_bytes, 0, 2 * reach, word_bytes);
    Launch launch = repeated(first, static_cast<std::int64_t>(growth), period * periods, end);
    launch.requests.extent_bytes = 2 * reach + growth * periods + 4096 + random.up_to(100);
    saved += check_same(launch) < launch.requests.count ? 1 : 0;
  }
  CHECK(saved > 100);
}

TEST_CASE("launches that overlap too much, or hardly repeat themselves, are evaluated", "[periodic]") {
  CHECK(check_same(repeated(affine(1, 4, 0, 4096), 4, 3000, {})) >= 3000);               // down 32 columns at once
  CHECK(check_same(repeated(affine(100, 4, 0, 4), 12'800, 250, {})) >= 250);             // twice and a half
  CHECK(check_same(repeated(affine(1, 4, 0, 4), 128, 10, affine(90, 4, 9, 4))) >= 100);  // mostly its end
  Launch nothing = repeated(affine(1, 4, 0, 4), 128, 0, affine(3, 4, 9, 4));
  check_same(nothing);
  nothing.period.requests = 0;
  check_same(nothing);
  nothing.requests.count = 0;
  check_same(nothing);
  Launch further = repeated(affine(1, 4, 0, 4), 128, 5000, {});
  further.period.regular = ~std::uint64_t{0};
  CHECK(check_same(further) < 50);
}

TEST_CASE("launches without active lanes, or with them at the end alone, cost what that costs", "[periodic]") {
  const std::vector<WarpRequest> none(3);
  CHECK(check_same(repeated(none, 100, 9000, {})) < 9000);
  CHECK(check_same(repeated(none, -64, 9000, affine(2, 4, 400, 4))) < 9000);
  CHECK(check_same(repeated(none, std::int64_t{1} << 62U, 9000, affine(2, 4, 400, 4))) < 9000);
}

TEST_CASE("a launch too large to evaluate has the counts that arithmetic gives it", "[periodic]") {
  constexpr std::uint64_t requests = std::uint64_t{1} << 33U;  // 1 TiB of 4-byte words
  const Launch launch = repeated(affine(1, 4, 4, 4), 128, requests, {});
  const ExactSummary found = summarise_periodic(launch.requests, launch.period);
  CHECK(found.counts.requests == requests);
  CHECK(found.counts.sectors == 5 * requests);
  CHECK(found.summary.cost.sectors_per_request == 5);
  CHECK(found.summary.footprint.sectors == 4.0 * requests + 1);
  CHECK(found.summary.footprint.partial_sectors == 2);
  CHECK(found.summary.footprint.partial_atoms == 1);
  CHECK(found.summary.footprint.channels == atom_channels);
}

TEST_CASE("errors are those of evaluating it all", "[periodic]") {
  const auto error_of = [](const std::function<ExactSummary()>& count) -> std::string {
    try {
      static_cast<void>(count());
    } catch (const gpumem::Error& error) {
      return error.what();
    }
    return "";
  };
  const auto check = [&](const Launch& launch, const std::string& expected) {
    const std::string found = error_of([&] { return summarise_periodic(launch.requests, launch.period); });
    CHECK(found == error_of([&] { return summarise_exactly(launch.requests); }));
    CHECK(found.find(expected) != std::string::npos);
  };
  Launch launch = repeated(affine(1, 4, 0, 4), 128, 5000, {});
  launch.requests.extent_bytes = 128 * 4000;
  check(launch, "request 4000, lane 0: the 4-byte word at byte 512000 lies beyond the end");
  launch.requests.extent_bytes = 128;
  check(launch, "request 1, lane 0");
  for (const std::uint64_t byte : {~std::uint64_t{0} - 4096, ~std::uint64_t{0} - 2}) {  // beyond all memory
    check(repeated(affine(1, 4, 0, 4), 128, 5000, affine(1, 4, byte, 0)), "request 5000, lane 0");
  }
  Launch downwards = repeated(affine(1, 4, 128 * 5000, 4), -128, 5000, {});
  downwards.requests.extent_bytes = 128 * 5000;
  check(downwards, "request 0, lane 0");
  downwards.requests.extent_bytes = 128;
  check(downwards, "request 0, lane 0");
  launch.requests.word_bytes = 3;
  check(launch, "1, 2, 4, 8, 16 or 32");
  launch.requests.word_bytes = 8;
  check(launch, "request 0: words of 4 bytes");
  launch.requests.space = Space::texture;
  launch.requests.fill = {};  // which no rule asks for
  check(launch, "");
}

TEST_CASE("a site that knows how it grows is counted exactly, and others are extrapolated as ever", "[periodic]") {
  const auto grows = [](std::uint64_t k) {
    WarpRequest request;
    request.active = k == 9999 ? 1 : k % 300 == 299 ? 0 : all_lanes;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) request.address[lane] = (k * warp_lanes + lane) * 4;
    return request;
  };
  Site site{.name = "source", .requests = 3 * 10'000, .passes = 3, .request = grows};
  site.request = [=](std::uint64_t k) { return grows(k % 10'000); };
  const SiteSummary expected = summarise_exactly(site).summary;
  site.period_requests = 300;
  CHECK(all_of(summarise(site).footprint) != all_of(expected.footprint));
  site.growth_bytes = std::int64_t{300} * 128;
  site.regular_requests = 9999;
  const SiteSummary found = summarise(site);
  CHECK(all_of(found.cost) == all_of(expected.cost));
  CHECK(all_of(found.footprint) == all_of(expected.footprint));
}

}  // namespace gpumem::access::test_periodic
