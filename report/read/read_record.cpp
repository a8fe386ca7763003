#include "report/read/read_record.hpp"

#include <fmt/format.h>

#include <cmath>
#include <stdexcept>

#include "probes/error.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

/// No quantity is so far from one that a product of several would leave what a double holds: what was computed from a
/// report has to be finite too.
constexpr double smallest = 1e-60;
constexpr double largest = 1e60;

bool is_moderate(double value) { return value == 0 || (std::abs(value) >= smallest && std::abs(value) <= largest); }

/// A time, a rate, a count: never negative.
double amount(const JsonReader& json) {
  const double value = json.number();
  if (value < 0 || !is_moderate(value)) {
    json.fail(fmt::format("a number that is 0 or from {} to {}", smallest, largest));
  }
  return value == 0 ? 0 : value;  // without the sign that zero may have
}

std::optional<double> amount_or_null(const JsonReader& json) {
  return json.number_or_null() ? std::optional(amount(json)) : std::nullopt;
}

/// A place in time, or what a probe makes of its readings.
double signed_amount(const JsonReader& json) {
  const double value = json.number();
  if (!is_moderate(value)) {
    json.fail(fmt::format("a number that is 0 or of a magnitude from {} to {}", smallest, largest));
  }
  return value == 0 ? 0 : value;
}

std::optional<double> signed_amount_or_null(const JsonReader& json) {
  return json.number_or_null() ? std::optional(signed_amount(json)) : std::nullopt;
}

Value to_value(const JsonReader& json) {
  if (json.is_text()) return json.text();
  if (!json.is_number()) json.fail("a whole number or a text");
  return json.whole();
}

Reading to_reading(const JsonReader& json) {
  return {amount_or_null(json.member("predicted")), amount_or_null(json.member("counted"))};
}

SiteRecord to_site(const JsonReader& json) {
  return {.site = json.member("site").text(),
          .space = json.member("space").text(),
          .op = json.member("op").text(),
          .word_bytes = json.member("word_bytes").small_whole(),
          .sectors_per_request = to_reading(json.member("sectors_per_request")),
          .wavefronts_per_request = to_reading(json.member("wavefronts_per_request"))};
}

TimeRecord to_time(const JsonReader& json) {
  const auto seconds = [&](const char* name) { return measure::Seconds(amount(json.member(name))); };
  TimeRecord time;
  time.summary = {.median = seconds("median"),
                  .ci95_low = seconds("ci95_low"),
                  .ci95_high = seconds("ci95_high"),
                  .min = seconds("min"),
                  .p05 = seconds("p05"),
                  .p95 = seconds("p95"),
                  .count = json.member("count").whole()};
  for (const JsonReader& sample : json.member("samples").items()) time.samples.emplace_back(amount(sample));
  return time;
}

StageRecord to_stage(const JsonReader& json) {
  return {json.member("stage").text(), amount_or_null(json.member("predicted_s")),
          amount_or_null(json.member("counted_s"))};
}

measure::StageSpan to_span(const JsonReader& json) {
  return {.stage = json.member("stage").text(),
          .stream = json.member("stream").small_whole(),
          .start_s = signed_amount(json.member("start_s")),
          .end_s = signed_amount(json.member("end_s"))};
}

measure::Counts to_counts(const JsonReader& json, WrittenBy writer) {
  measure::Counts counts;
  for (const measure::CounterField& field : measure::counter_fields()) {
    if (writer == WrittenBy::any_version && !json.has(field.name)) continue;
    counts.*field.value = amount_or_null(json.member(field.name));
  }
  return counts;
}

Status to_status(const JsonReader& json) {
  const std::string name = json.text();
  for (const Status status : {Status::ok, Status::skipped, Status::failed}) {
    if (to_string(status) == name) return status;
  }
  json.fail("ok, skipped or failed");
}

/// What reports did not have from the beginning.
void read_later_members(Record& record, const JsonReader& json, WrittenBy writer) {
  const auto if_there = [&](const char* name) -> std::optional<JsonReader> {
    if (writer == WrittenBy::this_version) static_cast<void>(json.member(name));
    return json.find(name);
  };
  if (const auto swept = if_there("swept")) {
    record.swept = swept->text();
  } else if (!record.parameters.empty()) {
    record.swept = record.parameters.front().name;  // where every probe has it
  }
  if (const auto chosen = if_there("chosen_by_auto")) record.chosen = chosen->texts();
  if (const auto peak = if_there("peak_gb_per_s")) record.peak_gb_per_s = amount(*peak);
  if (const auto relative = if_there("relative_to_baseline")) {
    record.relative_measured = amount_or_null(relative->member("measured"));
    record.relative_predicted = amount_or_null(relative->member("predicted"));
  }
  if (const auto compared = if_there("compared")) record.compared = compared->text();
  if (writer == WrittenBy::this_version || json.has("baseline")) record.baseline = to_value(json.member("baseline"));
  if (const auto stages = if_there("stages")) {
    for (const JsonReader& stage : stages->items()) record.stages.push_back(to_stage(stage));
  }
  if (const auto why = if_there("why")) record.why = why->text();
  if (const auto timeline = if_there("timeline")) {
    for (const JsonReader& span : timeline->items()) record.timeline.push_back(to_span(span));
  }
}

}  // namespace

Record read_record(const JsonReader& json, WrittenBy writer) {
  Record record;
  record.probe = json.member("probe").text();
  for (const auto& [name, value] : json.member("parameters").members()) {
    record.parameters.push_back({name, to_value(value)});
  }
  record.status = to_status(json.member("status"));
  record.reason = json.member("reason").text_or_null();
  record.verified = json.member("verified").boolean_or_null();
  const JsonReader bytes = json.member("useful_bytes");
  record.useful_bytes_read = bytes.member("read").whole();
  record.useful_bytes_written = bytes.member("written").whole();
  if (const JsonReader time = json.member("time_seconds"); !time.is_null()) record.time = to_time(time);
  const JsonReader bandwidth = json.member("bandwidth_gb_per_s");
  record.measured_gb_per_s = amount_or_null(bandwidth.member("measured"));
  record.predicted_gb_per_s = amount_or_null(bandwidth.member("predicted"));
  record.fraction_of_peak = amount_or_null(json.member("fraction_of_peak"));
  for (const JsonReader& site : json.member("access").items()) record.access.push_back(to_site(site));
  if (const JsonReader bottleneck = json.member("bottleneck"); !bottleneck.is_null()) {
    record.bottleneck = Bottleneck{bottleneck.member("predicted").text(), bottleneck.member("counted").text_or_null()};
  }
  if (const JsonReader counters = json.member("counters"); !counters.is_null()) {
    record.counters = to_counts(counters, writer);
  }
  for (const auto& [name, value] : json.member("metrics").members()) {
    record.metrics.push_back({name, signed_amount_or_null(value)});
  }
  read_later_members(record, json, writer);
  record.flags = json.member("flags").texts();
  return record;
}

Record read_record_line(std::string_view line) {
  const std::string source = "not a record";
  try {
    const Json json = parse_json(line, source);
    return read_record(JsonReader(json, source), WrittenBy::this_version);
  } catch (const Error& error) {
    throw std::runtime_error(error.what());  // nobody's command line is at fault
  }
}

}  // namespace gpumem::report
