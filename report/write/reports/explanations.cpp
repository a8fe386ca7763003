// Cases explained one by one, as text and as Markdown.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>

#include "engine/base/words.hpp"
#include "report/advise/caller_words.hpp"
#include "report/explain/explain.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/json_values.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

constexpr std::array<const char*, 4> titles = {"figure", "predicted", "counted", "measured"};
/// A line of a small table: a name and its values, under these titles.
using FigureCells = std::array<std::string, titles.size()>;
constexpr std::size_t counted_column = 2;

/// The first columns, and of the others those that have a value.
std::vector<std::size_t> columns_of(const std::vector<FigureCells>& figures, std::size_t always) {
  std::vector<std::size_t> columns;
  for (std::size_t c = 0; c < titles.size(); ++c) {
    const auto has_value = [c](const FigureCells& figure) { return !figure[c].empty(); };
    if (c < always || std::ranges::any_of(figures, has_value)) columns.push_back(c);
  }
  return columns;
}

std::string seconds_text(std::optional<double> seconds) { return seconds ? duration_words(*seconds, 3) : "-"; }

std::string title_of(const Record& record, std::size_t index) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    if (!is_said(record.probe, parameter)) continue;
    const bool chosen = record.is_chosen(parameter.name);
    parts.push_back(parameter_phrase(parameter) + (chosen ? " (auto)" : ""));
  }
  return one_line(fmt::format("[{}] {}{}{}", index, record.probe, parts.empty() ? "" : ": ", join(parts, ", ")));
}

std::string readings_of(const Record& record) {
  std::vector<std::string> parts;
  const std::string peak =
      record.fraction_of_peak ? fmt::format(", {:.0f} % of peak", *record.fraction_of_peak * 100) : "";
  const HeadlineRecord& headline = record.headline;
  const bool measured = record.time || headline.measured;
  if (measured) {
    std::string text = "measured";
    if (headline.measured) text += " " + value_words(headline.quantity, *headline.measured);
    if (record.time) text += " (" + seconds_text(record.time->summary.median.count()) + peak + ")";
    parts.push_back(std::move(text));
  }
  if (headline.predicted) {
    std::string text = "predicted " + value_words(headline.quantity, *headline.predicted);
    if (record.predicted_s) text += " (" + seconds_text(record.predicted_s) + (measured ? "" : peak) + ")";
    parts.push_back(std::move(text));
  }
  const StageRecord* slowest = nullptr;
  for (const StageRecord& stage : record.stages) {
    if (stage.counted_s && (slowest == nullptr || *stage.counted_s > *slowest->counted_s)) slowest = &stage;
  }
  if (slowest != nullptr && !limit_of(record).empty()) {
    parts.push_back("counted " + seconds_text(slowest->counted_s) + " of " + stage_words(slowest->stage));
  }
  if (parts.empty()) return "No readings.";
  return capitalised(join(parts, "; ")) + ".";
}

std::string reason_of(const Record& record, const Explanation& explanation) {
  if (record.status != Status::ok) {
    return capitalised(to_string(record.status)) + ": " + one_line(record.reason.value_or("no reason given")) + ".";
  }
  if (record.verified == false) return "It moved wrong data: there is nothing to explain.";
  if (explanation.full.empty() && record.no_prediction) {
    return "No time is predicted, and no counter shows its limit: " + *record.no_prediction + ".";
  }
  if (explanation.full.empty()) return "No prediction and no counter shows its limit.";
  return explanation.full;
}

/// The reason, and for a user's kernel its caller.
std::string reason_and_caller(const Record& record, const Explanation& explanation) {
  const std::string caller = caller_sentences(record);
  return reason_of(record, explanation) + (caller.empty() ? "" : " " + caller);
}

std::vector<StageRecord> slowest_first(std::vector<StageRecord> stages) {
  std::ranges::stable_sort(stages, std::ranges::greater(),
                           [](const StageRecord& stage) { return seconds_of(stage).value_or(0); });
  return stages;
}

/// "global_load_sectors" is "global load sectors"; bytes and rates are said in their unit, a share in percent.
FigureCells count_figure(const measure::CounterField& field, double value) {
  const auto [title, unit] = quantity_heading(field.name);
  std::string name = unit == "bytes" || unit == "GB/s" ? title : std::string(field.name);
  std::ranges::replace(name, '_', ' ');
  if (name.starts_with("l2 ")) name.replace(0, 2, "L2");
  if (name.starts_with("dram ")) name.replace(0, 4, "DRAM");
  if (unit == "bytes") return {name, "", decimal_size(value)};
  if (unit == "GB/s") return {name, "", rate_words(value)};
  if (field.is_share) return {name, "", fixed(value * 100, 0) + " %"};
  return {name, "", fixed(value, 0)};
}

/// The figures of a case; none if it did not run.
std::vector<FigureCells> figures_of(const Record& record) {
  if (record.status != Status::ok) return {};
  std::vector<FigureCells> figures;
  const std::string limit = limit_of(record);
  for (const StageRecord& stage : slowest_first(record.stages)) {
    figures.push_back({stage_words(stage.stage) + (stage.stage == limit ? " (the limit)" : ""),
                       seconds_text(stage.predicted_s), seconds_text(stage.counted_s)});
  }
  const auto number = [](std::optional<double> value) { return value ? trimmed(*value, 2) : std::string("-"); };
  for (const SiteRecord& site : record.access) {
    for (const auto& [unit, reading, least] : site.costs) {
      if (!reading.predicted && !reading.counted) continue;
      figures.push_back({fmt::format("{} per {} of {} ({})", unit, site.op, site.site, site.space),
                         number(reading.predicted), number(reading.counted)});
    }
  }
  for (const MetricRecord& metric : record.metrics) {
    const std::string title = quantity_title(metric.name);
    const bool has_unit = title == quantity_words(metric.name);
    const auto words = [&](std::optional<double> value) {
      return !value ? "-" : has_unit ? significant(*value, 3) : value_words(metric.name, *value);
    };
    if (metric.value()) figures.push_back({title, words(metric.predicted), "", words(metric.measured)});
  }
  if (record.counters) {
    for (const measure::CounterField& field : measure::counter_fields()) {
      const auto value = (*record.counters).*field.value;
      if (value && *value != 0) figures.push_back(count_figure(field, *value));
    }
  }
  const bool anything_counted = std::ranges::any_of(figures, [](const FigureCells& figure) {
    return !figure[counted_column].empty() && figure[counted_column] != "-";
  });
  for (FigureCells& figure : figures) {
    figure.front() = one_line(figure.front());
    if (!anything_counted) figure[counted_column].clear();
  }
  return figures;
}

void write_figures(std::ostream& out, const std::vector<FigureCells>& figures) {
  if (figures.empty()) return;
  Block block;
  block.rows.resize(figures.size());
  for (const std::size_t c : columns_of(figures, 2)) {
    block.columns.push_back({.heading = {c == 0 ? "" : titles[c], ""}, .names = c == 0});
    const std::string indent(c == 0 ? 2 : 0, ' ');
    for (std::size_t i = 0; i < figures.size(); ++i) block.rows[i].cells.push_back(indent + figures[i][c]);
  }
  write_page(out, {.before = {}, .blocks = {block}, .after = {}}, {.width = std::numeric_limits<unsigned>::max()});
}

/// Says of a report without cases what there was, and what to do.
std::string nothing_to_explain(const Report& report) {
  if (!report.program) {
    return "The report has no cases to explain; make one that has: gpumem probe --output report.json";
  }
  const ProgramRecord& program = *report.program;
  constexpr std::size_t longest_command = 60;
  std::string text = truncated(one_line(command_line(program.command)), longest_command);
  if (program.exit_code.value_or(0) != 0) text += fmt::format(" (exit code {})", *program.exit_code);
  text += program.launches_seen == 0
              ? " launched no kernel"
              : fmt::format(" launched {}, and none was sampled", counted(program.kernels_seen, "kernel"));
  for (const std::string& note : program.notes) text += "; " + note;
  return one_line(text) +
         ". There is nothing to explain; watch a command that uses a GPU: gpumem run --output report.json -- "
         "COMMAND";
}

/// The facts that these cases show, alone or with others, one in each line.
std::vector<std::string> facts_of(const Report& report, std::span<const std::size_t> cases) {
  std::vector<std::string> texts;
  for (const ConclusionRecord& conclusion : report.conclusions) {
    for (const FactRecord& fact : conclusion.facts) {
      const bool about = std::ranges::any_of(
          fact.cases, [&](std::size_t member) { return std::ranges::find(cases, member) != cases.end(); });
      if (about) texts.push_back(one_line(fact.text));
    }
  }
  return texts;
}

json_values::Json to_json(const FigureCells& figure) {
  json_values::Json object = json_values::Json::object();
  for (std::size_t c = 0; c < titles.size(); ++c)
    object[titles[c]] = json_values::known(figure[c] == "-" ? "" : figure[c]);
  return object;
}

}  // namespace

void write_explained(std::ostream& out, const Report& report, std::span<const std::size_t> cases, unsigned width) {
  const auto say = [&](const std::string& text, std::size_t indent) {
    out << wrap(one_line(text), width, indent) << '\n';
  };
  for (const std::string& line : preamble(report)) say(line, 2);
  if (report.results.empty()) out << nothing_to_explain(report) << '\n';
  const std::vector<Explanation> reasons = explanations(report.results);
  for (const std::size_t index : cases) {
    const Record& record = report.results.at(index);
    out << '\n';
    say(title_of(record, index), 2);
    say(readings_of(record), 2);
    say(reason_and_caller(record, reasons[index]), 0);
    write_figures(out, figures_of(record));
  }
  const std::vector<std::string> facts = facts_of(report, cases);
  if (!facts.empty()) out << "\nSeveral cases together:\n";
  for (const std::string& fact : facts) say("- " + fact, 2);
}

void write_explained_markdown(std::ostream& out, const Report& report, std::span<const std::size_t> cases) {
  const char* heading = "## ";
  for (const std::string& line : preamble(report)) {
    out << heading << markdown_escaped(line) << "\n\n";
    heading = "";
  }
  if (report.results.empty()) out << markdown_escaped(nothing_to_explain(report)) << "\n\n";
  const std::vector<Explanation> reasons = explanations(report.results);
  for (const std::size_t index : cases) {
    const Record& record = report.results.at(index);
    out << "### " << markdown_escaped(title_of(record, index)) << "\n\n"
        << markdown_escaped(readings_of(record)) << "\n\n"
        << markdown_escaped(reason_and_caller(record, reasons[index])) << "\n\n";
    const std::vector<FigureCells> figures = figures_of(record);
    if (figures.empty()) continue;
    std::vector<std::string> lines(2 + figures.size(), "|");
    for (const std::size_t c : columns_of(figures, 3)) {
      lines[0] += fmt::format(" {} |", titles[c]);
      lines[1] += c == 0 ? " --- |" : " ---: |";
      for (std::size_t i = 0; i < figures.size(); ++i) {
        lines[i + 2] += fmt::format(" {} |", markdown_escaped(figures[i][c]));
      }
    }
    out << join(lines, "\n") << "\n\n";
  }
  const std::vector<std::string> facts = facts_of(report, cases);
  if (!facts.empty()) out << "### Several cases together\n\n";
  for (const std::string& fact : facts) out << "- " << markdown_escaped(fact) << '\n';
}

void write_explained_json(std::ostream& out, const Report& report, std::span<const std::size_t> cases) {
  using json_values::Json;
  const std::vector<Explanation> reasons = explanations(report.results);
  Json explained = Json::array();
  for (const std::size_t index : cases) {
    const Record& record = report.results.at(index);
    Json figures = Json::array();
    for (const FigureCells& figure : figures_of(record)) figures.push_back(to_json(figure));
    explained.push_back({{"index", index},
                         {"title", title_of(record, index)},
                         {"probe", record.probe},
                         {"parameters", json_values::parameters(record.parameters)},
                         {"readings", readings_of(record)},
                         {"why", reason_and_caller(record, reasons[index])},
                         {"figures", std::move(figures)}});
  }
  out << Json{{"cases", std::move(explained)}, {"facts", facts_of(report, cases)}}.dump(2) << '\n';
}

}  // namespace gpumem::report
