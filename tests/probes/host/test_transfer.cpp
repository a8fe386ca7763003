#include <map>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_transfer {

using gpumem::test::advice;
using gpumem::test::conclusion;

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

const Probe& transfer() {
  const Probe* probe = gpumem::find_probe("transfer");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case a_case(std::uint64_t size, const std::string& kind, const std::string& direction) {
  return {&transfer(), {{"size_bytes", size}, {"host_memory", kind}, {"direction", direction}}};
}

/// A copy of so many microseconds.
Outcome outcome(std::uint64_t size, const std::string& kind, double us, const std::string& direction = "to-device",
                std::vector<std::pair<std::string, double>> metrics = {}) {
  const double ways = direction == "both" ? 2 : 1;
  const double bytes_per_s = ways * static_cast<double>(size) / (us * 1e-6);
  return {.tested = a_case(size, kind, direction),
          .headline = bytes_per_s / 1e9,
          .seconds = us * 1e-6,
          .bytes_per_s = bytes_per_s,
          .metrics = std::move(metrics)};
}

/// Returns the values that are found in each outcome, alone or with others, by the outcome's index.
std::map<std::size_t, std::map<std::string, double>> found_in(const std::vector<Outcome>& outcomes) {
  std::map<std::size_t, std::map<std::string, double>> result;
  for (const Conclusion::DerivedQuantity& found : conclusion(outcomes).quantities) {
    for (const std::size_t i : found.outcomes) result[i][found.name] = found.value;
  }
  return result;
}

}  // namespace

TEST_CASE("transfer: what a case asks of the machine", "[transfer]") {
  const Workload in = transfer().describe(a_case(4096, "pinned", "to-device"), {});
  CHECK(in.kernel.empty());
  CHECK(in.sites.empty());
  CHECK(in.useful_bytes_written == 4096);
  CHECK(in.useful_bytes_read == 0);
  CHECK(in.allocated_bytes == 4096);
  CHECK(in.host_bytes == 4096);
  REQUIRE(in.operations.size() == 1);
  CHECK(in.operations[0].work == Operation::Work::copy_to_device);
  CHECK(in.operations[0].bytes == 4096);
  CHECK_FALSE(in.operations[0].pageable);

  const Workload out = transfer().describe(a_case(4096, "pageable", "to-host"), {});
  CHECK(out.useful_bytes_read == 4096);
  CHECK(out.useful_bytes_written == 0);
  REQUIRE(out.operations.size() == 1);
  CHECK(out.operations[0].work == Operation::Work::copy_to_host);
  CHECK(out.operations[0].stream == 0);
  CHECK(out.operations[0].pageable);

  const Workload both = transfer().describe(a_case(4096, "registered", "both"), {});
  CHECK(both.useful_bytes() == 8192);
  CHECK(both.allocated_bytes == 8192);
  CHECK(both.host_bytes == 8192);
  REQUIRE(both.operations.size() == 2);
  CHECK(both.operations[0].work == Operation::Work::copy_to_device);
  CHECK(both.operations[1].work == Operation::Work::copy_to_host);
  CHECK(both.operations[1].stream == 1);
}

TEST_CASE("transfer: sizes are whole words", "[transfer]") {
  CHECK_NOTHROW(transfer().validate(a_case(8, "pinned", "both")));
  CHECK_THROWS_WITH(transfer().validate(a_case(6, "pinned", "both")),
                    "--size 6 is not a multiple of the word size of 4 bytes; use 4");
  CHECK(transfer().find_axis("size_bytes")->minimum == 4);
}

TEST_CASE("transfer: what the kinds of memory show on an H200", "[transfer]") {
  std::vector<Outcome> outcomes;
  const std::vector<std::uint64_t> sizes = {4 * kib, 64 * kib, mib, 64 * mib, gib};
  const std::vector<double> pageable_us = {7.2, 21.6, 78, 4050, 120000};
  const std::vector<double> pinned_us = {2.6, 3.7, 22.8, 1212, 19337};
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    outcomes.push_back(outcome(sizes[i], "pageable", pageable_us[i]));
    outcomes.push_back(outcome(sizes[i], "pinned", pinned_us[i], "to-device", {{"setup_us", 357000}}));
    outcomes.push_back(outcome(sizes[i], "registered", pinned_us[i], "to-device", {{"setup_us", 28700}}));
    outcomes.push_back(outcome(sizes[i], "write-combined", pinned_us[i] * 1.01, "to-device", {{"setup_us", 1e6}}));
  }
  CHECK(advice(outcomes) ==
        "Pinned, registered and write-combined memory are equally fast at 1 GiB: 55.5 GB/s to the device. That is "
        "6.21 x pageable memory. Registering existing memory takes 28.7 ms for 1 GiB. The first copy makes up for it. "
        "Pinned copies of 134.5 KiB reach half of the asymptotic 54.5 GB/s to the device. Put smaller copies "
        "together.");
  const std::vector<Fact> facts = conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{16, 17, 18, 19});
  CHECK(facts[0].values[0].name == "rate_gb_per_s");
  CHECK(std::get<double>(facts[0].values[0].items[0]) == Approx(55.53).epsilon(0.001));
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{18, 16});
  CHECK(facts[2].kind == FactKind::fit);
  CHECK(facts[2].outcomes == std::vector<std::size_t>{1, 5, 9, 13, 17});

  const auto found = found_in(outcomes);
  CHECK_FALSE(found.contains(0));  // pageable: its rate falls with the size
  CHECK(found.size() == 3 * sizes.size());
  for (const std::size_t i : {1U, 5U, 17U}) {
    CHECK(found.at(i).at("fixed_cost_us") == Approx(2.525).epsilon(0.001));
    CHECK(found.at(i).at("asymptotic_gb_per_s") == Approx(54.53).epsilon(0.001));
    CHECK(found.at(i).at("half_size_bytes") ==
          Approx(found.at(i).at("fixed_cost_us") * found.at(i).at("asymptotic_gb_per_s") * 1e3));
  }
}

TEST_CASE("transfer: page-locking that pays late, or never", "[transfer]") {
  const auto with_setup = [](double setup_us) {
    return advice({outcome(64 * mib, "pageable", 4000),
                   outcome(64 * mib, "pinned", 1200, "to-device", {{"setup_us", setup_us}})});
  };
  CHECK(with_setup(21000) ==
        "Pinned memory is fastest at 64 MiB: 55.9 GB/s to the device. That is 3.33 x pageable memory. Allocating "
        "pinned memory takes 21.0 ms for 64 MiB. 8 copies make up for it.");
  CHECK(with_setup(2800).find("The first copy makes up for it.") != std::string::npos);
  CHECK(with_setup(2801).find("2 copies make up for it.") != std::string::npos);

  // A link over which the GPU reads any memory alike.
  CHECK(
      advice({outcome(64 * mib, "pageable", 152), outcome(64 * mib, "pinned", 150, "to-device", {{"setup_us", 9}})}) ==
      "Pageable memory is as fast as any at 64 MiB: 447 GB/s to the device. Page-locking gains nothing.");
}

TEST_CASE("transfer: write-combining that gains or loses", "[transfer]") {
  const auto combined = [](double us) {
    return advice({outcome(mib, "pinned", 100, "to-host"), outcome(mib, "write-combined", us, "to-host")});
  };
  CHECK(combined(80) ==
        "Write-combined memory is fastest at 1 MiB: 13.1 GB/s to the host. That is 1.25 x pinned memory.");
  CHECK(combined(125) ==
        "Pinned memory is fastest at 1 MiB: 10.5 GB/s to the host. That is 1.25 x write-combined memory.");
}

TEST_CASE("transfer: small rates keep their digits, and noise does not choose the example", "[transfer]") {
  CHECK(advice({outcome(4, "pinned", 2.6)}) == "Pinned memory copies 4 bytes at 0.00154 GB/s to the device.");
  std::vector<Outcome> outcomes;
  for (const std::uint64_t size : {64 * kib, mib, 64 * mib}) {
    const double us = 5 + static_cast<double>(size) / 50e3;
    outcomes.push_back(outcome(size, "pinned", us));
    outcomes.push_back(outcome(size, "registered", us * 0.99));
  }
  CHECK(advice(outcomes).find(" Pinned copies of 244.1 KiB reach half ") != std::string::npos);
}

TEST_CASE("transfer: both ways at once", "[transfer]") {
  const std::vector<Outcome> outcomes = {
      outcome(gib, "pageable", 181000, "both", {{"to_device_gb_per_s", 8.95}, {"to_host_gb_per_s", 17.6}}),
      outcome(gib, "pinned", 21100, "both",
              {{"to_device_gb_per_s", 52.0}, {"to_host_gb_per_s", 50.8}, {"setup_us", 700000}})};
  CHECK(advice(outcomes) ==
        "Pinned memory is fastest at 1 GiB: 102 GB/s both ways together. That is 8.58 x pageable memory. Allocating "
        "pinned memory takes 700 ms for 1 GiB. 5 copies make up for it. Pinned copies run both ways at once: 52.0 GB/s "
        "to the device and 50.8 GB/s to the host. Pageable ones run one after the other.");
  CHECK(advice({outcomes.front()}) ==
        "Pageable memory copies 1 GiB at 11.9 GB/s both ways together. Pageable copies in both directions run one "
        "after the other. Both at once gain nothing.");
  CHECK(conclusion({outcomes.front()}).facts.back().kind == FactKind::limit);

  std::vector<Outcome> sweep;
  for (const std::uint64_t size : {64 * kib, mib, 64 * mib}) {
    sweep.push_back(outcome(size, "pinned", 5 + static_cast<double>(size) / 50e3, "both"));
  }
  CHECK(found_in(sweep).at(0).at("asymptotic_gb_per_s") == Approx(100));
  CHECK(found_in(sweep).at(2).at("half_size_bytes") == Approx(250000));  // each way
  CHECK(advice(sweep) ==
        "Pinned memory copies 64 MiB at 99.6 GB/s both ways together. Pinned copies of 244.1 KiB reach half of the "
        "asymptotic 100 GB/s both ways together. Put smaller copies together.");
}

TEST_CASE("transfer: differences within the intervals are no advice", "[transfer]") {
  Outcome pageable = outcome(64 * mib, "pageable", 165);
  Outcome pinned = outcome(64 * mib, "pinned", 150, "to-device", {{"setup_us", 9}});
  CHECK(conclusion({pageable, pinned}).facts.size() == 2);
  pageable.interval = {pageable.headline * 0.9, pageable.headline * 1.1};
  pinned.interval = {pinned.headline * 0.9, pinned.headline * 1.1};
  const std::vector<Fact> facts = conclusion({pageable, pinned}).facts;
  REQUIRE(facts.size() == 1);
  CHECK(facts.front().kind == FactKind::as_fast_as);
}

TEST_CASE("transfer: conclusions from little", "[transfer]") {
  CHECK(advice({outcome(64 * mib, "registered", 1212)}) ==
        "Registered memory copies 64 MiB at 55.4 GB/s to the device.");
  CHECK(found_in({outcome(64 * mib, "registered", 1212)}).empty());
  // Predicted readings have no metrics, and failed cases no outcome: the kinds meet at 1 MiB.
  CHECK(advice({outcome(mib, "pageable", 100), outcome(gib, "pageable", 1e5), outcome(mib, "pinned", 50)}) ==
        "Pinned memory is fastest at 1 MiB: 21.0 GB/s to the device. That is 2.00 x pageable memory.");
  CHECK(advice({outcome(mib, "pageable", 100), outcome(gib, "pinned", 1e5)}).empty());
  CHECK(advice({outcome(mib, "pageable", 0)}).empty());
}

}  // namespace gpumem::test_transfer
