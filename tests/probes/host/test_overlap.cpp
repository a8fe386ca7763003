// The overlap probe's descriptions of its cases, and its conclusions from times that were measured elsewhere.

#include <algorithm>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_overlap {

using gpumem::test::advice;
using gpumem::test::conclusion;
using Work = Operation::Work;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

const Probe& overlap() {
  const Probe* probe = find_probe("overlap");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case overlap_case(const std::string& how, std::uint64_t streams, std::uint64_t bytes = 256 * mib) {
  return {&overlap(),
          {{"streams", streams},
           {"overlap", how},
           {"kernel_percent", std::uint64_t{125}},
           {"chunks", std::uint64_t{64}},
           {"size_bytes", bytes}}};
}

Outcome predicted(const std::string& how, std::uint64_t streams, double milliseconds) {
  const double seconds = milliseconds * 1e-3;
  return {.tested = overlap_case(how, streams),
          .headline = static_cast<double>(2 * 256 * mib) / seconds * per_giga,
          .seconds = seconds};
}

/// With what measuring adds; the parts alone take this many milliseconds.
struct Parts {
  double copy_in = 4.84;
  double kernel = 6.05;
  double copy_out = 4.84;
  double host_work = 0;
};

Outcome measured(const std::string& how, std::uint64_t streams, double milliseconds, const Parts& parts = {}) {
  Outcome outcome = predicted(how, streams, milliseconds);
  const double sum = parts.copy_in + parts.kernel + parts.copy_out + parts.host_work;
  const double longest = std::max({parts.copy_in, parts.kernel, parts.copy_out, parts.host_work});
  outcome.metrics = {
      {"speedup", sum / milliseconds}, {"bound_speedup", sum / longest}, {"share_of_bound", longest / milliseconds},
      {"copy_in_ms", parts.copy_in},   {"kernel_ms", parts.kernel},      {"copy_out_ms", parts.copy_out}};
  if (parts.host_work > 0) outcome.metrics.emplace_back("host_work_ms", parts.host_work);
  return outcome;
}

std::uint64_t bytes_of(const Workload& workload, Work work) {
  std::uint64_t bytes = 0;
  for (const Operation& operation : workload.operations) bytes += operation.work == work ? operation.bytes : 0;
  return bytes;
}

}  // namespace

TEST_CASE("overlap copies whole buffers in one stream, and chunks round robin in several") {
  const Workload single = overlap().describe(overlap_case("staged", 1), Device{});
  CHECK(single.useful_bytes_written == 256 * mib);
  CHECK(single.useful_bytes_read == 256 * mib);
  CHECK(single.allocated_bytes == 256 * mib);
  CHECK(single.host_bytes == 512 * mib);
  REQUIRE(single.operations.size() == 3);
  CHECK(single.operations[0].work == Work::copy_to_device);
  CHECK(single.operations[1].work == Work::busy_kernel);
  CHECK(single.operations[1].bytes == 320 * mib);
  CHECK(single.operations[2].work == Work::copy_to_host);

  const Workload several = overlap().describe(overlap_case("staged", 4), Device{});
  REQUIRE(several.operations.size() == 3 * 64);
  for (std::size_t i = 0; i < several.operations.size(); ++i) {
    CHECK(several.operations[i].stream == i / 3 % 4);  // depth first
    CHECK(several.operations[i].stage == single.operations[i % 3].stage);
    CHECK_FALSE(several.operations[i].pageable);
  }
  for (const Work work : {Work::copy_to_device, Work::busy_kernel, Work::copy_to_host}) {
    CHECK(bytes_of(several, work) == bytes_of(single, work));
  }
}

TEST_CASE("overlap marks copies of pageable memory, and the host's work") {
  for (const Operation& operation : overlap().describe(overlap_case("pageable", 2), Device{}).operations) {
    CHECK(operation.pageable == (operation.work != Work::busy_kernel));
  }
  const Workload beside = overlap().describe(overlap_case("host-work", 4), Device{});
  CHECK(beside.operations.back().work == Work::busy_host);
  CHECK(beside.operations.back().bytes == 320 * mib);
  CHECK(beside.operations.back().stream == 4);  // none of the device's
  const Workload after = overlap().describe(overlap_case("host-work", 1), Device{});
  CHECK(after.operations.back().stream == after.operations.front().stream);
}

TEST_CASE("overlap refuses chunks that are no whole words") {
  CHECK_NOTHROW(overlap().validate(overlap_case("staged", 3)));
  CHECK_THROWS_WITH(overlap().validate(overlap_case("staged", 4, 1000)),
                    "--chunks 64 does not divide --size 1000 into pieces of whole 4-byte words; use --size 768");
}

TEST_CASE("overlap names the fewest streams that do, and what pageable memory loses") {
  const Parts pageable{.copy_in = 28.5, .kernel = 6.05, .copy_out = 15};
  const Parts with_host{.host_work = 6.05};
  const std::vector<Outcome> all = {measured("staged", 16, 6.10),
                                    measured("staged", 1, 15.75),
                                    measured("staged", 2, 8.9),
                                    measured("staged", 4, 6.18),
                                    measured("staged", 8, 6.15),
                                    measured("pageable", 1, 49.5, pageable),
                                    measured("pageable", 4, 48.2, pageable),
                                    measured("host-work", 1, 21.8, with_host),
                                    measured("host-work", 4, 6.3, with_host)};
  CHECK(advice(all) ==
        "Use 4 streams for copies and the kernel: 2.55 x as fast as one after another, 98 % of what the longest part "
        "allows. More streams gain nothing. Pageable memory takes 7.80 x as long as pinned memory. Use 4 streams for "
        "copies, the kernel and the host's own work: 3.46 x as fast as one after another, 96 % of what the longest "
        "part allows. Streams gain nothing for copies of pageable memory and the kernel: 4 are 1.03 x as fast as one.");
  const std::vector<Fact> facts = conclusion(all).facts;
  REQUIRE(facts.size() == 4);
  CHECK(facts[0].kind == FactKind::saturates_at);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{3, 1, 0});
  CHECK(facts[0].values[1].name == "streams");
  CHECK(std::get<double>(facts[0].values[1].items[0]) == 4);
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{6, 3});
  CHECK(facts[2].kind == FactKind::fastest);
  CHECK(facts[3].kind == FactKind::as_fast_as);
}

TEST_CASE("overlap says when both copies at once are what limits it") {
  const Parts balanced{.kernel = 4.84};
  const std::vector<Outcome> all = {measured("staged", 1, 14.6, balanced), measured("staged", 4, 5.7, balanced)};
  CHECK(advice(all).find("85 % of what the longest part allows. Copies in both directions at once slow each other "
                         "down: alone they take 4.84 ms and 4.84 ms.") != std::string::npos);
  CHECK(conclusion(all).facts.back().kind == FactKind::limit);
  // Not where the kernel is what everything waits for.
  CHECK(advice({measured("staged", 4, 8.0)}).find("directions") == std::string::npos);
}

TEST_CASE("overlap advises from predictions too, which have no parts") {
  CHECK(advice({predicted("staged", 1, 15.7), predicted("staged", 2, 8), predicted("staged", 4, 8)}) ==
        "Use 2 streams for copies and the kernel: 1.96 x as fast as one after another. More streams gain nothing.");
}

TEST_CASE("overlap does not advise from differences within the intervals") {
  std::vector<Outcome> all = {predicted("staged", 1, 6.3), predicted("staged", 2, 6), predicted("staged", 4, 5.7),
                              predicted("pageable", 4, 6)};
  CHECK(conclusion(all).facts.front().kind == FactKind::fastest);
  for (Outcome& outcome : all) outcome.interval = {outcome.headline * 0.9, outcome.headline * 1.1};
  CHECK(advice(all) ==
        "Streams gain nothing for copies and the kernel: 2 are 1.05 x as fast as one. Pageable memory takes no longer "
        "than pinned memory. In 4 streams copies of pageable memory and the kernel take 6.00 ms.");
  CHECK(conclusion(all).facts.front().kind == FactKind::as_fast_as);
}

TEST_CASE("overlap reads well when only a part was run") {
  CHECK(advice({measured("staged", 1, 15.75), measured("pageable", 1, 49)}) ==
        "One stream overlaps nothing. Several could be up to 2.60 x as fast.");
  CHECK(advice({predicted("pageable", 1, 49)}) == "One stream overlaps nothing.");
  CHECK(advice({predicted("staged", 4, 6.2)}) == "In 4 streams copies and the kernel take 6.20 ms.");
  CHECK(advice({predicted("staged", 1, 6), predicted("staged", 4, 6.01)}) ==
        "Streams gain nothing for copies and the kernel: 4 are 1.00 x as fast as one.");
  CHECK(advice({predicted("pageable", 4, 48)}) ==
        "In 4 streams copies of pageable memory and the kernel take 48.0 ms.");
  CHECK(advice({predicted("pageable", 1, 49), predicted("pageable", 4, 35)}) ==
        "Use 4 streams for copies of pageable memory and the kernel: 1.40 x as fast as one after another.");
  CHECK(advice({predicted("staged", 2, 8), predicted("pageable", 4, 48)}) ==
        "In 2 streams copies and the kernel take 8.00 ms. Pageable memory takes 6.00 x as long as pinned memory. In 4 "
        "streams copies of pageable memory and the kernel take 48.0 ms.");
}

}  // namespace gpumem::test_overlap
