#include "report/record/history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "engine/base/json_reader.hpp"
#include "report/record/cases.hpp"
#include "report/record/gpus.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr unsigned form = 1;  // of the lines

EarlierRun run_of(const Report& report, std::optional<std::uint64_t> gpu) {
  EarlierRun run{.time = report.started_at,
                 .uuid = report.device->uuid.value_or(""),
                 .gpu = report.device->name,
                 .driver = report.device->driver_version.value_or(""),
                 .gpumem = report.tool.version,
                 .cases = {}};
  const auto is_failure = [&](const CheckRecord& check) {
    return check.verdict == Verdict::fail && (!gpu || check.device == gpu);
  };
  run.healthy = std::ranges::none_of(report.checks, is_failure);
  for (const Record& record : report.results) {
    if (const auto found = history_case(record)) run.cases.try_emplace(history_key(record), *found);
  }
  return run;
}

Json six_digits(double value) { return Json::parse(fmt::format("{:.6g}", value)); }
Json six_digits(const std::optional<double>& value) { return value ? six_digits(*value) : Json(nullptr); }

EarlierCase read_case(const JsonReader& json) {
  const std::vector<JsonReader> items = json.items();
  if (items.size() != 3) json.fail("a value and the ends of its interval");
  const double value = items[0].moderate_number();
  if (value <= 0) items[0].fail("a number above 0");
  return {.value = value, .ci95_low = items[1].number_or_null(), .ci95_high = items[2].number_or_null()};
}

}  // namespace

double EarlierCase::uncertainty() const {
  if (!ci95_low || !ci95_high) return 0;
  return std::max(0.0, (*ci95_high - *ci95_low) / 2 / value);
}

std::string history_key(const Record& record) {
  const std::vector<std::string> parts = split(asked_key(record), '\n');
  return join(parts, " ") + " " + record.headline.quantity;
}

std::optional<EarlierCase> history_case(const Record& record) {
  const auto value = record.ran() && !record.shared_host() ? positive_headline(record, true) : std::nullopt;
  if (!value) return std::nullopt;
  return EarlierCase{.value = *value,
                     .ci95_low = positive(record.headline.ci95_low),
                     .ci95_high = positive(record.headline.ci95_high)};
}

std::vector<EarlierRun> runs_of(const Report& report) {
  std::vector<EarlierRun> runs;
  if (report.is_prediction() || report.program || !report.device) return runs;
  for (const GpuPart& part : gpu_parts(report)) runs.push_back(run_of(part.report, part.gpu));
  if (runs.empty()) runs.push_back(run_of(report, std::nullopt));
  for (const PairPart& part : pair_parts(report)) runs.push_back(run_of(part.report, std::nullopt));
  std::erase_if(runs, [](const EarlierRun& run) { return run.cases.empty(); });
  return runs;
}

std::string history_line(const EarlierRun& run) {
  Json line;
  line["gpumem_history"] = form;
  line["time"] = run.time;
  line["uuid"] = run.uuid;
  line["gpu"] = run.gpu;
  line["driver"] = run.driver;
  line["gpumem"] = run.gpumem;
  line["verdict"] = to_string(run.healthy ? Verdict::pass : Verdict::fail);
  Json& cases = line["cases"] = Json::object();
  for (const auto& [key, found] : run.cases) {
    cases[key] = {six_digits(found.value), six_digits(found.ci95_low), six_digits(found.ci95_high)};
  }
  return line.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::optional<EarlierRun> read_history_line(std::string_view line, const std::string& source) {
  const JsonText text(line, source);
  const JsonReader json = text.root();
  if (json.member("gpumem_history").whole(1) > form) return std::nullopt;
  EarlierRun run{.time = json.member("time").text(),
                 .uuid = json.member("uuid").text(),
                 .gpu = json.member("gpu").text(),
                 .driver = json.member("driver").text(),
                 .gpumem = json.member("gpumem").text(),
                 .healthy = json.member("verdict").text() == to_string(Verdict::pass),
                 .cases = {}};
  for (const auto& [key, value] : json.member("cases").members()) run.cases[key] = read_case(value);
  return run;
}

}  // namespace gpumem::report
