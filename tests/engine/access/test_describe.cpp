#include <cstdint>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "engine/access/describe.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_describe {

namespace {

using Element = std::function<std::uint64_t(std::uint64_t i)>;
using Active = std::function<bool(std::uint64_t i)>;

constexpr std::uint64_t many = std::uint64_t{1} << 24U;

struct Launch {
  std::uint64_t accesses = many;
  unsigned word_bytes = 4;
  std::uint64_t extent_bytes = 0;
  Space space = Space::global;
  Active active = nullptr;
};

Requests requests_of(const Element& element, const Launch& launch) {
  return {.name = "source",
          .space = launch.space,
          .word_bytes = launch.word_bytes,
          .count = (launch.accesses + warp_lanes - 1) / warp_lanes,
          .extent_bytes = launch.extent_bytes,
          .fill = [=](std::uint64_t first, std::span<WarpRequest> requests) {
            for (WarpRequest& request : requests) {
              const std::uint64_t begin = warp_lanes * first++;
              for (unsigned lane = 0; lane < warp_lanes; ++lane) {
                const std::uint64_t i = begin + lane;
                request.address[lane] = ~std::uint64_t{0};
                if (i >= launch.accesses || (launch.active && !launch.active(i))) continue;
                request.address[lane] = element(i) * launch.word_bytes;
                request.active |= 1U << lane;
              }
            }
          }};
}

PatternWords words_for(const Element& element, const Launch& launch = {}) {
  return describe(requests_of(element, launch));
}

std::string brief(const Element& element, const Launch& launch = {}) {
  const PatternWords words = words_for(element, launch);
  CHECK(words.brief.size() <= brief_columns);
  return words.brief;
}

std::uint64_t hash(std::uint64_t x) {  // splitmix64
  x += 0x9e37'79b9'7f4a'7c15;
  x = (x ^ (x >> 30U)) * 0xbf58'476d'1ce4'e5b9;
  x = (x ^ (x >> 27U)) * 0x94d0'49bb'1331'11eb;
  return x ^ (x >> 31U);
}

std::uint64_t reversed(std::uint64_t x, unsigned bits) {
  std::uint64_t result = 0;
  for (unsigned bit = 0; bit < bits; ++bit) result |= (x >> bit & 1U) << (bits - 1 - bit);
  return result;
}

std::uint64_t itself(std::uint64_t i) { return i; }

std::uint64_t transposed(std::uint64_t i) { return i % 4096 * 4096 + i / 4096; }

/// Returns the index of a neighbour of a point, in a matrix with rows of 4096 elements.
std::uint64_t five_points(std::uint64_t point, std::uint64_t neighbour) {
  constexpr std::uint64_t offsets[] = {0, 4095, 4096, 4097, 8192};
  return point + offsets[neighbour];
}

}  // namespace

TEST_CASE("lanes next to each other are told, and what they are shifted off", "[describe]") {
  for (const unsigned word_bytes : {1U, 2U, 4U, 8U, 16U}) {
    INFO(word_bytes << "-byte words");
    CHECK(brief(itself, {.word_bytes = word_bytes}) == "lanes next to each other");
  }
  CHECK(words_for(itself).full == "Lanes next to each other; the next request goes on where this one ended.");
  const auto shifted = [](std::uint64_t by) { return [=](std::uint64_t i) { return i + by; }; };
  CHECK(brief(shifted(1)) == "lanes next to each other, shifted off the sectors by 4 bytes");
  CHECK(brief(shifted(1), {.word_bytes = 1}) == "lanes next to each other, shifted off the sectors by 1 byte");
  CHECK(brief(shifted(8)) == "lanes next to each other, shifted off the lines by 32 bytes");
  CHECK(brief(shifted(32)) == "lanes next to each other");
  CHECK(brief([](std::uint64_t i) { return hash(i / 32) % (1U << 25U) + i % 32; }) ==
        "lanes next to each other, shifted off the sectors by varying amounts");
  CHECK(words_for([](std::uint64_t i) { return i / 32 * 16 + i % 32; }).step ==
        "the next request 16 elements further on, overlapping");
  CHECK(brief([](std::uint64_t i) { return many - 1 - i; }) == "lanes next to each other, descending");
  CHECK(brief([](std::uint64_t i) { return hash(i / 32) % (1U << 20U) * 32 + i % 32; }) ==
        "lanes next to each other; requests all over 128 MiB");
}

TEST_CASE("another order within the same sectors is told from another order of lanes apart", "[describe]") {
  CHECK(brief([](std::uint64_t i) { return i ^ 5U; }) == "lanes in another order within the same sectors");
  CHECK(brief([](std::uint64_t i) { return i / 32 * 32 + reversed(i % 32, 5); }) ==
        "lanes in another order within the same sectors");
  CHECK(brief([](std::uint64_t i) { return i / 32 * 256 + (i * 7 + 3) % 32 * 8; }) ==
        "lanes 8 elements apart, in another order");
  const PatternWords words = words_for([](std::uint64_t i) { return reversed(i, 24); });
  CHECK(words.lanes == "lanes 524288 elements (2 MiB) apart, in another order");
  CHECK(words.sharing == "the same sectors come again 65536 requests later");
}

TEST_CASE("lanes at one element are told, all of them or in groups", "[describe]") {
  CHECK(brief([](std::uint64_t) { return 0; }) == "all lanes at one element; the next request at the same place");
  CHECK(brief([](std::uint64_t i) { return i / 32; }) ==
        "all lanes at one element; the next request 1 element further on");
  CHECK(brief([](std::uint64_t i) { return i / 4; }) == "groups of 4 lanes at one element, next to each other");
  CHECK(brief([](std::uint64_t i) { return i / 5; }) == "groups of 5 lanes at one element, next to each other");
  CHECK(brief([](std::uint64_t i) { return i / 4 * 8; }) == "groups of 4 lanes at one element, 8 elements apart");
  CHECK(words_for([](std::uint64_t i) { return i / 48; }).full ==
        "In 67 % of requests all lanes at one element; in 33 % groups of 16 lanes at one element, next to each other. "
        "Each element 48 times or more in the mean.");
}

TEST_CASE("a constant step is told, with its size where it is long, and which way it goes", "[describe]") {
  CHECK(brief([](std::uint64_t i) { return 8 * i; }) == "lanes 8 elements apart");
  CHECK(brief([](std::uint64_t i) { return 4096 * i; }) == "lanes 4096 elements (16 KiB) apart");
  CHECK(brief([](std::uint64_t i) { return 5 * (many - i); }) == "lanes 5 elements apart, descending");
  CHECK(brief([](std::uint64_t i) { return i % 32 * (many / 32) + i / 32; }) ==
        "lanes 524288 elements (2 MiB) apart; the next request 1 element further on");
  CHECK(words_for([](std::uint64_t i) { return i * 7919 % 1'000'000; }, {.accesses = 1'000'000}).lanes ==
        "lanes 7919 elements (30.9 KiB) apart, but for a jump in 25 % of requests");
  CHECK(brief([](std::uint64_t i) { return i * 7919 % 4096; }) ==
        "3 to 4 runs of 15 lanes 273 elements (1.1 KiB) apart, descending");
  Requests odd = requests_of(itself, {});  // structures of 6 bytes, packed
  odd.fill = [](std::uint64_t first, std::span<WarpRequest> requests) {
    for (WarpRequest& request : requests) {
      request.active = ~0U;
      for (unsigned lane = 0; lane < warp_lanes; ++lane) request.address[lane] = 6 * (32 * first + lane);
      ++first;
    }
  };
  CHECK(describe(odd).brief == "lanes 6 bytes apart");
}

TEST_CASE("what comes so late that caches have lost its sectors is told, however late", "[describe]") {
  for (const unsigned word_bytes : {4U, 8U, 16U}) {
    const PatternWords words = words_for(transposed, {.word_bytes = word_bytes});
    CHECK(words.sharing == "the same sectors come again 128 requests later");
    CHECK(words.brief.find(words.sharing) != std::string::npos);
  }
  CHECK(brief(transposed) == "lanes 4096 elements (16 KiB) apart; the same sectors come again 128 requests later");
  CHECK(words_for([](std::uint64_t i) { return i % 1000 * 1000 + i / 1000; }, {.accesses = 1'000'000}).sharing ==
        "the same sectors come again about 31 requests later");
  const Launch large{.accesses = std::uint64_t{1} << 26U};
  CHECK(brief([](std::uint64_t i) { return i % (1U << 20U) * 64 + (i >> 20U); }, large) ==
        "lanes 64 elements apart; the same sectors come again 32768 requests later");
  CHECK(
      words_for([](std::uint64_t i) { return i % 3'000'000 * 16 + i / 3'000'000; }, {.accesses = 48'000'000}).sharing ==
      "the same sectors come again 93750 requests later");
  CHECK(brief([](std::uint64_t i) { return i < many / 2 ? 2 * i : 2 * i + 1 - many; }) ==
        "lanes 2 elements apart; the same sectors come again 262144 requests later");
  CHECK(brief([](std::uint64_t i) { return i % 4096; }) ==
        "lanes next to each other; the same elements come again 128 requests later");
  CHECK(words_for(transposed, {.space = Space::shared}).sharing.empty());            // where there are no sectors
  CHECK(words_for([](std::uint64_t i) { return hash(i) % 1024; }).sharing.empty());  // by chance
  CHECK(words_for([](std::uint64_t i) { return i % 32 * 100 + hash(i) % 100; }).sharing.empty());
}

TEST_CASE("runs are told, with their distance where it is one", "[describe]") {
  CHECK(brief([](std::uint64_t i) { return i / 8 * 32 + i % 8; }) ==
        "4 runs of 8 lanes, 32 elements apart; the next request 128 elements further on");
  CHECK(brief([](std::uint64_t i) { return i % 8 + i / 8 % 4 * 1024 + i / 32 * 8; }) ==
        "4 runs of 8 lanes, 1024 elements (4 KiB) apart; the next request 8 elements further on");
  CHECK(brief([](std::uint64_t i) { return i % 16 * 8 + i / 16 * 4096; }) ==
        "2 runs of 16 lanes 8 elements apart, the runs 4096 elements (16 KiB) apart");
  CHECK(words_for([](std::uint64_t i) { return i % 4; }).lanes == "8 runs of 4 lanes, all at the same 4 elements");
  CHECK(brief([](std::uint64_t i) { return hash(i / 16) % (1U << 20U) * 16 + i % 16; }) ==
        "2 runs of 16 lanes next to each other, all over 64 MiB");
  CHECK(words_for([](std::uint64_t i) { return i / 256 * 1024 + i % 256; }).full ==
        "Lanes next to each other; the next request goes on where this one ended, but for a jump about every 8 "
        "requests.");
  std::vector<std::uint64_t> element;
  std::mt19937 engine(1);
  for (std::uint64_t next = 0; element.size() < 100'000;) {  // the columns of a sparse matrix with blocks
    next += 1 + engine() % 40;
    for (std::uint64_t left = 1 + engine() % 12; left > 0; --left) element.push_back(next++);
  }
  CHECK(brief([&](std::uint64_t i) { return element[i]; }, {.accesses = 100'000}) ==
        "runs of 1 to 12 lanes next to each other, 5.6 in the mean");
}

TEST_CASE("stencils are told by their points, in each lane or in each request", "[describe]") {
  const PatternWords by_lane = words_for([](std::uint64_t i) { return five_points(i / 5, i % 5); });
  CHECK(by_lane.brief == "the lanes hit 5 addresses in turn, then those 1 element further on");
  CHECK(by_lane.reuse == "each element 5 times or more in the mean");
  CHECK(words_for([](std::uint64_t i) { return five_points(i / 160 * 32 + i % 32, i / 32 % 5); }).step ==
        "requests hit 5 places in turn, then those 32 elements further on");
  CHECK(words_for([](std::uint64_t i) { return i / 4 + i % 4 * 4; }).lanes ==
        "8 runs of 4 lanes 4 elements apart, the runs 1 element apart");
  CHECK(brief([](std::uint64_t i) { return i / 32 * 64 + hash(i % 32) % 500; }) ==
        "lanes scattered within 1.9 KiB, alike in every request");
}

TEST_CASE("ascending lanes are told with their gaps", "[describe]") {
  std::vector<std::uint64_t> element;
  std::mt19937 engine(1);
  for (std::uint64_t next = 0; element.size() < 100'000; next += 1 + engine() % 20) element.push_back(next);
  const Launch launch{.accesses = 100'000};
  CHECK(words_for([&](std::uint64_t i) { return element[i]; }, launch).full ==
        "Lanes ascending, 1 to 20 elements apart, 10.5 in the mean; the next request goes on where this one ended.");
  CHECK(words_for([&](std::uint64_t i) { return element[99'999 - i]; }, launch).lanes ==
        "lanes descending, 1 to 20 elements apart, 10.5 in the mean");
  CHECK(words_for([](std::uint64_t i) { return i * i; }, {.accesses = 1U << 16U}).step ==
        "the next request further on, by 2096128 elements (8 MiB) in the mean");
}

TEST_CASE("random lanes are told with the window that they stay in", "[describe]") {
  const auto within = [](std::uint64_t elements) { return [=](std::uint64_t i) { return hash(i) % elements; }; };
  CHECK(words_for(within(1U << 20U)).lanes == "lanes at random within 4 MiB");
  CHECK(words_for(within(1U << 20U), {.extent_bytes = 4U << 20U}).lanes == "lanes at random over all 4 MiB");
  CHECK(words_for(within(1U << 20U), {.extent_bytes = 16U << 20U}).lanes == "lanes at random within 4 MiB");
  CHECK(brief(within(1U << 28U), {.extent_bytes = 1U << 30U}) == "lanes at random over all 1 GiB");
  CHECK(words_for(within(1U << 20U)).reuse == "each element 16 times or more in the mean");
  CHECK(brief([](std::uint64_t i) { return i + hash(i) % 16384; }) == "lanes at random within 64 KiB that move along");
  CHECK(brief([](std::uint64_t i) { return hash(i / 32) % 16384 * 1024 + hash(i) % 1024; }) ==
        "lanes at random within 4 KiB; requests all over 64 MiB");
}

TEST_CASE("which lanes take part is told", "[describe]") {
  const auto mask = [](Active active) { return Launch{.active = std::move(active)}; };
  CHECK(brief(itself, mask([](std::uint64_t i) { return i % 32 < 16; })) ==
        "lanes next to each other; 16 of 32 lanes active; the next request 32 elements further on");
  CHECK(brief(itself, mask([](std::uint64_t i) { return i % 2 == 0; })) ==
        "lanes 2 elements apart; every second lane active");
  CHECK(brief([](std::uint64_t i) { return i / 4; }, mask([](std::uint64_t i) { return i % 4 == 0; })) ==
        "lanes next to each other; every 4th lane active");
  CHECK(brief(itself, mask([](std::uint64_t i) { return hash(i) % 4 == 0; })) ==
        "lanes next to each other; 2 to 16 of 32 lanes active, 8.1 in the mean");
  CHECK(words_for(itself, mask([](std::uint64_t i) { return hash(i) % 20 == 0; })).lanes == "lanes next to each other");
  CHECK(words_for([](std::uint64_t i) { return hash(i) % 4096; }, mask([](std::uint64_t i) { return i % 3 == 0; }))
            .lanes == "lanes at random within 16 KiB");
  CHECK(brief(itself, mask([](std::uint64_t i) { return i / 32 % 2 == 0; })) ==
        "lanes next to each other; no lane active in 50 % of requests");
  CHECK(brief(itself, mask([](std::uint64_t i) { return i % 32 == 0; })) ==
        "one lane active; the next request 32 elements further on");
  std::vector<std::uint64_t> row(30'001);  // of a sparse matrix, each a warp's
  for (std::size_t i = 1; i < row.size(); ++i) row[i] = row[i - 1] + 3 + hash(i) % 29;
  const PatternWords rows = words_for(
      [&](std::uint64_t i) { return row[i / 32] + i % 32; },
      {.accesses = 30'000 * 32, .active = [&](std::uint64_t i) { return i % 32 < row[i / 32 + 1] - row[i / 32]; }});
  CHECK(rows.lanes == "lanes next to each other, shifted off the sectors by varying amounts");
  CHECK(rows.active == "3 to 31 of 32 lanes active, 17 in the mean");
  CHECK(rows.step == "the next request goes on where this one ended");
}

TEST_CASE("requests of several kinds are told with their shares", "[describe]") {
  const PatternShape shape =
      pattern_shape(requests_of([](std::uint64_t i) { return i / 32 % 10 < 7 ? i : hash(i) % many; }, {}));
  REQUIRE(shape.lanes.size() == 2);
  CHECK(shape.lanes[0].kind == LaneKind::linear);
  CHECK(shape.lanes[0].share == Approx(0.7).margin(0.01));
  CHECK(shape.lanes[1].kind == LaneKind::scattered);
  CHECK(words_of(shape).brief == "in 70 % of requests lanes next to each other; in 30 % lanes at random within 64 MiB");
}

TEST_CASE("launches of little or nothing are told", "[describe]") {
  CHECK(brief(itself, {.accesses = 0}) == "no requests");
  CHECK(brief(itself, {.active = [](std::uint64_t) { return false; }}) == "no lane active");
  CHECK(brief(itself, {.accesses = 1}) == "one lane active");
  CHECK(brief(itself, {.accesses = 20}) == "lanes next to each other; 20 of 32 lanes active");
  CHECK(brief([](std::uint64_t i) { return 3 * i; }, {.accesses = 32}) == "lanes 3 elements apart");
  CHECK(brief([](std::uint64_t i) { return hash(i) % 1000; }, {.accesses = 32}) == "lanes at random within 3.9 KiB");
  CHECK(words_for(itself, {.accesses = 1000}).full ==  // the last request is shorter
        "Lanes next to each other; the next request goes on where this one ended.");
  CHECK(words_for([](std::uint64_t i) { return i % 100; }, {.accesses = 320}).reuse ==
        "each element 3.2 times in the mean");
}

TEST_CASE("a shape has the numbers that its words are made of", "[describe]") {
  const PatternShape shape = pattern_shape(requests_of(transposed, {.word_bytes = 8}));
  CHECK(shape.requests == many / 32);
  REQUIRE(shape.lanes.size() == 1);
  CHECK(shape.lanes[0].step_bytes.constant());
  CHECK(shape.lanes[0].step_bytes.low == 4096 * 8);
  CHECK(shape.step.kind == StepKind::continues);
  CHECK(shape.sharing.requests_later == 128);
  CHECK(shape.sharing.exactly);
  CHECK(shape.sharing.sector_share == Approx(0.75).margin(0.2));
  CHECK(shape.active_lanes.mean == 32);
  CHECK(shape.mask == 0xffff'ffffU);
}

TEST_CASE("a large launch is sampled, the same way every time", "[describe]") {
  std::uint64_t evaluated = 0;
  Requests launch = requests_of([](std::uint64_t i) { return hash(i) % 65536; }, {.accesses = std::uint64_t{1} << 40U});
  launch.fill = [&, fill = launch.fill](std::uint64_t first, std::span<WarpRequest> requests) {
    CHECK(first + requests.size() <= launch.count);
    evaluated += requests.size();
    fill(first, requests);
  };
  const std::string full = describe(launch).full;
  CHECK(evaluated <= 20'000);
  CHECK(describe(launch).full == full);
}

TEST_CASE("whatever addresses a launch has, something is said of it", "[describe]") {
  std::mt19937_64 engine(13);
  for (unsigned round = 0; round < 300; ++round) {
    const std::uint64_t count = 1 + engine() % 40;
    const std::uint64_t reach = ~std::uint64_t{0} >> (engine() % 64);
    std::vector<WarpRequest> requests(count);
    for (WarpRequest& request : requests) {
      request.active = static_cast<std::uint32_t>(engine() & engine());
      for (std::uint64_t& address : request.address) address = engine() & reach;
    }
    const Requests launch{.name = "source",
                          .word_bytes = 1U << engine() % 5,
                          .count = count,
                          .fill = [&](std::uint64_t first, std::span<WarpRequest> some) {
                            for (WarpRequest& request : some) {
                              const unsigned word_bytes = request.word_bytes;
                              request = requests[first++];
                              request.word_bytes = word_bytes;
                            }
                          }};
    CHECK_FALSE(describe(launch).brief.empty());
  }
}

}  // namespace gpumem::access::test_describe
