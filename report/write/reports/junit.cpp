#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>
#include <ostream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/record/gpus.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, xml_escaped(value));
}

std::string seconds(double value) { return fmt::format("{:.6f}", value); }

double sampled_seconds(const Report& report, const std::vector<std::size_t>& cases) {
  double sum = 0;
  for (const std::size_t index : cases) {
    const auto& time = report.results.at(index).time;
    if (time) sum += std::accumulate(time->samples.begin(), time->samples.end(), measure::Seconds{0}).count();
  }
  return sum;
}

double sampled_seconds(const Report& report) {
  std::vector<std::size_t> all(report.results.size());
  std::iota(all.begin(), all.end(), std::size_t{0});
  return sampled_seconds(report, all);
}

/// The name of a report's suite. Each of several GPUs side by side has a suite of its own.
std::string suite_of(const Report& report) {
  const std::string suite = report.suite.value_or("report");
  return report.device && report.device->index ? fmt::format("{} on GPU {}", suite, *report.device->index) : suite;
}

/// Splits reports of several GPUs side by side into ordinary reports: one for each GPU with the checks of that GPU, and
/// one with the checks of all together.
std::vector<Report> ordinary(std::span<const Report> reports) {
  std::vector<Report> all;
  for (const Report& report : reports) {
    std::vector<GpuPart> parts = gpu_parts(report);
    Report& rest = all.emplace_back(report);
    if (parts.empty()) continue;
    std::erase_if(rest.checks, [](const CheckRecord& check) { return check.device.has_value(); });
    for (CheckRecord& check : rest.checks) check.cases.clear();
    rest.results.clear();  // which took their time on each GPU
    rest.device.reset();
    if (rest.checks.empty()) all.pop_back();
    for (GpuPart& part : parts) all.push_back(std::move(part.report));
  }
  return all;
}

void write_properties(std::ostream& out, const Report& report) {
  const auto property = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out << "      <property" << attribute("name", name) << attribute("value", value) << "/>\n";
  };
  out << "    <properties>\n";
  property("suite", report.suite.value_or("report"));
  property("backend", report.backend);
  property("host", report.host.name);
  property("tool", fmt::format("gpumem {}", report.tool.version));
  property("git_commit", report.tool.git_commit);
  const Device device = report.device.value_or(Device());
  property("gpu", device.name);
  property("gpu_uuid", device.uuid.value_or(""));
  property("pci_bus_id", device.pci_bus_id.value_or(""));
  property("driver_version", device.driver_version.value_or(""));
  property("runtime_version", device.runtime_version.value_or(""));
  out << "    </properties>\n";
}

std::string message_of(const CheckRecord& check) {
  const std::string bounds = bound_words(check);
  const std::string required = check.required && check.verdict == Verdict::skip ? "required: " : "";
  return required + (bounds.empty() ? "" : bounds + "; ") + check.reason;
}

void write_check(std::ostream& out, const Report& report, const CheckRecord& check) {
  out << "    <testcase" << attribute("classname", "gpumem." + suite_of(report)) << attribute("name", check.name)
      << attribute("time", seconds(sampled_seconds(report, check.cases)));
  const std::string message = message_of(check);
  out << ">\n      ";
  if (check.verdict == Verdict::pass) {
    out << "<system-out>" << xml_escaped(message) << "</system-out>";
  } else if (fails_run(check)) {
    const char* type = check.verdict == Verdict::fail ? "expectation" : "skipped";
    out << "<failure" << attribute("message", message) << attribute("type", type) << "/>";
  } else {
    out << "<skipped" << attribute("message", message) << "/>";
  }
  out << "\n    </testcase>\n";
}

std::string counts(std::span<const CheckRecord> checks, double time) {
  const auto failures = std::ranges::count_if(checks, fails_run);
  const auto others = std::ranges::count(checks, Verdict::pass, &CheckRecord::verdict) + failures;
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\"", checks.size(), failures,
                     std::ssize(checks) - others, seconds(time));
}

}  // namespace

void write_junit(std::ostream& out, std::span<const Report> given) {
  const std::vector<Report> reports = ordinary(given);
  std::vector<CheckRecord> all;
  double time = 0;
  for (const Report& report : reports) {
    all.insert(all.end(), report.checks.begin(), report.checks.end());
    time += sampled_seconds(report);
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" << attribute("name", "gpumem") << counts(all, time)
      << ">\n";
  for (const Report& report : reports) {
    std::string_view timestamp = report.started_at;
    if (timestamp.ends_with('Z')) timestamp.remove_suffix(1);  // the format has no time zone: UTC is meant
    out << "  <testsuite" << attribute("name", suite_of(report)) << counts(report.checks, sampled_seconds(report))
        << attribute("timestamp", timestamp) << attribute("hostname", report.host.name) << ">\n";
    write_properties(out, report);
    for (const CheckRecord& check : report.checks) write_check(out, report, check);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

}  // namespace gpumem::report
