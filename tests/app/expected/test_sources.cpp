// The sources of expected values, and the marks beside values that stand for them.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "app/expected/expected.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/source.hpp"
#include "report/write/expected/pages.hpp"
#include "report/write/expected/sources.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_sources {

using namespace gpumem::app::test;

namespace {

std::vector<report::ExpectedGpu> expected_of_names(const std::vector<std::string>& names) {
  std::vector<report::ExpectedGpu> gpus;
  for (const std::string& name : names) gpus.push_back(expected_of(model::load_profile(name), probes()));
  return gpus;
}

}  // namespace

TEST_CASE("sources: a value has the source of the rate that it names") {
  for (const std::string& name : model::profile_names()) {
    const model::Profile profile = model::load_profile(name);
    for (const report::ExpectedValue& value : expected_of(profile, probes()).values) {
      INFO(name << ": " << value.quantity << " by " << value.rate);
      CHECK(value.source == model::to_string(model::source_of(profile, value.rate)));
      CHECK(value.how == profile.how.at(value.rate));
    }
  }
}

TEST_CASE("sources: only GPUs that the project measured are measured with gpumem") {
  const std::set<std::string> measured = {"h100", "h200", "h200x8"};
  for (const std::string& name : model::profile_names()) {
    const report::ExpectedGpu gpu = expected_of(model::load_profile(name), probes());
    const bool any = std::ranges::any_of(gpu.values, [](const report::ExpectedValue& value) {
      return value.source_words.find("with gpumem") != std::string::npos;
    });
    INFO(name);
    CHECK(any == measured.contains(name));
  }
  model::Profile somebodys = model::load_profile("h200");
  somebodys.source = model::ProfileSource::file;
  for (const report::ExpectedValue& value : expected_of(somebodys, probes()).values) {
    CHECK((value.source_words == "measured" || value.source_words == "fitted"));
  }
}

TEST_CASE("sources: each has one mark, and each mark one source") {
  const std::vector<report::ExpectedGpu> gpus = expected_of_names(model::profile_names());
  const report::SourceMarks marks(gpus);
  std::set<std::pair<std::string, std::string>> pairs;
  std::set<std::string> words;
  std::set<std::string> given;
  for (const report::ExpectedGpu& gpu : gpus) {
    for (const report::ExpectedValue& value : gpu.values) {
      const std::string mark = marks.mark_of(value);
      CHECK(mark.empty() == (value.source == "measured" || value.source == "fitted"));
      if (mark.empty()) continue;
      CHECK(mark.front() == (value.source == "published" ? 'p' : 's'));
      pairs.emplace(mark, value.source_words);
      words.insert(value.source_words);
      given.insert(mark);
    }
  }
  CHECK(pairs.size() == words.size());
  CHECK(pairs.size() == given.size());
  const report::Block block = marks.block(true);
  CHECK(block.rows.size() == pairs.size() + 1);  // and those without a mark
  CHECK(block.rows.front().cells.front() == "none");
}

TEST_CASE("sources: marks are padded so that digits stand under one another") {
  const std::vector<report::ExpectedGpu> gpus = expected_of_names({"h200", "l40s"});
  const report::SourceMarks marks(gpus);
  const std::string quantity = "memory_read_gb_per_s";
  const report::ExpectedValue* h200 = report::value_of(gpus[0], quantity);
  const report::ExpectedValue* l40s = report::value_of(gpus[1], quantity);
  REQUIRE((h200 != nullptr && l40s != nullptr));
  CHECK(marks.widest(gpus, quantity) == 2);
  CHECK(marks.cell(h200) == "4571");
  CHECK(marks.cell(h200, 2) == "4571   ");
  CHECK(marks.cell(l40s) == "844 p1");
  CHECK(marks.cell(l40s, 3) == "844 p1 ");
  CHECK(marks.cell(nullptr) == "-");
}

TEST_CASE("side by side: a quantity that one GPU alone has stands in its place") {
  const std::vector<report::ExpectedGpu> gpus = expected_of_names({"l40s", "h200x8"});
  std::vector<std::string> titles;
  for (const report::ExpectedValue* value : report::quantities_of(gpus, "latency", report::OtherUnits::left_out)) {
    titles.push_back(value->title);
  }
  CHECK(titles == std::vector<std::string>{"shared memory", "L1", "L2 near", "L2 far", "memory", "host memory"});
  CHECK(report::quantities_of(gpus, "latency", report::OtherUnits::kept).size() == 2 * titles.size());
  CHECK(report::value_of(gpus[0], "l2_far_latency_cycles") == nullptr);
}

}  // namespace gpumem::app::test_sources
