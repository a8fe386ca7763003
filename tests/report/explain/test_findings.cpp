#include <algorithm>

#include "report/explain/explain.hpp"
#include "report/record/sweep.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_findings {

namespace {

/// A case of a made-up probe. The name says nothing, since findings must not depend on it.
struct Builder {
  std::string op = "copy";
  std::string swept = "offset_elements";
  bool measured = true;
  std::vector<Record> results = {};

  Record& add(Value place, double gb_per_s, double sectors, double predicted = 0) {
    Record record;
    record.probe = "p";
    record.swept = swept;
    record.baseline = std::uint64_t{0};
    record.parameters = {{swept, std::move(place)}, {"op", op}};
    if (measured) record.headline.measured = gb_per_s;
    if (!measured) record.headline.predicted = gb_per_s;
    if (predicted > 0) record.headline.predicted = predicted;
    record.fraction_of_peak = gb_per_s / 5000;
    if (sectors > 0 && op != "write") record.access.push_back(examples::global_site("source", "load", sectors));
    if (sectors > 0 && op != "read") record.access.push_back(examples::global_site("target", "store", sectors));
    results.push_back(std::move(record));
    return results.back();
  }
};

std::string only_finding(const std::vector<Record>& results) {
  const auto all = findings(results, {});
  REQUIRE(all.size() == 1);
  return all.front();
}

}  // namespace

TEST_CASE("Two classes: who costs more, and what it costs") {
  Builder b;
  for (std::uint64_t x = 0; x <= 32; ++x) {
    const bool aligned = x % 8 == 0;
    const double rate = aligned ? 4000.0 : 3480.0 + (x % 2 == 0 ? 0 : 80);
    b.add(x, rate, aligned ? 4 : 5, rate * 1.025);
  }
  CHECK(only_finding(b.results) ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. Offsets that are no multiple of 8 touch 5 sectors per "
        "request instead of 4 and run at 0.87 to 0.89 of it; predicted within 3 %.");
}

TEST_CASE("Two cases are named, not counted") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4);
  b.add(std::uint64_t{8}, 4000, 4);
  CHECK(only_finding(b.results) == "Copies reach 4000 GB/s (80 % of peak) at offsets 0 and 8.");
}

TEST_CASE("One case against another is singular") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4);
  b.add(std::uint64_t{1}, 3000, 5);
  CHECK(only_finding(b.results) ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. Offset 1 touches 5 sectors per request instead of 4 and "
        "runs at 0.75 of it.");
}

TEST_CASE("Loads and stores that cost differently are both named") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4);
  b.add(std::uint64_t{1}, 3000, 4).access[0].cost(sectors).predicted = 5;
  CHECK(
      only_finding(b.results) ==
      "Copies reach 4000 GB/s (80 % of peak) at offset 0. Offset 1 touches 5 sectors per load and 4 per store request "
      "instead of 4 and runs at 0.75 of it.");
}

TEST_CASE("No difference is said, even where the sectors differ") {
  Builder b;
  b.op = "read";
  for (std::uint64_t x = 0; x < 16; ++x) b.add(x, x % 8 == 0 ? 4500 : 4490, x % 8 == 0 ? 4 : 5, 4400);
  CHECK(
      only_finding(b.results) ==
      "Reads reach 4500 GB/s (90 % of peak) at all 16 offsets from 0 to 15, within 0.3 %, although sectors per request "
      "range from 4 to 5; predicted within 3 %.");
}

TEST_CASE("A falling sweep: from, to, where the sectors saturate, and what follows") {
  Builder b;
  b.op = "read";
  b.swept = "stride_elements";
  const double rates[] = {4580, 2247, 1148, 583, 293, 248};
  for (unsigned i = 0; i < 6; ++i) {
    Record& record = b.add(std::uint64_t{1} << i, rates[i], std::min(32.0, 4.0 * (1U << i)), rates[i] * 1.2);
    record.bottleneck = Bottleneck{i < 4 ? "dram" : "warp_drive", std::nullopt};
  }
  CHECK(
      only_finding(b.results) ==
      "Reads fall from 4580 GB/s (92 % of peak) at stride 1 to 248 GB/s (5 % of peak) at stride 32. Sectors per "
      "request grow from 4 to 32 at stride 8 and stay there, while the bandwidth falls further, from 583 to 248 GB/s; "
      "predictions are off by up to 20 % (at stride 1). The predicted limit is device memory at stride 1 and "
      "warp_drive at stride 32.");
}

TEST_CASE("A rising sweep") {
  Builder b;
  b.swept = "block_threads";
  b.add(std::uint64_t{128}, 1690, 4);
  b.add(std::uint64_t{256}, 2713, 4);
  b.add(std::uint64_t{512}, 4000, 4);
  CHECK(only_finding(b.results) ==
        "Copies rise from 1690 GB/s (34 % of peak) at 128 threads per block to 4000 GB/s (80 % of peak) at 512 threads "
        "per block.");
}

TEST_CASE("Many classes form a ladder") {
  const auto all = examples::banks().findings;
  REQUIRE(all.size() == 1);
  CHECK(all[0] ==
        "Shared-memory loads take 1.33 cycles per request (75 % of peak) at stride 1, with 1 wavefront per request. "
        "2, 4, 8, 16 and 32 wavefronts per request take 1.50, 3.01, 6.02, 12.03 and 24.06 times as long; predictions "
        "are off by up to 25 % (at stride 1).");
}

TEST_CASE("What the sectors do not explain is not explained by them") {
  Builder b;
  b.add(std::uint64_t{0}, 2000, 4);
  b.add(std::uint64_t{1}, 4000, 5);
  b.add(std::uint64_t{2}, 3000, 5);
  CHECK(only_finding(b.results) ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 1. The slowest reach 2000 GB/s, 0.50 of it, at offset 0; "
        "sectors per "
        "request range from 4 to 5, which alone does not explain it.");
}

TEST_CASE("Equal sectors do not hide a difference") {
  Builder b;
  b.swept = "lanes";
  b.add("aligned", 4000, 4);
  b.add("permuted", 3990, 4);
  b.add("subset", 2000, 4);
  CHECK(only_finding(b.results) ==
        "Copies reach 4000 GB/s (80 % of peak) at lanes aligned. The slowest reach 2000 GB/s, 0.50 of it, at lanes "
        "subset, "
        "although all touch 4 sectors per request.");
}

TEST_CASE("Named values are named") {
  Builder b;
  b.swept = "variant";
  b.add("naive", 500, 32);
  b.add("tiled", 3600, 4);
  b.add("padded", 3640, 4);
  CHECK(only_finding(b.results) ==
        "Copies reach 3640 GB/s (73 % of peak) at variant padded. Variant naive touches 32 sectors per request instead "
        "of 4 and runs at 0.14 of it.");
}

TEST_CASE("A model's findings are predictions and claim no agreement") {
  Builder b;
  b.measured = false;
  for (std::uint64_t x = 0; x < 16; ++x) b.add(x, x % 8 == 0 ? 4000 : 3600, x % 8 == 0 ? 4 : 5);
  CHECK(only_finding(b.results) ==
        "Copies are predicted to reach 4000 GB/s (80 % of peak) at offset 0. Offsets that are no multiple of 8 touch 5 "
        "sectors per request instead of 4 and are predicted to run at 0.90 of it.");
  for (const std::string& finding : examples::model().findings) {
    CHECK(finding.find("predicted to fall") != std::string::npos);
    CHECK(finding.find("predicted within") == std::string::npos);
  }
}

TEST_CASE("Cases that did not run are counted") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4);
  for (std::uint64_t x = 1; x < 4; ++x) {
    Record& record = b.add(x, 0, 5);
    record.headline.measured.reset();
    record.status = x == 1 ? Status::failed : Status::skipped;
    record.reason = "no room";
  }
  CHECK(only_finding(b.results) ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. 1 case failed and 2 cases were skipped.");
  b.results.erase(b.results.begin());
  CHECK(only_finding(b.results) == "Nothing ran: 1 case failed and 2 cases were skipped: no room.");
  b.results[2].reason = "other";
  CHECK(only_finding(b.results) == "Nothing ran: 1 case failed and 2 cases were skipped; the first: no room.");
}

TEST_CASE("A probe that is about something else is described by that, the less the better") {
  std::vector<Record> results;
  for (std::uint64_t x = 1; x <= 4; ++x) {
    Record record;
    record.probe = "p";
    record.swept = "chain_lines";
    record.parameters = {{"chain_lines", x}};
    record.time = examples::time_record(1e-3, 20);
    const double cycles = 30.0 * static_cast<double>(x);
    record.headline = {.quantity = "latency_cycles", .better = Better::less, .measured = cycles};
    results.push_back(record);
  }
  CHECK(only_finding(results) == "Accesses rise from 30.0 cycles at chain 1 to 120 cycles at chain 4.");
  std::swap(results[0].headline.measured, results[2].headline.measured);
  CHECK(only_finding(results) ==
        "Accesses take 30.0 cycles at chain 3. The slowest take 120 cycles, 4.00 times as long, at chain 4.");
  for (Record& record : results) record.headline.measured = 30;
  CHECK(only_finding(results) == "Accesses take 30.0 cycles at all 4 chains from 1 to 4.");
  for (Record& record : results) record.headline.measured.reset();
  CHECK(only_finding(results) == "Accesses ran; there is no reading to compare.");
}

TEST_CASE("Sweeps of a probe are told apart by what differs between them") {
  std::vector<Record> results = examples::single_cases().results;
  const auto all = findings(results, {});
  REQUIRE(all.size() == 6);
  CHECK(all[0] == "Reads (4-byte words) reach 4580 GB/s (95 % of peak) at offset 0; predicted within 1 %.");
  CHECK(all[5] ==
        "Nothing ran: 1 case was skipped: needs 2147483648 bytes of device memory, but only 1073741824 are free; "
        "choose a "
        "smaller --buffer.");
}

TEST_CASE("One finding per sweep, none for nothing") {
  CHECK(findings({}, {}).empty());
  for (const Report& report : {examples::measured_copy(), examples::model(), examples::dry_run()}) {
    CHECK(findings(report.results, {}).size() == sweeps(report.results).size());
  }
}

}  // namespace gpumem::report::test_findings
