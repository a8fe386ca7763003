// Explanations of why a case is as fast as it is.

#include <limits>
#include <optional>

#include "report/text/text.hpp"
#include "tests/catch.hpp"
#include "tests/report/explain/why_cases.hpp"

namespace gpumem::report::test_why {

using namespace why_cases;

TEST_CASE_METHOD(Why, "shifted stores of wider words would do with more sectors", "[why]") {
  Record record = case_of("l2_sectors", "write", 17);
  record.access.front().word_bytes = 16;
  tell(brief({record}));
}

TEST_CASE_METHOD(Why, "counted requests at L2 are told", "[why]") {
  Record record = case_of("l2_sectors", "write", 5);
  const std::string uncounted = why({record});
  record.counters.emplace();
  record.counters->global_store_requests = 1000;
  record.counters->l2_write_requests = 1900;
  tell(why({record}));
  record.counters->l2_write_requests = 1010;
  CHECK(why({record}) == uncounted);
}

TEST_CASE_METHOD(Why, "shifted loads cost nothing beyond L1", "[why]") {
  const Record record = case_of("dram", "read", 5);
  tell(why({record, faster(record, 1.01, 4)}));
  tell(why({record}));
}

TEST_CASE_METHOD(Why, "a case far below the peak is not said to waste nothing", "[why]") {
  Record record = case_of("dram", "read", 4);
  for (const double fraction : {0.1, 0.35, 0.79}) {
    record.fraction_of_peak = fraction;
    CHECK(why({record}).find("wasted") == std::string::npos);
  }
  record.fraction_of_peak = 0.93;
  tell(why({record}));
}

TEST_CASE_METHOD(Why, "what L1 looks up is told by lines", "[why]") {
  tell(brief({case_of("l1_lines", "read", 32)}));
  tell(brief({case_of("l1_lines", "read", 5)}));
  tell(brief({case_of("l1_lines")}));
}

TEST_CASE_METHOD(Why, "instructions and barriers that limit a case have cures of their own", "[why]") {
  Record record = case_of("instructions", "read");
  tell(brief({record}));
  Record better = faster(record, 2, 4);
  better.access.clear();
  record.access.clear();
  CHECK(brief({record}).find("path") == std::string::npos);
  tell(brief({record, better}));
  tell(brief({case_of("barriers")}));
}

TEST_CASE("a stage that takes little of a case that is not modelled does not limit it", "[why]") {
  Record record = case_of("launch");
  record.bottleneck.reset();
  record.stages = {{"launch", {}, 20e-6}};
  CHECK(why({record}).empty());
  record.stages = {{"launch", {}, 245e-6}};
  CHECK_FALSE(why({record}).empty());
}

TEST_CASE_METHOD(Why, "scattered accesses use few words of a sector", "[why]") {
  const Record loads = case_of("dram", "read", 32);
  tell(why({loads, faster(loads, 8, 4)}));
  tell(brief({loads}));
  tell(brief({loads, faster(loads, 8, 4)}));
  tell(brief({case_of("l2_lines", "write", 12)}));
  tell(brief({case_of("dram", "copy", 8)}));
  Record mixed = case_of("dram", "copy", 4);
  mixed.access[1].cost(sectors).predicted = 32;
  tell(brief({mixed}));
}

TEST_CASE_METHOD(Why, "bytes that device memory moves for nothing are told by their reason", "[why]") {
  Record stores = case_of("dram", "write", 32);
  stores.counters.emplace();
  stores.counters->dram_read_bytes = 4 * gib;
  stores.counters->dram_write_bytes = 4 * gib;
  stores.counters->l2_read_sectors = 0;
  tell(why({stores}));
  Record loads = case_of("dram", "read", 32);
  loads.counters.emplace();
  loads.counters->dram_read_bytes = 16 * gib;
  loads.counters->dram_write_bytes = 0;
  loads.counters->l2_read_sectors = 8 * gib / 32;
  tell(why({loads}));
  loads.access.front().cost(sectors).predicted = 4;  // no pattern that explains it
  tell(why({loads}));
  loads.counters->dram_read_bytes = 1.02 * gib;
  tell(why({loads}));
}

TEST_CASE_METHOD(Why, "bank conflicts are counted in ways", "[why]") {
  tell(why({bank_case(32)}));
  tell(brief({bank_case(32)}));
  tell(brief({bank_case(8, 8)}));
  tell(why({bank_case(4, 16)}));
  tell(why({bank_case(1)}));
}

TEST_CASE_METHOD(Why, "wavefronts that other requests add to those counted are no conflicts", "[why]") {
  Record record = bank_case(32);
  const auto counted = [&](double cost, unsigned word_bytes, std::optional<double> predicted) {
    record.access = {{"tile", "shared", "load", word_bytes, {{wavefronts, {predicted, cost}}}}};
    return brief({record});
  };
  tell(counted(32.44, 4, 32));
  tell(counted(32.34, 8, 32));
  tell(counted(1.15, 4, 1));
  tell(counted(1.15, 4, {}));
  tell(counted(4.1, 16, 4));
  tell(why({record}));
  tell(counted(1.3, 4, 1));
  tell(counted(1.1, 4, 1.06));  // of the pattern itself
}

TEST_CASE_METHOD(Why, "what L1 makes up for is no waste of what lies behind it", "[why]") {
  Record packed = case_of("dram", "read", 8);
  packed.compared = "pixels";
  packed.parameters.push_back({"pixels", "packed"});
  Record planar = packed;
  planar.parameters.back().value = "planar";
  planar.access.front().cost(sectors).predicted = 4;
  tell(brief({packed}));
  tell(brief({packed, planar}));
  planar.stages[1].predicted_s = 120e-6;
  tell(brief({packed, planar}));
  packed.counters.emplace();
  packed.counters->dram_read_bytes = 1.01 * gib;
  packed.counters->dram_write_bytes = 0;
  tell(brief({packed, planar}));
}

TEST_CASE_METHOD(Why, "results in between that pass through memory are fused, what is read again is kept", "[why]") {
  Record record = case_of("dram", "copy");
  record.counters.emplace();
  record.counters->global_load_sectors = 12 * gib / 32;
  record.counters->global_store_sectors = 9 * gib / 32;
  record.counters->dram_read_bytes = 12 * gib;
  record.counters->dram_write_bytes = 9 * gib;
  tell(brief({record}));
  record.compared = "fusion";
  record.parameters.push_back({"fusion", "separate"});
  Record fused = faster(record, 10, 4);
  fused.parameters = record.parameters;
  fused.parameters.back().value = "fused";
  fused.counters->global_load_sectors = fused.counters->global_store_sectors = gib / 32;
  tell(why({record, fused}));
  record.counters->global_store_sectors = gib / 32;
  tell(brief({record}));
  record.useful_bytes_read += record.useful_bytes_written;
  record.useful_bytes_written = 0;
  tell(brief({record}));
  // More than was asked for moves for reasons that lie elsewhere.
  fused.counters->dram_write_bytes = 1.6 * gib;
  fused.counters->dram_read_bytes = gib;
  fused.counters->l2_read_sectors = gib / 32;
  tell(brief({fused}));
}

TEST_CASE_METHOD(Why, "what was counted goes before what was predicted", "[why]") {
  Record record = bank_case(1);
  record.access.front().cost(wavefronts).counted = 2;
  tell(brief({record}));
  tell(why({record}));
  record = case_of("dram");
  record.stages[1].counted_s = 200e-6;
  tell(why({record}));
  record.stages.push_back({"l2_lines", 100e-6, 240e-6});
  record.bottleneck->counted = "l2_lines";
  tell(why({record}));
}

TEST_CASE_METHOD(Why, "a measured time that is not the predicted one is told", "[why]") {
  Record record = case_of("dram");
  const double predicted = *record.headline.predicted;
  const auto measured = [&](double share) {
    record.headline.measured = predicted * share;
    return why({record});
  };
  for (const double share : {0.8, 1.25, 0.95}) tell(measured(share));
}

TEST_CASE_METHOD(Why, "small blocks and too little in flight", "[why]") {
  Record record = case_of("launch");
  tell(brief({record}));
  record.parameters.push_back({"elements_per_thread", std::uint64_t{1}});
  record.parameters.push_back({"block_threads", std::uint64_t{256}});
  tell(why({record}));
  record.bottleneck->predicted = record.stages[1].stage = "latency";
  tell(why({record}));
  record.counters.emplace();
  record.counters->achieved_occupancy = 0.45;
  tell(why({record}));
  tell(brief({record}));
  for (SiteRecord& site : record.access) site.word_bytes = 1;
  tell(why({record}));
  record.bottleneck->predicted = record.stages[1].stage = "addresses";
  tell(why({record}));
  tell(brief({record}));
}

TEST_CASE_METHOD(Why, "the host link", "[why]") {
  Record record = case_of("pcie");
  record.headline.peak = 63;
  record.headline.predicted = 51.2;
  record.access.front().space = "host";
  tell(why({record}));
  record.access.front().cost(sectors).predicted = 5;
  tell(brief({record}));
  record.access.front().cost(sectors).predicted = 8;
  tell(why({record}));
  record.access.clear();
  tell(brief({record}));
  record.bottleneck->predicted = "host_copy";
  tell(brief({record}));
  record.parameters.push_back({"host_memory", "pageable"});
  tell(brief({record}));
  record.bottleneck->predicted = "copies";
  tell(brief({record}));
}

TEST_CASE_METHOD(Why, "work that takes turns could overlap", "[why]") {
  Record record = case_of("kernel");
  record.access.clear();
  record.stages = {{"kernel", 120e-6, {}}, {"pcie", 100e-6, {}}};
  tell(why({record}));
  record.stages[1].predicted_s = 5e-6;
  tell(why({record}));
}

TEST_CASE_METHOD(Why, "nothing is said where nothing is known", "[why]") {
  CHECK(why({Record{}}).empty());
  Record record = case_of("dram");
  record.bottleneck.reset();  // the slowest stage says it as well
  tell(why({record}));
  record.stages.clear();
  CHECK(why({record}).empty());
  record = case_of("dram");
  record.status = Status::failed;
  CHECK(why({record}).empty());
  record = case_of("a new stage");
  tell(why({record}));
}

TEST_CASE("the probe's name is never what an explanation rests on", "[why]") {
  for (const Report& report : {examples::measured_copy(), examples::model(), examples::banks(), examples::transfers(),
                               examples::overlap(), examples::single_cases()}) {
    std::vector<Record> renamed = report.results;
    for (Record& record : renamed) record.probe += " renamed";
    const auto before = explanations(report.results);
    const auto after = explanations(renamed);
    for (std::size_t i = 0; i < before.size(); ++i) {
      CHECK(before[i].full == after[i].full);
      CHECK(display_width(before[i].brief) <= 60);
      CHECK(before[i].full.empty() == (report.results[i].status != Status::ok));
    }
  }
}

TEST_CASE("readings that make no sense end in words all the same", "[why]") {
  Record record = case_of("dram", "copy", 5);
  record.stages[1].predicted_s = std::numeric_limits<double>::max();
  record.headline.predicted = -1;
  record.headline.measured = std::numeric_limits<double>::max();
  record.access[0].word_bytes = 0;
  record.access[1].word_bytes = std::numeric_limits<unsigned>::max();
  record.counters.emplace();
  record.counters->dram_read_bytes = -5;
  record.counters->dram_write_bytes = std::numeric_limits<double>::max();
  CHECK_FALSE(why({record, faster(record, -1, 0)}).empty());
}

}  // namespace gpumem::report::test_why
