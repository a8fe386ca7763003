#include <algorithm>
#include <limits>
#include <sstream>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.hpp"
#include "report/portrait/portrait.hpp"
#include "report/write/portraits/portrait.hpp"
#include "report/write/portraits/svg.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::report::test_portrait {

namespace {

Record level(const std::string& probe, const std::string& name, double measured, double predicted) {
  Record record;
  record.probe = probe;
  record.parameters = {{"level", name}};
  record.swept = "level";
  record.headline.quantity = probe == "latency" ? "latency_cycles" : std::string(bandwidth_name);
  record.headline.better = probe == "latency" ? Better::less : Better::more;
  record.headline.measured = measured;
  record.headline.predicted = predicted;
  return record;
}

Record shifted(std::uint64_t offset, const std::string& op, double measured) {
  Record record;
  record.probe = "offset";
  record.parameters = {{"offset_elements", offset}, {"op", op}, {"block_threads", op == "read" ? 256U : 512U}};
  record.chosen = {"block_threads"};
  record.swept = "offset_elements";
  record.headline.measured = measured;
  record.headline.predicted = measured * 1.2;
  return record;
}

/// Two levels, and shifts read and written.
Report small() {
  Report report;
  report.backend = "cuda";
  report.profile = "h200";
  report.device = Device{};
  report.device->name = "GPU <one>";
  report.started_at = "2026-01-02T03:04:05Z";
  report.tool.version = "1.2.3";
  report.command = {"gpumem", "portrait", "-o", "a b.html"};
  for (const auto& [name, rate, cycles] : {std::tuple("l1", 30000.0, 32.0), std::tuple("memory", 4000.0, 640.0)}) {
    Record at_best = level("hierarchy", name, rate, rate * 1.05);
    at_best.headline.peak = 1.25 * rate;
    at_best.fraction_of_peak = 0.8;
    at_best.metrics = {{"capacity_bytes", 1e5 * cycles, {}}, {"write_gb_per_s", {}, rate / 2}};
    report.results.push_back(at_best);
    Record chase = level("latency", name, cycles, cycles);
    chase.metrics = {{"latency_ns", cycles / 2, cycles / 2}};
    report.results.push_back(chase);
  }
  for (const char* op : {"read", "write"}) {
    for (const std::uint64_t offset : {0U, 1U, 8U}) {
      report.results.push_back(shifted(offset, op, offset == 1 ? 2000 : 4000));
    }
  }
  report.results.back().flags = {"throttled"};
  CheckRecord& check = report.checks.emplace_back();
  check.name = "reads reach the memory";
  check.verdict = Verdict::fail;
  check.reason = "0.5 < 0.65";
  return report;
}

std::string page_of(const std::vector<NamedReport>& reports) {
  std::ostringstream out;
  write_portrait_page(out, reports);
  return out.str();
}

/// Returns the page without its style, which does not change what it says.
std::string without_style(std::string page) {
  const std::size_t begin = page.find("<style>");
  const std::size_t end = page.find("</style>");
  REQUIRE(begin < end);
  return page.erase(begin, end - begin + std::string("</style>").size());
}

std::string table_of(const std::vector<NamedReport>& reports, unsigned width) {
  std::ostringstream out;
  write_portrait_table(out, reports, {.width = width, .color = false, .bars = false, .why = false});
  return out.str();
}

bool has(const Record& record, const std::string& name, std::uint64_t value) {
  return std::ranges::find(record.parameters, Parameter{name, value}) != record.parameters.end();
}

std::size_t count_of(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

std::vector<NamedReport> two() {
  Report other = small();
  other.backend = "model";
  other.device->name = "Other GPU";
  for (Record& record : other.results) record.headline.measured = std::nullopt;
  return {{"a.json", small()}, {"b.json", other}};
}

}  // namespace

TEST_CASE("A portrait takes its levels and curves from the readings", "[portrait]") {
  const Portrait portrait = portrait_of(small());
  CHECK(portrait.gpu == "GPU <one>");
  REQUIRE(portrait.levels.size() == 2);
  const PortraitLevel& l1 = portrait.levels.front();
  CHECK(l1.name == "L1 cache");
  CHECK(l1.per_multiprocessor);
  CHECK(l1.read_gb_per_s->value == 30000);
  CHECK_FALSE(l1.read_gb_per_s->predicted);
  CHECK(l1.latency_ns->value == 16);
  CHECK(l1.write_gb_per_s->predicted);
  CHECK_FALSE(l1.copy_gb_per_s);
  REQUIRE(portrait.ladder.size() == 2);
  CHECK(portrait.ladder.back().level == "memory");

  REQUIRE(portrait.charts.size() == 1);
  const PortraitChart& chart = portrait.charts.front();
  REQUIRE(chart.curves.size() == 2);  // what auto chose tells none apart
  CHECK(chart.curves.back().name == "write");
  CHECK(chart.curves.back().best(Better::more).x == 0);
  CHECK(chart.curves.back().worst(Better::more).place == "offset 1");
  CHECK(chart.curves.back().best(Better::less).value() == 2000);
}

TEST_CASE("Curves of a portrait differ in nothing but what is swept", "[portrait]") {
  Report report = small();
  for (const std::uint64_t offset : {0U, 1U, 8U}) {  // one thread each, as was asked for, and slower at every offset
    Record record = shifted(offset, "read", offset == 1 ? 950 : 1000);
    record.parameters.back().value = std::uint64_t{32};
    record.chosen.clear();
    report.results.push_back(record);
  }
  const Portrait portrait = portrait_of(report);
  REQUIRE(portrait.charts.front().curves.size() == 3);
  const PortraitCurve& first = portrait.charts.front().curves.front();
  const PortraitCurve& last = portrait.charts.front().curves.back();
  CHECK(first.name == "read, 256 threads per block");  // what else would tell the two apart?
  CHECK(portrait.charts.front().curves[1].name == "write");
  CHECK(last.name == "read, 32 threads per block");
  CHECK(first.worst(Better::more).value() == 2000);
  CHECK(last.best(Better::more).value() == 1000);
  CHECK(last.worst(Better::more).value() == 950);
  CHECK(last.worst(Better::more).place == "offset 1");
}

TEST_CASE("A portrait holds what was measured against what was measured", "[portrait]") {
  Report report = small();
  for (Record& record : report.results) {
    if (record.probe == "offset" && has(record, "offset_elements", 8)) record.headline.measured.reset();
  }
  const PortraitCurve curve = portrait_of(report).charts.front().curves.front();
  CHECK(curve.points.size() == 2);
  CHECK(curve.best(Better::more).place == "offset 0");  // and not the prediction at 8, which is more
  for (Record& record : report.results) record.headline.measured.reset();
  CHECK(portrait_of(report).charts.front().curves.front().points.size() == 3);
}

TEST_CASE("No line of a portrait goes over offsets that were not run", "[portrait]") {
  const auto joined = [](const Report& report) {
    std::vector<bool> found;
    const Portrait portrait = portrait_of(report);
    for (const PortraitPoint& point : portrait.charts.front().curves.front().points) found.push_back(point.joined);
    return found;
  };
  Report report = small();
  report.results.push_back(shifted(9, "read", 3000));
  CHECK(joined(report) == std::vector{false, true, false, true});  // 0, 1, 8, 9
  const std::string page = page_of({{"a.json", report}});
  // The curve of reads is in two pieces, each measured and predicted. For writes, 0 and 1 are the only pair besides 8.
  CHECK(count_of(page, "<polyline class=\"curve c0 r0 measured\"") == 2);
  CHECK(count_of(page, "<polyline class=\"curve c1 r0 measured\"") == 0);
  CHECK(count_of(page, "<polyline class=\"curve c0 r0 predicted\"") == 2);
  Report powers = small();
  powers.results.push_back(shifted(2, "read", 3000));
  powers.results.push_back(shifted(4, "read", 3000));
  CHECK(joined(powers) == std::vector{false, true, true, false, false});  // 0, 1, 2, 4, 8
  std::erase_if(powers.results,
                [](const Record& record) { return record.probe == "offset" && has(record, "offset_elements", 0); });
  CHECK(joined(powers) == std::vector{false, false, false, false});  // 1, 2, 4, 8
  for (Record& record : report.results) {                            // sizes in between are in between
    if (record.probe != "offset") continue;
    record.probe = "transfer";
    record.swept = record.parameters.front().name = "size_bytes";
    record.parameters.front().value = std::get<std::uint64_t>(record.parameters.front().value) + 1;
  }
  CHECK(joined(report) == std::vector{false, true, true, true});
}

TEST_CASE("Chases of a portrait that differ in more than the level say so", "[portrait]") {
  Report report = small();
  for (Record& record : report.results) {
    if (record.probe == "latency") record.parameters.push_back({"order", "random"});
  }
  Record paged = level("latency", "memory", 540, 540);
  paged.parameters.push_back({"order", "paged"});
  report.results.push_back(paged);
  const std::vector<PortraitStep> ladder = portrait_of(report).ladder;
  REQUIRE(ladder.size() == 3);
  CHECK(ladder[0].level == "l1, random");
  CHECK(ladder[1].level == "memory, paged");
  CHECK(ladder[2].level == "memory, random");
}

TEST_CASE("A portrait says what is unusual", "[portrait]") {
  const std::vector<std::string> said = portrait_of(small()).unusual;
  REQUIRE(said.size() == 3);
  CHECK(said[0] == "1 case ran while clocks were lowered for heat or power.");
  CHECK(said[1] == "Not as expected: reads reach the memory (0.5 < 0.65).");
  CHECK(said[2] ==
        "4 of 10 cases are within 10 % of what profile 'h200' predicts. Furthest: offset, offset 0, read: 4000 GB/s "
        "instead of 4800 GB/s; offset, offset 1, read: 2000 GB/s instead of 2400 GB/s; offset, offset 8, read: 4000 "
        "GB/s instead of 4800 GB/s.");
  Report left_out = small();
  left_out.checks.clear();
  left_out.profile.reset();
  left_out.results.back().flags.clear();
  CHECK(portrait_of(left_out).unusual.empty());
  left_out.results.back().status = Status::skipped;
  left_out.results.back().reason = "no such thing";
  left_out.results.front().status = Status::failed;
  CHECK(portrait_of(left_out).unusual ==
        std::vector<std::string>{"1 case failed, or moved wrong data.", "1 case skipped: no such thing."});
}

TEST_CASE("A portrait of several GPUs of a machine says how many they are", "[portrait]") {
  CHECK(page_of({{"all.json", examples::all_gpus()}}).find("<div class=\"about\">8 x NVIDIA H200, ") !=
        std::string::npos);
}

TEST_CASE("Portraits of several GPUs have names of their own", "[portrait]") {
  CHECK(portraits_of(two()).back().label == "Other GPU");
  std::vector<NamedReport> alike = two();
  alike.back().report.device = alike.front().report.device;
  CHECK(portraits_of(alike).back().label == "GPU <one>, b");
}

TEST_CASE("Portraits are written as the golden files show", "[portrait]") {
  const std::vector<NamedReport> alone = {{"a.json", small()}};
  compare_with_golden("portrait.html", without_style(page_of(alone)));
  compare_with_golden("portrait.80.txt", table_of(alone, 80));
  compare_with_golden("portraits.html", without_style(page_of(two())));
  compare_with_golden("portraits.60.txt", table_of(two(), 60));
}

TEST_CASE("A portrait of nothing is refused, and a page of it stands all the same", "[portrait]") {
  Report nothing = small();
  nothing.results.clear();
  CHECK_THROWS_AS(refuse_nothing_to_portray({"a.json", nothing}), Error);
  CHECK_NOTHROW(refuse_nothing_to_portray({"a.json", small()}));
  CHECK(page_of({{"a.json", nothing}}).ends_with("</html>\n"));
  Report odd = small();
  for (Record& record : odd.results) {
    record.headline.measured = std::numeric_limits<double>::infinity();
    record.headline.predicted = 0;
  }
  const std::string page = page_of({{"a.json", odd}});
  CHECK(page.find("inf") == std::string::npos);
  CHECK(page.find("nan") == std::string::npos);
}

TEST_CASE("Scales place values, and have round ticks", "[portrait]") {
  const std::vector<double> values = {3, 47};
  const Scale linear = scale_for(values, false, 0, 100, true);
  CHECK(linear.high == 50);
  CHECK(linear.at(25) == Approx(50));
  CHECK(linear.at(1e9) == 100);
  CHECK(linear.ticks() == std::vector<double>{0, 10, 20, 30, 40, 50});
  const Scale logarithmic = scale_for(values, true, 100, 0);
  CHECK(logarithmic.at(3) == Approx(100));
  CHECK(logarithmic.at(47) == Approx(0));
  CHECK(logarithmic.ticks() == std::vector<double>{5, 10, 20});
  const Scale same = scale_for(std::vector<double>{8, 8}, true, 0, 1);
  CHECK(same.at(8) == Approx(0.5));
  CHECK(scale_for(std::vector<double>{1, 1e6}, true, 0, 1).ticks().size() == 7);
}

}  // namespace gpumem::report::test_portrait
