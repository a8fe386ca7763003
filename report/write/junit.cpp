#include <fmt/format.h>

#include <numeric>
#include <ostream>
#include <string>
#include <string_view>

#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

/// Fit for an attribute or for text. XML 1.0 has no control characters but tab and line breaks, which an attribute
/// would lose, nor U+FFFE and U+FFFF.
std::string escaped(std::string_view raw) {
  std::string result;
  const std::string text = valid_utf8(raw);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '&') {
      result += "&amp;";
    } else if (c == '<') {
      result += "&lt;";
    } else if (c == '>') {
      result += "&gt;";
    } else if (c == '"') {
      result += "&quot;";
    } else if (c == '\t' || c == '\n' || c == '\r') {
      result += fmt::format("&#{};", static_cast<int>(c));
    } else if ((c >= 0 && c < 0x20) || c == 0x7F) {
      result += replacement_character;
    } else if (text.compare(i, 3, "\xEF\xBF\xBE") == 0 || text.compare(i, 3, "\xEF\xBF\xBF") == 0) {
      result += replacement_character;
      i += 2;
    } else {
      result += c;
    }
  }
  return result;
}

std::string attribute(std::string_view name, std::string_view value) {
  return fmt::format(" {}=\"{}\"", name, escaped(value));
}

std::string seconds(double value) { return fmt::format("{:.6f}", value); }

double sampled_seconds(const Record& record) {
  if (!record.time) return 0;
  const auto& samples = record.time->samples;
  return std::accumulate(samples.begin(), samples.end(), measure::Seconds{0}).count();
}

double sampled_seconds(const Report& report, const CheckRecord& check) {
  double sum = 0;
  for (const std::size_t index : check.cases) sum += sampled_seconds(report.results.at(index));
  return sum;
}

double sampled_seconds(const Report& report) {
  double sum = 0;
  for (const Record& record : report.results) sum += sampled_seconds(record);
  return sum;
}

std::string suite_of(const Report& report) { return report.suite.value_or("report"); }

/// The format has no time zone: UTC is meant.
std::string timestamp_of(const Report& report) {
  std::string text = report.started_at;
  if (text.ends_with('Z')) text.pop_back();
  return text;
}

void write_properties(std::ostream& out, const Report& report) {
  const auto property = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out << "      <property" << attribute("name", name) << attribute("value", value) << "/>\n";
  };
  out << "    <properties>\n";
  property("suite", suite_of(report));
  property("backend", report.backend);
  property("host", report.host.name);
  property("tool", fmt::format("gpumem {}", report.tool.version));
  property("git_commit", report.tool.git_commit);
  if (report.device) {
    property("gpu", report.device->name);
    property("gpu_uuid", report.device->uuid.value_or(""));
    property("pci_bus_id", report.device->pci_bus_id.value_or(""));
    property("driver_version", report.device->driver_version.value_or(""));
    property("runtime_version", report.device->runtime_version.value_or(""));
  }
  out << "    </properties>\n";
}

std::string message_of(const CheckRecord& check) {
  const std::string bounds = bound_words(check);
  const std::string required = check.required && check.verdict == Verdict::skip ? "required: " : "";
  return required + (bounds.empty() ? "" : bounds + "; ") + check.reason;
}

void write_check(std::ostream& out, const Report& report, const CheckRecord& check) {
  out << "    <testcase" << attribute("classname", "gpumem." + suite_of(report)) << attribute("name", check.name)
      << attribute("time", seconds(sampled_seconds(report, check)));
  const std::string message = message_of(check);
  switch (check.verdict) {
    case Verdict::pass:
      out << ">\n      <system-out>" << escaped(message) << "</system-out>\n    </testcase>\n";
      return;
    case Verdict::fail:
      out << ">\n      <failure" << attribute("message", message) << attribute("type", "expectation") << "/>\n";
      break;
    case Verdict::skip:
      out << ">\n      <skipped" << attribute("message", message) << "/>\n";
      break;
  }
  out << "    </testcase>\n";
}

std::string counts(const CheckTally& all, double time) {
  return fmt::format(" tests=\"{}\" failures=\"{}\" errors=\"0\" skipped=\"{}\" time=\"{}\"",
                     all.passed + all.failed + all.skipped, all.failed, all.skipped, seconds(time));
}

}  // namespace

void write_junit(std::ostream& out, std::span<const Report> reports) {
  CheckTally total;
  double time = 0;
  for (const Report& report : reports) {
    const CheckTally own = tally(report.checks);
    total.passed += own.passed;
    total.failed += own.failed;
    total.skipped += own.skipped;
    time += sampled_seconds(report);
  }
  out << "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites" << attribute("name", "gpumem") << counts(total, time)
      << ">\n";
  for (const Report& report : reports) {
    out << "  <testsuite" << attribute("name", suite_of(report))
        << counts(tally(report.checks), sampled_seconds(report)) << attribute("timestamp", timestamp_of(report))
        << attribute("hostname", report.host.name) << ">\n";
    write_properties(out, report);
    for (const CheckRecord& check : report.checks) write_check(out, report, check);
    out << "  </testsuite>\n";
  }
  out << "</testsuites>\n";
}

}  // namespace gpumem::report
