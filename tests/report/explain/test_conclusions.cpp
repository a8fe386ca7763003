#include "report/explain/explain.hpp"
#include "report/record/cases.hpp"
#include "report/write/writers.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_conclusions {

namespace {

Record make(const std::string& way, std::uint64_t size, double measured, double predicted) {
  Record record;
  record.probe = "p";
  record.swept = "size_bytes";
  record.compared = "way";
  record.baseline = "plain";
  record.parameters = {{"size_bytes", size}, {"way", way}};
  record.useful_bytes_read = 3'000'000'000;
  if (measured > 0) {
    record.headline.measured = measured;
    record.time = examples::time_record(3 / measured, 15);
  }
  if (predicted > 0) {
    record.headline.predicted = predicted;
    record.predicted_s = 3 / predicted;
  }
  record.metrics = {{"setup_us", 7, {}}, {"never_known_us", {}, {}}};
  return record;
}

Conclusion one_fact(const std::string& text) { return {.facts = {{FactKind::fastest, {0}, text}}}; }

/// A probe "p" whose conclusion tells what it was given.
struct Listener {
  std::vector<std::vector<Outcome>> heard = {};
  Conclusion answer = {};
  Probe probe = {};

  ProbeLookup lookup() {
    probe.name = "p";
    probe.conclude = [this](std::span<const Outcome> outcomes) {
      heard.emplace_back(outcomes.begin(), outcomes.end());
      return answer;
    };
    return [this](std::string_view name) { return name == "p" ? &probe : nullptr; };
  }
};

}  // namespace

TEST_CASE("A conclusion hears of the cases that ran: of what was measured, and of what was predicted") {
  std::vector<Record> results = {make("plain", 4, 0, 10), make("plain", 8, 20, 30), make("other", 4, 0, 0)};
  results[0].status = Status::failed;
  results.push_back(make("other", 8, 0, 60));
  Listener listener;
  static_cast<void>(conclusions(results, listener.lookup()));
  REQUIRE(listener.heard.size() == 2);
  REQUIRE(listener.heard[0].size() == 1);
  const Outcome& measured = listener.heard[0][0];
  CHECK(measured.tested.probe == &listener.probe);
  CHECK(measured.tested.number("size_bytes") == 8);
  CHECK(measured.headline == 20);
  CHECK(measured.predicted == 30.0);
  CHECK(measured.seconds == Approx(0.15));
  CHECK(measured.bytes_per_s == Approx(20e9));
  CHECK(measured.metric("setup_us") == 7.0);
  CHECK_FALSE(measured.metric("never_known_us"));
  REQUIRE(listener.heard[1].size() == 2);
  const Outcome& predicted = listener.heard[1][1];
  CHECK(predicted.tested.name("way") == "other");
  CHECK_FALSE(predicted.predicted);
  CHECK(predicted.seconds == Approx(0.05));
  CHECK(predicted.bytes_per_s == Approx(60e9));
  CHECK_FALSE(predicted.metric("setup_us"));
}

TEST_CASE("What several cases show stands beside them, measured and predicted") {
  const std::vector<Record> results = {make("plain", 4, 0, 0), make("plain", 8, 20, 30), make("other", 8, 10, 0)};
  Listener listener{.answer = {{}, {{"best_size_bytes", 8, {0}}}}};
  const std::vector<ConclusionRecord> found = conclusions(results, listener.lookup());
  REQUIRE(found.size() == 1);
  CHECK(found[0].probe == "p");
  CHECK(found[0].cases == std::vector<std::size_t>{1});
  CHECK(found[0].advice.empty());
  REQUIRE(found[0].quantities.size() == 1);
  CHECK(found[0].quantities[0].name == "best_size_bytes");
  CHECK(found[0].quantities[0].measured == 8.0);
  CHECK(found[0].quantities[0].predicted == 8.0);
  CHECK(results[1].metrics.size() == 2);
}

TEST_CASE("A fact has its text, its values and its cases among the results") {
  std::vector<Record> results = {make("plain", 4, 0, 0), make("plain", 8, 20, 30), make("other", 8, 10, 10)};
  results[1].headline.ci95_low = 19;
  results[1].headline.ci95_high = 22;
  Listener listener{.answer = {.facts = {{FactKind::costs,
                                          {1, 0},
                                          "{way} takes {slowdown_ratio} as long.",
                                          {{"way", "other"}, {"slowdown_ratio", 2.0, 3.0}}},
                                         {FactKind::capacity, {0}, "{held_bytes} fit.", {{"held_bytes", 65536.0}}}}}};
  const std::vector<ConclusionRecord> found = conclusions(results, listener.lookup());
  REQUIRE(found.size() == 1);
  CHECK(found[0].advice == "Other takes 2.00 x (predicted 3.00 x) as long. 64 KiB fit.");
  REQUIRE(found[0].facts.size() == 2);
  CHECK(found[0].facts[0].kind == "costs");
  CHECK(found[0].facts[0].cases == std::vector<std::size_t>{2, 1});
  CHECK(found[0].facts[1].text == "64 KiB fit.");
  CHECK(listener.heard[0][0].interval == std::pair(19.0, 22.0));
  CHECK(listener.heard[0][1].index == 1);
  CHECK_FALSE(listener.heard[0][1].interval);
  CHECK(findings(results, found) ==
        std::vector<std::string>{"Other takes 2.00 x (predicted 3.00 x) as long.\n64 KiB fit.\nPredictions are off by "
                                 "up to 50 % (at way plain)."});
}

TEST_CASE("Nothing is concluded from nothing, by probes that conclude nothing, or by unknown ones") {
  std::vector<Record> results = {make("plain", 4, 0, 0), make("plain", 8, 20, 30)};
  results[1].status = Status::skipped;
  Listener listener{.answer = one_fact("Do.")};
  CHECK(conclusions(results, listener.lookup()).empty());
  CHECK(listener.heard.empty());
  results[1].status = Status::ok;
  CHECK(conclusions(results, listener.lookup()).size() == 1);
  CHECK(conclusions(results, [](std::string_view) { return nullptr; }).empty());
  const ProbeLookup lookup = listener.lookup();
  listener.probe.conclude = {};
  CHECK(conclusions(results, lookup).empty());
}

TEST_CASE("Every table has conclusions of its own") {
  const Report report = examples::transfers();
  std::size_t fixed_costs = 0;
  for (const ConclusionRecord& conclusion : report.conclusions) {
    if (conclusion.quantities.empty()) continue;
    REQUIRE(conclusion.cases.size() == 1);
    const bool pageable = report.results[conclusion.cases[0]].parameters[1].value == Value("pageable");
    CHECK(conclusion.quantities[0].measured == (pageable ? 7 : 2.6));
    ++fixed_costs;
  }
  const auto ran = std::ranges::count(report.results, Status::ok, &Record::status);
  CHECK(fixed_costs == static_cast<std::size_t>(ran));
  CHECK(report.findings.size() == 2);
}

TEST_CASE("A finding is the advice, how far predictions hold, and what did not run") {
  std::vector<Record> results = {make("plain", 4, 10, 11), make("plain", 8, 20, 26), make("other", 4, 40, 40)};
  Listener listener{.answer = one_fact("Use the other way. It is faster.")};
  const ProbeLookup lookup = listener.lookup();
  CHECK(
      findings(results, conclusions(results, lookup)) ==
      std::vector<std::string>{"Use the other way. It is faster.\nPredictions are off by up to 30 % (at size 8 bytes, "
                               "way plain)."});
  results[1].status = Status::skipped;
  results[1].reason = "no room";
  results[0].headline.predicted = 10.2;
  CHECK(findings(results, conclusions(results, lookup)) ==
        std::vector<std::string>{"Use the other way. It is faster.\nPredicted within 2 %. 1 case was skipped."});
  for (Record& record : results) record.status = Status::failed;
  CHECK(findings(results, conclusions(results, lookup)).front().starts_with("Nothing ran: 3 cases failed"));
}

TEST_CASE("Advice from predictions alone says so") {
  const std::vector<Record> results = {make("plain", 4, 0, 11), make("other", 4, 0, 40)};
  Listener listener{.answer = one_fact("Use the other way.")};
  CHECK(findings(results, conclusions(results, listener.lookup())) ==
        std::vector<std::string>{"Predicted: Use the other way."});
}

}  // namespace gpumem::report::test_conclusions
