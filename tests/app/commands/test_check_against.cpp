// `gpumem check --against`: a history as a file and as a folder, and histories that cannot be used.

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/error.hpp"
#include "report/text/text.hpp"
#include "tests/app/commands/check_run.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_check_against {

using namespace gpumem::app::test;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

/// Saved reports of one GPU, checked one after another as if each were of its day.
class Days : public CheckRun {
 public:
  Days() {
    arguments.outputs = {path("r.json")};
    REQUIRE(run() == 0);
    report_ = json::parse(content("r.json"));
    arguments.outputs.clear();
    report_["device"]["uuid"] = "GPU-1";
    for (json& device : report_["devices"]) device["uuid"] = "GPU-1";
    arguments.against = path("h.jsonl");
    no_gpu = true;
  }

  /// Writes the report of a day, in which one case is this much faster than at first.
  std::string of_day(int day, double faster = 1, const std::string& file = "day.json") {
    json report = report_;
    report["started_at"] = "2026-10-" + std::to_string(10 + day) + "T10:00:00Z";
    report["results"][2]["headline"]["measured"] = 100 * faster + 0.1 * (day % 3);
    write(file, report);
    return path(file);
  }

  int check_day(int day, double faster = 1) {
    out.str("");
    err.str("");
    arguments.targets = {path("suite.json"), of_day(day, faster)};
    return run();
  }

  [[nodiscard]] std::size_t lines() const {
    const std::string text = content("h.jsonl");
    return static_cast<std::size_t>(std::ranges::count(text, '\n'));
  }

 private:
  json report_;
};

}  // namespace

TEST_CASE("check --against: a file grows by a line for each run, and the slow run fails after five") {
  Days days;
  for (int day = 0; day < 5; ++day) {
    CHECK(days.check_day(day) == 0);
    CHECK_THAT(days.out.str(), ContainsSubstring("SKIP  as fast as this GPU was"));
  }
  CHECK(days.lines() == 5);
  CHECK(days.check_day(5) == 0);
  CHECK_THAT(days.out.str(), !ContainsSubstring("as fast as this GPU was  "));
  CHECK(days.check_day(6, 0.85) == 1);
  CHECK_THAT(days.out.str(), ContainsSubstring("FAIL  as fast as this GPU was: "));
  CHECK_THAT(days.out.str(), ContainsSubstring("of 6 earlier runs"));
  CHECK_THAT(days.out.str(), !ContainsSubstring("▁"));
  CHECK(days.lines() == 7);
  CHECK_THAT(days.content("h.jsonl"), ContainsSubstring(R"("verdict":"fail")"));
  CHECK(days.check_day(7, 0.85) == 1);  // the slow run did not become the baseline
  CHECK_THAT(days.out.str(), ContainsSubstring("of 6 earlier runs"));
  const std::string words = report::join(report::split(days.out.str(), '\n'), " ");
  CHECK_THAT(words, ContainsSubstring("2026-10-16T10:00:00Z"));
  CHECK(days.check_day(7, 0.85) == 1);
  CHECK(days.lines() == 8);  // the same run is not added twice
}

TEST_CASE(
    "check --against: the history of a failed case is drawn where the terminal takes blocks, and is in the JSON") {
  Days days;
  for (int day = 0; day < 6; ++day) CHECK(days.check_day(day) == 0);
  days.out.str("");
  days.arguments.targets = {days.path("suite.json"), days.of_day(6, 0.85)};
  Environment environment = days.environment();
  environment.out_terminal = {.is_terminal = true, .block_characters = true};
  CHECK(run_check_command(days.arguments, environment) == 1);
  CHECK_THAT(days.out.str(), ContainsSubstring("▁ the last 6 runs and this one"));

  days.out.str("");
  days.arguments.shown = CheckFormat::json;
  CHECK(days.run() == 1);
  const json report = json::parse(days.out.str());
  const auto& checks = report["checks"];
  const auto failed = std::ranges::find_if(checks, [](const json& check) { return check["verdict"] == "fail"; });
  REQUIRE(failed != checks.end());
  CHECK((*failed)["earlier"].size() == 7);
  CHECK((*failed)["cases"] == json::array({2}));
}

TEST_CASE("check --against: a folder of reports is a history too, which is only read") {
  Days days;
  std::filesystem::create_directory(days.path("history"));
  days.arguments.against = days.path("history");
  CHECK(days.check_day(0) == 0);
  CHECK_THAT(days.out.str(), ContainsSubstring("0 earlier runs that passed, and it takes 5"));
  for (int day = 0; day < 6; ++day) days.of_day(day, 1, "history/" + std::to_string(day) + ".json");
  CHECK(days.check_day(6) == 0);
  CHECK(days.check_day(7, 0.85) == 1);
  days.write("history/notes.json", {{"no", "report"}});
  CHECK(days.check_day(8) == 0);
  CHECK_THAT(days.err.str(), ContainsSubstring("note: 1 file of the history left out, the first: "));
  const std::filesystem::directory_iterator entries(days.path("history"));
  CHECK(std::distance(begin(entries), end(entries)) == 7);
}

TEST_CASE("check --against: histories that cannot be used are refused before anything is measured") {
  CheckRun fixture;
  fixture.arguments.against = fixture.path("missing");
  CHECK_THROWS_WITH(fixture.run(), ContainsSubstring("there is no folder '"));
  fixture.arguments.against = fixture.path("suite.json");
  CHECK_THROWS_WITH(fixture.run(), ContainsSubstring("is neither a folder of reports nor a history"));
  fixture.write("other.jsonl", {{"schema_version", 1}});
  fixture.arguments.against = fixture.path("other.jsonl");
  CHECK_THROWS_WITH(fixture.run(), ContainsSubstring("is no history of gpumem check"));
  fixture.arguments.against = fixture.path("none/h.jsonl");
  CHECK_THROWS_WITH(fixture.run(), ContainsSubstring("No such file or directory"));
  CHECK(fixture.log.empty());  // nothing was measured in vain

  fixture.arguments.against = fixture.path("h.jsonl");
  fixture.arguments.dry_run = true;
  CHECK_THROWS_WITH(fixture.run(), ContainsSubstring("--dry-run measures nothing"));
  fixture.arguments.dry_run = false;
  fixture.arguments.backend = BackendChoice::model;
  CHECK_THROWS_WITH(fixture.run(), ContainsSubstring("--backend model measures nothing"));
  fixture.arguments.backend = BackendChoice::cuda;

  CHECK(fixture.run() == 0);  // a GPU without a UUID has no history
  CHECK_THAT(fixture.out.str(), ContainsSubstring("the GPU has no UUID"));
  CHECK_FALSE(std::filesystem::exists(fixture.path("h.jsonl")));
}

}  // namespace gpumem::app::test_check_against
