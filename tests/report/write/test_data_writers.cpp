// JSON, CSV and Markdown, which programs read.

#include <algorithm>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>

#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/report/write/written_reports.hpp"

namespace gpumem::report::test_data_writers {

using namespace written_reports;

TEST_CASE("The JSON report keeps the contract's names and order") {
  const auto json = nlohmann::ordered_json::parse(text_of(examples::measured_copy(), write_json));
  const auto keys = [](const nlohmann::ordered_json& object) {
    std::vector<std::string> names;
    for (auto item = object.begin(); item != object.end(); ++item) names.push_back(item.key());
    return names;
  };
  CHECK(keys(json) == std::vector<std::string>{
                          "schema_version", "tool",       "command",        "started_at", "backend",     "profile",
                          "profile_source", "host",       "host_placement", "device",     "devices",     "suite",
                          "watched_flags",  "quantities", "words",          "program",    "conclusions", "passed",
                          "checks",         "findings",   "results"});
  CHECK(keys(json["device"]) == std::vector<std::string>{"name",
                                                         "uuid",
                                                         "pci_bus_id",
                                                         "compute_capability",
                                                         "multiprocessors",
                                                         "l2_bytes",
                                                         "memory_bytes",
                                                         "memory_bus_bits",
                                                         "memory_clock_hz",
                                                         "sm_clock_hz",
                                                         "theoretical_bandwidth_gb_per_s",
                                                         "ecc",
                                                         "mig",
                                                         "pcie",
                                                         "shared_bytes_per_block",
                                                         "shared_bytes_per_multiprocessor",
                                                         "threads_per_multiprocessor",
                                                         "copy_engines",
                                                         "integrated",
                                                         "maps_host_memory",
                                                         "numa_node",
                                                         "driver_version",
                                                         "runtime_version"});
  const auto& result = json["results"][0];
  CHECK(keys(result) == std::vector<std::string>{"probe",
                                                 "parameters",
                                                 "swept",
                                                 "compared",
                                                 "baseline",
                                                 "chosen_by_auto",
                                                 "status",
                                                 "reason",
                                                 "verified",
                                                 "headline",
                                                 "useful_bytes",
                                                 "useful_flops",
                                                 "time_seconds",
                                                 "predicted_seconds",
                                                 "no_prediction",
                                                 "bandwidth_gb_per_s",
                                                 "peak_gb_per_s",
                                                 "fraction_of_peak",
                                                 "relative_to_baseline",
                                                 "access",
                                                 "bottleneck",
                                                 "stages",
                                                 "why",
                                                 "counters",
                                                 "metrics",
                                                 "metrics_predicted",
                                                 "timeline",
                                                 "flags"});
  CHECK(keys(result["time_seconds"]) ==
        std::vector<std::string>{"median", "ci95_low", "ci95_high", "min", "p05", "p95", "count", "samples"});
  CHECK(json["device"]["theoretical_bandwidth_gb_per_s"].get<double>() == Approx(4814.304));
  CHECK(result["parameters"]["offset_elements"].is_number_integer());
  CHECK(result["useful_bytes"]["read"].is_number_integer());
  CHECK(result["time_seconds"]["samples"].size() == 15);
  CHECK(json["results"][5]["time_seconds"].is_null());
}

TEST_CASE("JSON says where host memory lies, what the link can do, and when stages ran") {
  const auto json = nlohmann::json::parse(text_of(examples::transfers(), write_json));
  CHECK(json["host_placement"] == nlohmann::json{{"numa_node", 0}, {"how", "bound to the GPU's node"}});
  CHECK(json["device"]["numa_node"] == 0);
  CHECK(json["device"]["copy_engines"] == 3);
  CHECK(json["device"]["pcie"]["theoretical_gb_per_s"].get<double>() == Approx(63.015));
  CHECK(json["results"][0]["compared"] == "host_memory");
  CHECK(json["results"][0]["baseline"] == "pageable");
  CHECK(json["results"][0]["timeline"].is_null());

  Report overlap = examples::overlap();
  overlap.device->pcie_width = std::nullopt;
  overlap.device->copy_engines = 0;
  const std::string text = text_of(overlap, write_json);
  const auto other = nlohmann::json::parse(text);
  CHECK(other["host_placement"]["numa_node"].is_null());
  CHECK(other["device"]["copy_engines"].is_null());
  CHECK(other["device"]["pcie"]["theoretical_gb_per_s"].is_null());
  CHECK(other["results"][0]["timeline"].size() == 3);
  CHECK(text.find("\n        {\"stage\": \"copy in\", \"stream\": 0, \"start_s\": 0, \"end_s\": 0.00484},\n") !=
        std::string::npos);
}

TEST_CASE("Numbers in JSON read back as they were") {
  const Report report = examples::banks();
  const auto json = nlohmann::json::parse(text_of(report, write_json));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const auto& time = json["results"][i]["time_seconds"];
    CHECK(time["median"].get<double>() == report.results[i].time->summary.median.count());
    CHECK(time["samples"][7].get<double>() == report.results[i].time->samples[7].count());
  }
}

TEST_CASE("What is absent or not finite is null, and bytes that are not UTF-8 do not stop a report") {
  Report report;
  report.command = {"gpumem", "bad\xff\"name\n"};
  report.results.emplace_back();
  report.results[0].headline.measured = std::numeric_limits<double>::quiet_NaN();
  report.results[0].fraction_of_peak = std::numeric_limits<double>::infinity();
  report.results[0].metrics = {{"latency_cycles", std::numeric_limits<double>::quiet_NaN(), {}}, {"occupancy", {}, {}}};
  const auto json = nlohmann::json::parse(text_of(report, write_json));
  CHECK(json["device"].is_null());
  CHECK(json["tool"]["git_commit"].is_null());
  CHECK(json["command"][1] == "bad\xEF\xBF\xBD\"name\n");
  const auto& result = json["results"][0];
  CHECK(result["bandwidth_gb_per_s"]["measured"].is_null());
  CHECK(result["fraction_of_peak"].is_null());
  CHECK(result["metrics"]["latency_cycles"].is_null());
  CHECK(result["metrics"]["occupancy"].is_null());
  CHECK(result["counters"].is_null());
}

TEST_CASE("CSV quotes what needs quoting and has as many fields in every row") {
  Report report = examples::dry_run();
  report.results[0].reason = "one, \"two\"\nthree";
  const std::string text = text_of(report, in_csv);
  CHECK(text.find(",\"one, \"\"two\"\"\nthree\",") != std::string::npos);

  const auto lines = lines_of(text_of(examples::banks(), in_csv));
  for (const std::string& line : lines) {
    CHECK(std::ranges::count(line, ',') == std::ranges::count(lines.front(), ','));
  }
}

TEST_CASE("CSV has the columns that hold something, all of them, or those that are named") {
  const Report report = examples::banks();
  const auto header = [&](const std::vector<std::string>& columns) {
    std::ostringstream out;
    write_csv(out, report, columns);
    return lines_of(out.str()).front();
  };
  const std::string all = header({"all"});
  const std::string some = header({});
  CHECK(all.find("counters.global_load_sectors") != std::string::npos);
  CHECK(some.find("counters.") == std::string::npos);
  CHECK(some.find("parameters.stride_words") != std::string::npos);
  CHECK(header({"stride_words", "probe", "median"}) == "parameters.stride_words,probe,time_seconds.median");
  CHECK(header({"stride", "counters.global_load_sectors"}) == "parameters.stride_words,counters.global_load_sectors");
  try {
    static_cast<void>(header({"bandwith"}));
    FAIL();
  } catch (const Error& error) {
    CHECK(std::string(error.what()).starts_with("--columns: these cases have no column 'bandwith'"));
  }
}

TEST_CASE("A list of cases has the columns that are named, and no others") {
  const Report report = examples::banks();
  std::ostringstream out;
  write(out, report, Format::table, {.width = 120, .columns = {"stride", "probe"}});
  const auto lines = lines_of(out.str());
  const auto header = std::ranges::find_if(lines, [](const std::string& line) { return line.ends_with("probe"); });
  REQUIRE(header != lines.end());
  CHECK(static_cast<std::size_t>(std::count(lines.begin(), lines.end(), *header)) == 1);
  CHECK(std::ranges::count_if(lines, [](const std::string& line) { return line.ends_with(" bank"); }) ==
        static_cast<std::ptrdiff_t>(report.results.size()));
}

TEST_CASE("Many probes in brief fit one screen, those that teach most first") {
  std::ostringstream out;
  write(out, examples::measured_copy(), Format::table, {.width = 100, .brief = true});
  const std::string text = out.str();
  CHECK(lines_of(text).size() <= 40);
  CHECK(text.find("All of one: gpumem probe NAME") != std::string::npos);
}

TEST_CASE("Markdown escapes what would be markup") {
  Report report = examples::single_cases();
  report.results[0].status = Status::failed;
  report.results[0].reason = "a | b <c> *d*\nend";
  const std::string text = text_of(report, in_markdown);
  CHECK(text.find("failed: a \\| b \\<c\\> \\*d\\* end") != std::string::npos);
}

}  // namespace gpumem::report::test_data_writers
