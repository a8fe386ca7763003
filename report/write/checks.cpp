#include "report/write/checks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <vector>

#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t indent = 6;  // of what follows a verdict
constexpr std::size_t widest_name = 40;

// In the order of the verdicts.
constexpr std::array<std::string_view, 3> labels = {"PASS", "FAIL", "SKIP"};
constexpr std::array<std::string_view, 3> colors = {"32", "31", "33"};

std::string_view label(Verdict verdict) { return labels.at(static_cast<std::size_t>(verdict)); }

std::string tinted(Verdict verdict, bool color) {
  if (!color) return std::string(label(verdict));
  return fmt::format("\x1b[{}m{}\x1b[0m", colors.at(static_cast<std::size_t>(verdict)), label(verdict));
}

/// "required: " before what nobody may overlook.
std::string reason_of(const CheckRecord& check) {
  const bool stressed = check.required && check.verdict == Verdict::skip;
  return (stressed ? "required: " : "") + one_line(check.reason);
}

struct Layout {
  std::size_t name = 0;
  std::size_t bounds = 0;
  std::size_t width = 0;
};

Layout layout_of(const Report& report, std::size_t width) {
  Layout layout{.name = 0, .bounds = 0, .width = width};
  for (const CheckRecord& check : report.checks) {
    layout.name = std::max(layout.name, display_width(one_line(check.name)));
    layout.bounds = std::max(layout.bounds, display_width(bound_words(check)));
  }
  layout.name = std::min({layout.name, widest_name, width / 2});
  return layout;
}

/// Verdict, name, value against bound, and reason: on one line as far as they fit, else below each other. Of what
/// passed only the case is named where the reason does not fit.
void write_line(std::ostream& out, const CheckRecord& check, const Layout& layout, bool color) {
  const std::size_t width = layout.width - indent;
  std::vector<std::string> lines = wrapped(one_line(check.name), width);
  if (lines.empty()) lines.emplace_back();
  // Beside what is there, from a column on, if that leaves it within the width.
  const auto add = [&](const std::string& text, std::size_t column) {
    std::string line = padded(lines.back(), column) + "  " + text;
    if (display_width(line) > width) return false;
    lines.back() = std::move(line);
    return true;
  };
  const std::string bounds = bound_words(check);
  if (!bounds.empty() && !add(bounds, layout.name)) lines.push_back(bounds);
  const std::string reason = reason_of(check);
  const std::size_t column = bounds.empty() ? layout.name : layout.name + 2 + layout.bounds;
  if (!reason.empty() && !add(reason, column)) {
    if (check.verdict == Verdict::pass) {
      add(reason.substr(0, reason.find(": ")), column);  // which case, if there is room for that
    } else {
      for (std::string& line : wrapped(reason, width)) lines.push_back(std::move(line));
    }
  }
  out << tinted(check.verdict, color) << "  " << lines.front() << '\n';
  for (std::size_t i = 1; i < lines.size(); ++i) out << std::string(indent, ' ') << lines[i] << '\n';
}

void write_lines(std::ostream& out, const Report& report, std::size_t width, bool color, bool brief) {
  const Layout layout = layout_of(report, width);
  for (const CheckRecord& check : report.checks) {
    if (!brief || check.verdict != Verdict::pass) write_line(out, check, layout, color);
  }
}

// ---- GitHub: a command is "::name property=value,...::message"; what would end a part of it is written as %XX.

std::string github_escaped(std::string_view text, std::string_view also = "") {
  std::string result;
  for (const char c : text) {
    if (c == '%' || c == '\r' || c == '\n' || also.find(c) != std::string_view::npos) {
      result += fmt::format("%{:02X}", static_cast<unsigned char>(c));
    } else {
      result += c;
    }
  }
  return result;
}

void write_annotation(std::ostream& out, const CheckRecord& check, const std::string& suite) {
  if (check.verdict == Verdict::pass) return;
  const char* command = check.verdict == Verdict::fail ? "error" : check.required ? "warning" : "notice";
  const std::string bounds = bound_words(check);
  const std::string title = fmt::format("{}: {}", suite, check.name);
  const std::string message =
      fmt::format("{}{}{}", bounds, bounds.empty() || check.reason.empty() ? "" : "; ", reason_of(check));
  out << "::" << command << " title=" << github_escaped(title, ":,")
      << "::" << github_escaped(message.empty() ? std::string(label(check.verdict)) : message) << '\n';
}

std::string suite_name(const Report& report) { return report.suite ? one_line(*report.suite) : "report"; }

/// What was held against what: "smoke on NVIDIA H200, gpu17, measured 2026-11-21T10:00:00Z".
std::string title_of(const Report& report) {
  std::string title = suite_name(report);
  if (report.device) title += " on " + one_line(report.device->name);
  if (!report.host.name.empty()) title += ", " + one_line(report.host.name);
  if (!report.device) return title + ", nothing was run";
  const bool predicted = report.is_prediction();
  const std::string profile = report.profile ? " from profile '" + one_line(*report.profile) + "'" : "";
  return title + (predicted ? ", PREDICTED" + profile : ", measured " + one_line(report.started_at));
}

/// "12 passed, 1 failed, 2 skipped"
std::string summary_of(const Report& report) {
  const CheckTally all = tally(report.checks);
  return fmt::format("{} passed, {} failed, {} skipped", all.passed, all.failed, all.skipped);
}

}  // namespace

void write_checks(std::ostream& out, const Report& report, const TableStyle& style, bool brief) {
  constexpr std::size_t narrowest = 40;
  const std::size_t width = std::max<std::size_t>(style.width, narrowest);
  for (const std::string& line : wrapped(title_of(report), width)) out << line << '\n';
  write_lines(out, report, width, style.color, brief);
  out << summary_of(report) << '\n';
}

void write_checks_markdown(std::ostream& out, const Report& report, bool brief) {
  out << "## " << markdown_escaped(title_of(report)) << "\n\n";
  out << "| | expectation | value | reason |\n| --- | --- | --- | --- |\n";
  for (const CheckRecord& check : report.checks) {
    if (brief && check.verdict == Verdict::pass) continue;
    out << "| " << label(check.verdict);
    for (const std::string& cell : {check.name, bound_words(check), reason_of(check)}) {
      out << " | " << markdown_escaped(cell);
    }
    out << " |\n";
  }
  out << '\n' << summary_of(report) << '\n';
}

void write_checks_github(std::ostream& out, const Report& report, bool brief) {
  constexpr std::size_t unlimited = 1'000'000;          // a wrapped line might begin like a command
  out << "gpumem check: " << title_of(report) << '\n';  // nor may a suite's name
  write_lines(out, report, unlimited, false, brief);
  for (const CheckRecord& check : report.checks) write_annotation(out, check, suite_name(report));
  out << summary_of(report) << '\n';
}

}  // namespace gpumem::report
