// Checks as lines, as Markdown, and as a GitHub workflow takes them.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <limits>
#include <ostream>
#include <vector>

#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/record/gpus.hpp"
#include "report/text/sparkline.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t reason_indent = 6;  // of what follows a verdict
constexpr std::size_t widest_name = 40;

/// "PASS" and its tint.
Note label(Verdict verdict) {
  // In the order of the verdicts.
  constexpr std::array<std::pair<const char*, Tint>, 3> labels = {
      {{"PASS", Tint::green}, {"FAIL", Tint::red}, {"SKIP", Tint::yellow}}};
  const auto& [text, tint] = labels.at(static_cast<std::size_t>(verdict));
  return {text, tint};
}

/// The reason, with "required: " before it if a required check was skipped.
std::string reason_of(const CheckRecord& check) {
  const bool stressed = check.required && check.verdict == Verdict::skip;
  return (stressed ? "required: " : "") + one_line(check.reason);
}

/// The name, the value against its bound, and the reason: on one line as far as they fit, else below each other. If the
/// reason of a passed check does not fit, only its case is named.
std::vector<std::string> lines_of(const CheckRecord& check, std::size_t names, std::size_t values, std::size_t width) {
  std::vector<std::string> lines = wrapped(one_line(check.name), width);
  if (lines.empty()) lines.emplace_back();
  // Adds the text to the last line, from this column on. Returns false, and adds nothing, if that exceeds the width.
  const auto add = [&](const std::string& text, std::size_t column) {
    std::string line = padded(lines.back(), column) + "  " + text;
    if (display_width(line) > width) return false;
    lines.back() = std::move(line);
    return true;
  };
  const std::string bounds = bound_words(check);
  if (!bounds.empty() && !add(bounds, names)) lines.push_back(bounds);
  const std::string reason = reason_of(check);
  const std::size_t column = bounds.empty() ? names : names + 2 + values;
  if (!reason.empty() && !add(reason, column)) {
    if (check.verdict == Verdict::pass) {
      add(reason.substr(0, reason.find(": ")), column);  // which case, if there is room for that
    } else {
      std::ranges::move(wrapped(reason, width), std::back_inserter(lines));
    }
  }
  return lines;
}

/// "▇▇█▇▁ the last 4 runs and this one"; empty if the check has no history.
std::string history_line(const CheckRecord& check) {
  if (check.earlier.size() < 2) return {};
  return fmt::format("{} the last {} and this one", sparkline(check.earlier), counted(check.earlier.size() - 1, "run"));
}

/// The histories of values are drawn with blocks if the style has bars.
void write_lines(std::ostream& out, std::span<const CheckRecord> checks, std::size_t width, const TableStyle& style) {
  const std::string indent = "\n" + std::string(reason_indent, ' ');
  std::size_t names = 0;
  std::size_t values = 0;
  for (const CheckRecord& check : checks) {
    names = std::max(names, display_width(one_line(check.name)));
    values = std::max(values, display_width(bound_words(check)));
  }
  names = std::min({names, widest_name, width / 2});
  for (const CheckRecord& check : checks) {
    const auto [verdict, tint] = label(check.verdict);
    std::vector<std::string> lines = lines_of(check, names, values, width - reason_indent);
    const std::string history = style.bars ? history_line(check) : "";
    if (!history.empty()) std::ranges::move(wrapped(history, width - reason_indent), std::back_inserter(lines));
    out << (style.color ? tinted(verdict, tint) : verdict) << "  " << join(lines, indent) << '\n';
  }
}

/// One check in place of all that passed: how many, and which came nearest to its bound.
CheckRecord folded(std::span<const CheckRecord> passed) {
  CheckRecord all;
  all.verdict = Verdict::pass;
  // Between two bounds as a share of the way to the middle, where counts lie that are exact.
  const auto distance = [](const CheckRecord& check) {
    if (!check.measured) return std::numeric_limits<double>::infinity();
    if (!check.at_least || !check.at_most) return margin(*check.measured, check.at_least, check.at_most);
    return std::min(*check.measured - *check.at_least, *check.at_most - *check.measured) * 2 /
           (*check.at_most - *check.at_least);
  };
  const CheckRecord& nearest = *std::ranges::min_element(passed, {}, distance);
  all.name = counted(passed.size(), "expectation");
  if (std::isfinite(distance(nearest))) {
    all.name += fmt::format("; nearest to its bound: {}, {}", one_line(nearest.name), bound_words(nearest));
  }
  return all;
}

/// The checks to write, what passed last and as one. A check that failed at first keeps a line of its own.
std::vector<CheckRecord> chosen_of(const Report& report, CheckLines lines) {
  std::vector<CheckRecord> checks = in_brief(report);
  if (lines == CheckLines::all) return checks;
  if (lines == CheckLines::none) return {};
  const auto passed = std::ranges::stable_partition(
      checks, [](const CheckRecord& check) { return check.verdict != Verdict::pass || check.attempts > 1; });
  if (passed.empty()) return checks;
  const CheckRecord all = folded(passed);
  checks.erase(passed.begin(), passed.end());
  checks.push_back(all);
  return checks;
}

/// For GitHub: a command is "::name property=value,...::message"; what would end a part of it is written as %XX.
void write_annotation(std::ostream& out, const CheckRecord& check, const std::string& suite) {
  if (check.verdict == Verdict::pass) return;
  const char* command = fails_run(check) ? "error" : "notice";
  const std::string bounds = bound_words(check);
  const std::string title = fmt::format("{}: {}", suite, one_line(check.name));
  const std::string message =
      fmt::format("{}{}{}", bounds, bounds.empty() || check.reason.empty() ? "" : "; ", reason_of(check));
  out << "::" << command
      << " title=" << escaped(title, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}, {':', "%3A"}, {',', "%2C"}}) << "::"
      << escaped(message.empty() ? label(check.verdict).text : message, {{'%', "%25"}, {'\r', "%0D"}, {'\n', "%0A"}})
      << '\n';
}

std::string suite_name(const Report& report) { return report.suite ? one_line(*report.suite) : "report"; }

/// The suite and the report that was held to it: "smoke on NVIDIA H200, gpu17, measured 2026-11-21T10:00:00Z".
std::string title_of(const Report& report) {
  std::string title = suite_name(report);
  if (report.device) title += " on " + gpus_in_words(report);
  if (!report.host.name.empty()) title += ", " + one_line(report.host.name);
  if (!report.device) return title + ", nothing was run";
  const bool predicted = report.is_prediction();
  const std::string profile = report.profile ? " from profile '" + one_line(*report.profile) + "'" : "";
  return title + (predicted ? ", PREDICTED" + profile : ", measured " + one_line(report.started_at));
}

/// "12 passed, 1 failed, 2 skipped", of all GPUs together.
std::string summary_of(const Report& report) {
  const CheckTally all = tally(report.checks);
  const std::size_t gpus = gpus_side_by_side(report).size();
  return fmt::format("{} passed, {} failed, {} skipped{}", all.passed, all.failed, all.skipped,
                     gpus > 0 ? fmt::format(", on {} GPUs", gpus) : "");
}

/// The verdict on all checks. A skip of what is required is no pass.
Verdict verdict_of(const Report& report) {
  return report.passed.value_or(std::ranges::none_of(report.checks, fails_run)) ? Verdict::pass : Verdict::fail;
}

/// "smoke on NVIDIA H200, gpu17, measured 2026-11-21T10:00:00Z: 12 passed, 1 failed, 2 skipped"
std::string verdict_words(const Report& report) { return title_of(report) + ": " + summary_of(report); }

}  // namespace

void write_checks(std::ostream& out, const Report& report, const TableStyle& style, CheckLines lines) {
  constexpr std::size_t narrowest = 40;
  constexpr std::size_t unlimited = 1'000'000;  // a log takes the verdict by its line
  const std::size_t width = std::max<std::size_t>(style.width, narrowest);
  const auto [verdict, tint] = label(verdict_of(report));
  const std::size_t own_width = (lines == CheckLines::none ? unlimited : width) - reason_indent;
  out << (style.color ? tinted(verdict, tint) : verdict) << "  "
      << join(wrapped(verdict_words(report), own_width), "\n" + std::string(reason_indent, ' ')) << '\n';
  write_lines(out, chosen_of(report, lines), width, style);
}

void write_checks_markdown(std::ostream& out, const Report& report, CheckLines lines) {
  out << "## " << label(verdict_of(report)).text << ": " << markdown_escaped(verdict_words(report)) << '\n';
  const std::vector<CheckRecord> checks = chosen_of(report, lines);
  if (checks.empty()) return;
  out << "\n| | expectation | value | reason |\n| --- | --- | --- | --- |\n";
  for (const CheckRecord& check : checks) {
    out << fmt::format("| {} | {} | {} | {} |\n", label(check.verdict).text, markdown_escaped(check.name),
                       markdown_escaped(bound_words(check)), markdown_escaped(reason_of(check)));
  }
}

void write_checks_github(std::ostream& out, const Report& report, CheckLines lines) {
  constexpr std::size_t unlimited = 1'000'000;  // a wrapped line might begin like a command
  out << label(verdict_of(report)).text << "  gpumem check: " << verdict_words(report) << '\n';
  write_lines(out, chosen_of(report, lines), unlimited, {});
  for (const CheckRecord& check : in_brief(report)) write_annotation(out, check, suite_name(report));
}

}  // namespace gpumem::report
