// Comparing the counts of two reports: which sites are the same, what has grown, and that nothing else has.

#include <algorithm>
#include <optional>
#include <random>
#include <span>
#include <sstream>
#include <string>
#include <vector>

#include "report/compare/counts.hpp"
#include "report/read/read_report.hpp"
#include "report/record/kernels.hpp"
#include "report/write/comparisons/counts.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"
#include "tests/report/program_example.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::report::test_counts {

namespace {

/// A site that takes so many sectors a request, and a quarter as many lines.
SiteRecord load_at(const std::string& name, std::uint64_t requests, double sectors_each, unsigned word_bytes = 4) {
  SiteRecord site{.site = name, .space = "global", .op = "load", .word_bytes = word_bytes, .costs = {}};
  site.cost(sectors).predicted = sectors_each;
  site.cost(lines_unit).predicted = sectors_each / 4;
  site.requests = requests;
  site.active_lanes = 32;
  return site;
}

Record kernel_with(const std::vector<SiteRecord>& access, const std::string& name = "mine") {
  Record record = examples::kernel_case(name, 1e-3, 0);
  record.access = access;
  record.first_launch = 0;
  return record;
}

NamedReport report_with(const std::string& name, const std::vector<Record>& results) {
  Report report = examples::program();
  report.results = results;
  return {name, std::move(report)};
}

/// The only kernel of two reports, compared. Keeps what it refers to.
struct Counted {
  explicit Counted(const std::vector<std::vector<SiteRecord>>& runs, const std::string& name = "mine",
                   const std::vector<std::string>& flags = {})
      : reports(reports_of(runs, name, flags)), comparison(compare(reports)), counts(compare_counts(comparison)) {}

  static std::vector<NamedReport> reports_of(const std::vector<std::vector<SiteRecord>>& runs, const std::string& name,
                                             const std::vector<std::string>& flags) {
    std::vector<NamedReport> made;
    for (const std::vector<SiteRecord>& access : runs) {
      Record record = kernel_with(access, name);
      record.flags = flags;
      made.push_back(report_with("r.json", {record}));
    }
    return made;
  }

  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> all;
    for (const CountRow& row : counts.rows()) {
      all.push_back(place_words(row.site->site) + ": " + count_words(*row.change) + ", " +
                    std::string(to_string(row.change->verdict)));
    }
    return all;
  }
  [[nodiscard]] bool passes() const { return !count_failure(counts); }

  std::vector<NamedReport> reports;
  Comparison comparison;
  CountComparison counts;
};

using Words = std::vector<std::string>;

std::vector<std::string> pairs_of(const std::vector<SiteRecord>& olds, const std::vector<SiteRecord>& news) {
  std::vector<std::string> pairs;
  for (const SitePair& pair : pair_sites(olds, news)) {
    pairs.push_back((pair.old_site ? pair.old_site->site : "-") + " " + (pair.new_site ? pair.new_site->site : "-"));
  }
  std::ranges::sort(pairs);
  return pairs;
}

}  // namespace

TEST_CASE("Sites are the same whatever their lines", "[compare][counts]") {
  CHECK(pairs_of({load_at("a.cu:9", 8, 4), load_at("a.cu:10", 8, 4)},
                 {load_at("a.cu:30", 8, 4), load_at("a.cu:29", 8, 4)}) == Words{"a.cu:10 a.cu:30", "a.cu:9 a.cu:29"});
  CHECK(pairs_of({load_at("k+0x90", 8, 4), load_at("k+0x100", 8, 8)},
                 {load_at("k+0x210", 8, 9), load_at("k+0x1f0", 8, 5)}) == Words{"k+0x100 k+0x210", "k+0x90 k+0x1f0"});
  // Lines that changed places.
  CHECK(pairs_of({load_at("a.cu:1", 8, 4), load_at("a.cu:2", 8, 32)},
                 {load_at("a.cu:1", 8, 32), load_at("a.cu:2", 8, 4)}) == Words{"a.cu:1 a.cu:2", "a.cu:2 a.cu:1"});
  // One that came shifts none of the others.
  CHECK(pairs_of({load_at("a.cu:1", 8, 4), load_at("a.cu:4", 8, 32)},
                 {load_at("a.cu:1", 8, 7), load_at("a.cu:2", 8, 4), load_at("a.cu:3", 8, 32)}) ==
        Words{"- a.cu:1", "a.cu:1 a.cu:2", "a.cu:4 a.cu:3"});
  // Another file, another width of words.
  CHECK(pairs_of({load_at("a.cu:1", 8, 4), load_at("a.cu:2", 8, 16, 16)},
                 {load_at("b.cuh:5", 8, 4), load_at("a.cu:2", 32, 4, 4)}) == Words{"a.cu:1 a.cu:2", "a.cu:2 b.cuh:5"});
}

TEST_CASE("A count of a launch that is larger has grown", "[compare][counts]") {
  CHECK(Counted({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:5", 8, 4)}}).words().empty());
  const Counted strided({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:5", 8, 32)}});
  CHECK(strided.words() == Words{"a.cu:5: 4 -> 32 sectors/request, grew", "a.cu:5: 1 -> 8 lines/request, grew"});
  CHECK(strided.counts.rows().front().change->more == 224);
  CHECK_FALSE(strided.passes());
  const Counted one_sector({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 8, 4.125)}});
  CHECK(one_sector.words().front() == "a.cu:1: 4 -> 4.12 sectors/request, grew");
  const Counted twice({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 16, 4)}});
  CHECK(twice.words() == Words{"a.cu:1: 32 -> 64 sectors/launch, grew", "a.cu:1: 8 -> 16 requests/launch, grew",
                               "a.cu:1: 8 -> 16 lines/launch, grew"});
  const Counted narrow({{load_at("a.cu:1", 8, 16, 16)}, {load_at("a.cu:1", 32, 4, 4)}});
  CHECK(narrow.words() == Words{"a.cu:1: 8 -> 32 requests/launch, grew"});
  CHECK(access_words(narrow.counts.rows().front().site->site) == "global load, words 16 -> 4 bytes");
  const Counted better({{load_at("a.cu:1", 8, 32)}, {load_at("a.cu:1", 8, 4)}});
  CHECK(better.passes());
  CHECK(better.counts.with(CountVerdict::fell) == 2);
}

TEST_CASE("Sites that came or went count together", "[compare][counts]") {
  CHECK_FALSE(Counted({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 8, 4), load_at("a.cu:2", 8, 4)}}).passes());
  const Counted split({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 4, 4), load_at("a.cu:2", 4, 4)}});
  CHECK(split.passes());
  CHECK(split.counts.with(CountVerdict::moved) == split.words().size());
  const Counted merged({{load_at("a.cu:1", 4, 4), load_at("a.cu:2", 4, 4)}, {load_at("a.cu:1", 8, 4)}});
  CHECK(merged.passes());
  CHECK_FALSE(Counted({{load_at("a.cu:1", 4, 4), load_at("a.cu:2", 4, 4)}, {load_at("a.cu:1", 9, 4)}}).passes());
}

TEST_CASE("Counts that may differ from run to run are compared per request", "[compare][counts]") {
  const std::vector<std::string> part = {"partly_seen"};
  CHECK(Counted({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 20, 4.5)}}, "mine", part).words().empty());
  const Counted misaligned({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 7, 5)}}, "mine", part);
  CHECK(misaligned.words().front() == "a.cu:1: 4 -> 5 sectors/request, grew");
  const Counted narrow({{load_at("a.cu:1", 8, 16, 16)}, {load_at("a.cu:1", 30, 4, 4)}}, "mine", part);
  CHECK(narrow.words() == Words{"a.cu:1: 2 -> 8 requests/KiB, grew"});
  const Counted came({{load_at("a.cu:1", 8, 4)}, {load_at("a.cu:1", 8, 4), load_at("a.cu:2", 8, 4)}}, "mine", part);
  CHECK(came.passes());
  CHECK(came.counts.with(CountVerdict::unsure) == 2);
  // It waits in a loop.
  const std::string library = "void cub::DeviceScanKernel<int>(int*)";
  CHECK(Counted({{load_at("k+0x10", 12, 8)}, {load_at("k+0x10", 924, 8.7)}}, library).passes());
  CHECK_FALSE(Counted({{load_at("k+0x10", 12, 8)}, {load_at("k+0x10", 924, 32)}}, library).passes());
}

TEST_CASE("Sites that a repeated run shows to vary are left out", "[compare][counts]") {
  const SiteRecord exact = load_at("a.cu:1", 8, 4);
  const Counted run(
      {{exact, load_at("b.cu:2", 8, 4)}, {exact, load_at("b.cu:2", 90, 30)}, {exact, load_at("b.cu:2", 9, 4)}});
  CHECK(run.passes());
  CHECK(run.counts.cases.front().inexact == Inexact::varies);
  CHECK(run.counts.cases.front().varying_sites == 1);
  CHECK_FALSE(Counted({{exact, load_at("b.cu:2", 8, 4)},
                       {load_at("a.cu:1", 8, 8), load_at("b.cu:2", 8, 4)},
                       {exact, load_at("b.cu:2", 9, 4)}})
                  .passes());
}

TEST_CASE("A thousand repeated runs have no change", "[compare][counts]") {
  std::mt19937 random(1);
  const std::filesystem::path folder = test::source_folder() / "configs" / "reference" / "h100";
  std::istringstream none;
  std::vector<NamedReport> reports;
  std::size_t compared = 0;
  for (const char* file : {"corpus/gather.json", "corpus/transpose.json", "public-programs/merge.json",
                           "public-programs/burger.json", "programs/three_faults_before.json"}) {
    const Report report = read_report_file((folder / file).string(), none);
    reports = {{"old.json", report}, {"new.json", report}};
    for (int run = 0; run < 200; ++run) {
      std::ranges::shuffle(reports[1].report.results, random);
      for (Record& record : reports[1].report.results) {
        std::ranges::shuffle(record.access, random);
        if (record.time) record.time->summary.median *= 1 + 1e-3 * static_cast<double>(random() % 1000);
        for (SiteRecord& site : record.access) {
          const std::size_t colon = site.site.rfind(':');
          if (colon == std::string::npos) continue;
          site.site = site.site.substr(0, colon + 1) + std::to_string(std::stoul(site.site.substr(colon + 1)) + 3);
        }
      }
      const Comparison comparison = compare(reports);
      const CountComparison counts = compare_counts(comparison);
      compared += counts.compared();
      REQUIRE(counts.rows().empty());
      REQUIRE_FALSE(count_failure(counts));
    }
  }
  CHECK(compared > 1000);
}

TEST_CASE("A comparison of counts", "[compare][counts][golden]") {
  Report before = examples::program();
  for (std::size_t i = 0; i < before.results.size(); ++i) before.results[i].first_launch = i;
  Report after = before;
  after.results[0].access.front().cost(sectors).predicted = 40;
  after.results[1].metrics[2].measured = 70;
  before.results[3] = kernel_with({load_at("wide.cu:3", 1024, 16, 16)}, "wide(float4*)");
  after.results[3] = kernel_with({load_at("wide.cu:9", 4096, 4, 4)}, "wide(float4*)");
  before.results[3].first_launch = after.results[3].first_launch = 3;
  const std::vector<NamedReport> reports = {{"before.json", before}, {"after.json", after}};
  const Comparison comparison = compare(reports);
  const CountComparison counts = compare_counts(comparison);
  const auto text = [&](Format format, unsigned width) {
    std::ostringstream out;
    write_counts(out, counts, format, {.width = width});
    return out.str();
  };
  compare_with_golden("counts.80.txt", text(Format::table, 80));
  compare_with_golden("counts.140.txt", text(Format::table, 140));
  compare_with_golden("counts.md", text(Format::markdown, 80));
  compare_with_golden("counts.csv", text(Format::csv, 80));
}

}  // namespace gpumem::report::test_counts
