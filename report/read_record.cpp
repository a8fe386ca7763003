#include "report/read_record.hpp"

#include <nlohmann/json.hpp>
#include <stdexcept>

#include "report/readings.hpp"

namespace gpumem::report {

namespace {

using Json = nlohmann::ordered_json;  // keeps the order of parameters and metrics

template <class T>
std::optional<T> optional(const Json& value) {
  return value.is_null() ? std::nullopt : std::optional(value.get<T>());
}

// The library would turn -1 into 2^64 - 1, and iterate over what is no container.

std::uint64_t whole(const Json& value) {
  if (!value.is_number_unsigned()) throw std::runtime_error("not a record: no whole number where there should be one");
  return value.get<std::uint64_t>();
}

const Json& array(const Json& value) {
  if (!value.is_array()) throw std::runtime_error("not a record: no array where there should be one");
  return value;
}

const Json& object(const Json& value) {
  if (!value.is_object()) throw std::runtime_error("not a record: no object where there should be one");
  return value;
}

Value to_value(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  return whole(value);
}

Reading to_reading(const Json& value) {
  return {optional<double>(value.at("predicted")), optional<double>(value.at("counted"))};
}

SiteRecord to_site(const Json& value) {
  return {.site = value.at("site"),
          .space = value.at("space"),
          .op = value.at("op"),
          .word_bytes = static_cast<unsigned>(whole(value.at("word_bytes"))),
          .sectors_per_request = to_reading(value.at("sectors_per_request")),
          .wavefronts_per_request = to_reading(value.at("wavefronts_per_request"))};
}

TimeRecord to_time(const Json& value) {
  const auto seconds = [&](const char* name) { return measure::Seconds(value.at(name).get<double>()); };
  TimeRecord time;
  time.summary = {.median = seconds("median"),
                  .ci95_low = seconds("ci95_low"),
                  .ci95_high = seconds("ci95_high"),
                  .min = seconds("min"),
                  .p05 = seconds("p05"),
                  .p95 = seconds("p95"),
                  .count = whole(value.at("count"))};
  for (const Json& sample : array(value.at("samples"))) time.samples.emplace_back(sample.get<double>());
  return time;
}

measure::StageSpan to_span(const Json& value) {
  return {.stage = value.at("stage"),
          .stream = static_cast<unsigned>(whole(value.at("stream"))),
          .start_s = value.at("start_s"),
          .end_s = value.at("end_s")};
}

Status to_status(const std::string& name) {
  for (const Status status : {Status::ok, Status::skipped, Status::failed}) {
    if (to_string(status) == name) return status;
  }
  throw std::runtime_error("no such status: " + name);
}

Record to_record(const Json& json) {
  Record record;
  record.probe = json.at("probe");
  for (const auto& [name, value] : object(json.at("parameters")).items())
    record.parameters.push_back({name, to_value(value)});
  record.swept = json.at("swept");
  record.compared = optional<std::string>(json.at("compared")).value_or("");
  record.baseline = to_value(json.at("baseline"));
  record.chosen = json.at("chosen_by_auto");
  record.status = to_status(json.at("status"));
  record.reason = optional<std::string>(json.at("reason"));
  record.verified = optional<bool>(json.at("verified"));
  record.useful_bytes_read = whole(json.at("useful_bytes").at("read"));
  record.useful_bytes_written = whole(json.at("useful_bytes").at("written"));
  if (const Json& time = json.at("time_seconds"); !time.is_null()) record.time = to_time(time);
  record.measured_gb_per_s = optional<double>(json.at("bandwidth_gb_per_s").at("measured"));
  record.predicted_gb_per_s = optional<double>(json.at("bandwidth_gb_per_s").at("predicted"));
  record.peak_gb_per_s = optional<double>(json.at("peak_gb_per_s"));
  record.fraction_of_peak = optional<double>(json.at("fraction_of_peak"));
  record.relative_measured = optional<double>(json.at("relative_to_baseline").at("measured"));
  record.relative_predicted = optional<double>(json.at("relative_to_baseline").at("predicted"));
  for (const Json& site : array(json.at("access"))) record.access.push_back(to_site(site));
  if (const Json& bottleneck = json.at("bottleneck"); !bottleneck.is_null()) {
    record.bottleneck = Bottleneck{bottleneck.at("predicted"), optional<std::string>(bottleneck.at("counted"))};
  }
  for (const auto& [name, value] : object(json.at("metrics")).items())
    record.metrics.push_back({name, optional<double>(value)});
  if (const Json& timeline = json.at("timeline"); !timeline.is_null()) {
    for (const Json& span : array(timeline)) record.timeline.push_back(to_span(span));
  }
  record.flags = json.at("flags");
  return record;
}

}  // namespace

Record read_record_line(std::string_view line) {
  // The library copies what an object holds when it grows, recursively: nesting without end would exhaust the stack.
  constexpr int deepest = 16;
  const auto check_depth = [](int depth, Json::parse_event_t, const Json&) {
    if (depth > deepest) throw std::runtime_error("not a record: nested too deep");
    return true;
  };
  try {
    return to_record(Json::parse(line, check_depth));
  } catch (const Json::exception& error) {
    throw std::runtime_error(std::string("not a record: ") + error.what());
  }
}

}  // namespace gpumem::report
