#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"
#include "report/record/gpus.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

constexpr double bytes_per_gb = 1e9;  // not / per_giga, which is off in the last digit

using Labels = std::vector<std::pair<std::string, std::string>>;

/// A name that the format allows: parameters of a report that somebody edited may be called anything.
std::string label_name(std::string_view name) {
  std::string result(name);
  for (char& c : result) {
    if (!is_digit(c) && !(c >= 'a' && c <= 'z') && !(c >= 'A' && c <= 'Z')) c = '_';
  }
  if (result.starts_with("__") || result.empty()) return "parameter" + result;
  return is_digit(result.front()) ? "_" + result : result;
}

std::string text_of(const Labels& labels) {
  std::string text;
  for (const auto& [name, value] : labels) {
    text += fmt::format("{}{}=\"{}\"", text.empty() ? "" : ",", name,
                        escaped(valid_utf8(value), {{'\\', "\\\\"}, {'"', "\\\""}, {'\n', "\\n"}}));
  }
  return text.empty() ? "" : "{" + text + "}";
}

/// The samples of one metric; no two have the same labels.
struct Gauge {
  std::string name;
  std::string help;
  std::vector<std::pair<std::string, double>> samples = {};
  std::map<std::string, std::size_t> index = {};  // of the labels

  void add(const Labels& labels, std::optional<double> value) {
    if (!value || !std::isfinite(*value)) return;
    const std::string text = text_of(labels);
    const auto [place, is_new] = index.emplace(text, samples.size());
    if (is_new) samples.emplace_back(text, 0);
    samples[place->second].second = *value;
  }

  void write(std::ostream& out) const {
    if (samples.empty()) return;
    out << "# HELP " << name << ' ' << help << "\n# TYPE " << name << " gauge\n";
    for (const auto& [labels, value] : samples) out << name << labels << ' ' << fmt::format("{}", value) << '\n';
  }
};

/// The labels that name the report's suite and GPU.
Labels origin_of(const Report& report) {
  Labels labels;
  if (report.suite) labels.emplace_back("suite", *report.suite);
  if (report.device) {
    labels.emplace_back("gpu", report.device->name);
    if (report.device->uuid) labels.emplace_back("uuid", *report.device->uuid);
    if (report.device->index) labels.emplace_back("device", std::to_string(*report.device->index));
  }
  return labels;
}

Labels with(Labels labels, const Labels& more) {
  labels.insert(labels.end(), more.begin(), more.end());
  return labels;
}

Labels labels_of(const Record& record, const Labels& origin) {
  Labels labels = with(origin, {{"probe", record.probe}});
  for (const Parameter& parameter : record.parameters) {
    std::string name = label_name(parameter.name);
    while (std::ranges::find(labels, name, &Labels::value_type::first) != labels.end()) name += '_';
    labels.emplace_back(std::move(name), gpumem::to_string(parameter.value));
  }
  return labels;
}

/// The same for a case between GPUs, with the UUIDs of both.
Labels labels_of_pair(const Record& record, const Report& report, const Labels& origin) {
  Labels labels = labels_of(record, origin);
  const auto pair = gpu_pair(record);
  if (!pair) return labels;
  for (const auto& [name, gpu] : {std::pair("source_uuid", pair->source), std::pair("target_uuid", pair->target)}) {
    if (const auto uuid = device_of(report, gpu).uuid) labels.emplace_back(name, *uuid);
  }
  return labels;
}

/// "2026-11-21T10:00:00Z" as seconds since 1970; absent for anything else.
std::optional<double> seconds_since_epoch(const std::string& text) {
  constexpr const char* form = "%Y-%m-%dT%H:%M:%SZ";
  std::tm time{};
  if (::strptime(text.c_str(), form, &time) == nullptr) return std::nullopt;
  const std::time_t seconds = ::timegm(&time);  // which puts 31 February right, so that it is another text
  char again[sizeof "0000-00-00T00:00:00Z"] = {};
  std::strftime(again, sizeof again, form, &time);
  return text == again ? std::optional(static_cast<double>(seconds)) : std::nullopt;
}

struct Gauges {
  Gauge bandwidth{"gpumem_bandwidth_bytes_per_second",
                  "Useful bytes moved per second; reading says whether measured or predicted."};
  Gauge fraction{"gpumem_fraction_of_peak_ratio", "The headline as a share of the best that the hardware could do."};
  Gauge headline{"gpumem_headline", "The number that the probe is about; labels say which, and which way is better."};
  Gauge metric{"gpumem_metric", "A further number of the case; the label says which."};
  Gauge conclusion{"gpumem_conclusion",
                   "Quantities that several cases of a probe show together; cases are their indices."};
  Gauge flagged{"gpumem_case_flagged", "1 for a case that carries the flag."};
  Gauge flagged_cases{"gpumem_flagged_cases", "Cases that carry a flag, of each flag that was watched."};
  Gauge cases{"gpumem_cases", "Cases by status."};
  Gauge passed{"gpumem_check_passed", "1 if the check passed, 0 if it failed; absent if it was skipped."};
  Gauge skipped{"gpumem_check_skipped", "1 if the check was skipped, else 0."};
  Gauge suite_passed{"gpumem_suite_passed", "1 if the check as a whole passed, else 0."};
  Gauge last_run{"gpumem_last_run_timestamp_seconds", "When the run started, in seconds since 1970."};

  void add(const Report& report) {
    const Labels origin = origin_of(report);
    std::map<std::string, double> by_status = {{"failed", 0}, {"ok", 0}, {"skipped", 0}};
    std::map<std::string, double> by_flag;
    if (report.watched) {
      for (const std::string& flag : *report.watched) by_flag[flag] = 0;
    }
    for (const Record& record : report.results) {
      ++by_status[std::string(to_string(record.status))];
      add(record, labels_of(record, origin));
      for (const std::string& flag : record.flags) ++by_flag[flag];
    }
    for (const auto& [status, count] : by_status) cases.add(with(origin, {{"status", status}}), count);
    for (const auto& [flag, count] : by_flag) flagged_cases.add(with(origin, {{"flag", flag}}), count);
    for (const ConclusionRecord& concluded : report.conclusions) {
      const std::string indices = fmt::format("{}", fmt::join(concluded.cases, ","));
      for (const auto& [name, measured, predicted] : concluded.quantities) {
        conclusion.add(with(origin, {{"probe", concluded.probe},
                                     {"cases", indices},
                                     {"reading", measured ? "measured" : "predicted"},
                                     {"quantity", name}}),
                       measured ? measured : predicted);
      }
    }
    for (const CheckRecord& check : report.checks) add(check, origin);
    add_whole(report, origin);
    last_run.add(origin, seconds_since_epoch(report.started_at));
  }

  void add(const CheckRecord& check, const Labels& origin) {
    const Labels labels = with(origin, {{"check", check.name}});
    const bool is_skip = check.verdict == Verdict::skip;
    skipped.add(labels, is_skip ? 1 : 0);
    if (!is_skip) passed.add(labels, check.verdict == Verdict::pass ? 1 : 0);
  }

  void add_whole(const Report& report, const Labels& origin) {
    if (report.passed) suite_passed.add(origin, *report.passed ? 1 : 0);
  }

  /// Adds a report. For several GPUs side by side it adds what each alone would give, and what holds for all together.
  void add_each(const Report& report) {
    const std::vector<GpuPart> parts = gpu_parts(report);
    if (parts.empty()) return add(report);
    for (const GpuPart& part : parts) add(part.report);
    Labels origin;
    if (report.suite) origin.emplace_back("suite", *report.suite);
    if (const auto between = between_gpus(report)) {
      for (const Record& record : between->report.results) add(record, labels_of_pair(record, report, origin));
    }
    for (const CheckRecord& check : report.checks) {
      if (!check.device) add(check, origin);
    }
    add_whole(report, origin);
  }

  void add(const Record& record, const Labels& labels) {
    for (const std::string& flag : record.flags) flagged.add(with(labels, {{"flag", flag}}), 1);
    if (record.status != Status::ok || !record.headline.value()) return;
    const Labels read = with(labels, {{"reading", record.headline.measured ? "measured" : "predicted"}});
    const auto bytes = bandwidth_of(record, record.headline.measured.has_value());
    if (bytes) bandwidth.add(read, *bytes * bytes_per_gb);
    fraction.add(read, record.fraction_of_peak);
    const std::string better(to_string(record.headline.better));
    headline.add(with(read, {{"quantity", record.headline.quantity}, {"better", better}}), record.headline.value());
    for (const MetricRecord& quantity : record.metrics) {
      metric.add(with(labels, {{"reading", quantity.measured ? "measured" : "predicted"}, {"quantity", quantity.name}}),
                 quantity.value());
    }
  }
};

}  // namespace

void write_openmetrics(std::ostream& out, std::span<const Report> reports) {
  Gauges gauges;
  for (const Report& report : reports) gauges.add_each(report);
  for (const Gauge* gauge : {&gauges.bandwidth, &gauges.fraction, &gauges.headline, &gauges.metric, &gauges.conclusion,
                             &gauges.flagged, &gauges.flagged_cases, &gauges.cases, &gauges.passed, &gauges.skipped,
                             &gauges.suite_passed, &gauges.last_run}) {
    gauge->write(out);
  }
  out << "# EOF\n";
}

}  // namespace gpumem::report
