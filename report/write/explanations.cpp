#include "report/write/explanations.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <ranges>

#include "probes/words.hpp"
#include "report/explain/explain.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

namespace {

/// A line of a small table: a name and its values.
struct Figure {
  std::string name;
  std::string predicted;
  std::string counted;
  std::string measured = {};
};

struct FigureColumn {
  const char* title;
  std::string Figure::*cell;
};
constexpr FigureColumn figure_columns[] = {{"figure", &Figure::name},
                                           {"predicted", &Figure::predicted},
                                           {"counted", &Figure::counted},
                                           {"measured", &Figure::measured}};

/// The first columns, and of the others those that have a value.
std::vector<FigureColumn> columns_of(const std::vector<Figure>& figures, std::size_t always) {
  std::vector<FigureColumn> columns(figure_columns, figure_columns + always);
  for (const FigureColumn& column : std::span(figure_columns).subspan(always)) {
    if (std::ranges::any_of(figures, [&](const Figure& figure) { return !(figure.*column.cell).empty(); })) {
      columns.push_back(column);
    }
  }
  return columns;
}

struct Explained {
  std::string title;
  std::string readings;
  std::string reason;
  std::vector<Figure> figures;
};

std::string seconds_text(std::optional<double> seconds) { return seconds ? duration_words(*seconds, 3) : "-"; }

std::string title_of(const Record& record, std::size_t index) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
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
  if (slowest != nullptr) {
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
  if (explanation.full.empty()) return "Nothing was predicted or counted that says what limits it.";
  return explanation.full;
}

std::vector<const StageRecord*> slowest_first(const Record& record) {
  std::vector<const StageRecord*> stages;
  for (const StageRecord& stage : record.stages) stages.push_back(&stage);
  std::ranges::stable_sort(stages, std::ranges::greater(),
                           [](const StageRecord* stage) { return seconds_of(*stage).value_or(0); });
  return stages;
}

char upper(char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; }

/// "global_load_sectors" is "global load sectors"; bytes and rates are said in their unit, a share in percent.
Figure count_figure(const measure::CounterField& field, double value) {
  std::string name(field.name);
  std::ranges::replace(name, '_', ' ');
  for (const std::string_view memory : {"l2 ", "dram "}) {
    if (name.starts_with(memory)) std::ranges::transform(name.substr(0, memory.size()), name.begin(), upper);
  }
  constexpr std::string_view bytes = " bytes";
  if (name.ends_with(bytes)) {
    return {name.substr(0, name.size() - bytes.size()), "", decimal_size(value)};
  }
  constexpr std::string_view rate = " gb per s";
  if (name.ends_with(rate)) return {name.substr(0, name.size() - rate.size()), "", significant(value, 3) + " GB/s"};
  if (field.is_share) return {name, "", fixed(value * 100, 0) + " %"};
  return {name, "", fixed(value, 0)};
}

std::vector<Figure> figures_of(const Record& record) {
  std::vector<Figure> figures;
  const std::string limit = limit_of(record);
  for (const StageRecord* stage : slowest_first(record)) {
    figures.push_back({stage_words(stage->stage) + (stage->stage == limit ? " (the limit)" : ""),
                       seconds_text(stage->predicted_s), seconds_text(stage->counted_s)});
  }
  const auto number = [](std::optional<double> value) { return value ? trimmed(*value, 2) : std::string("-"); };
  for (const SiteRecord& site : record.access) {
    for (const auto& [unit, reading] : site.costs) {
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
  const bool counted = std::ranges::any_of(
      figures, [](const Figure& figure) { return !figure.counted.empty() && figure.counted != "-"; });
  for (Figure& figure : figures) {
    figure.name = one_line(figure.name);
    if (!counted) figure.counted.clear();
  }
  return figures;
}

std::vector<Explained> explained(const Report& report, std::span<const std::size_t> cases) {
  const std::vector<Explanation> reasons = explanations(report.results);
  std::vector<Explained> all;
  for (const std::size_t index : cases) {
    const Record& record = report.results.at(index);
    all.push_back({title_of(record, index), readings_of(record), reason_of(record, reasons[index]),
                   record.status == Status::ok ? figures_of(record) : std::vector<Figure>()});
  }
  return all;
}

void write_figures(std::ostream& out, const std::vector<Figure>& figures) {
  if (figures.empty()) return;
  std::vector<std::string> lines(figures.size() + 1, " ");
  for (const auto& [title, cell] : columns_of(figures, 2)) {
    const bool names = cell == &Figure::name;
    std::vector<std::string> cells = {names ? "" : title};
    for (const Figure& figure : figures) cells.push_back(figure.*cell);
    const std::size_t width = std::ranges::max(cells | std::views::transform(display_width));
    for (std::size_t i = 0; i < cells.size(); ++i) {
      const std::string padding(width - display_width(cells[i]), ' ');
      lines[i] += (names ? " " + cells[i] + padding : "  " + padding + cells[i]);
    }
  }
  for (std::string& line : lines) {
    line.erase(line.find_last_not_of(' ') + 1);
    out << line << '\n';
  }
}

}  // namespace

void write_explained(std::ostream& out, const Report& report, std::span<const std::size_t> cases, unsigned width) {
  const auto say = [&](const std::string& text, std::size_t indent) {
    out << wrap(one_line(text), width, indent) << '\n';
  };
  for (const std::string& line : preamble(report)) say(line, 2);
  for (const Explained& one : explained(report, cases)) {
    out << '\n';
    say(one.title, 2);
    say(one.readings, 2);
    say(one.reason, 0);
    write_figures(out, one.figures);
  }
}

void write_explained_markdown(std::ostream& out, const Report& report, std::span<const std::size_t> cases) {
  const char* heading = "## ";
  for (const std::string& line : preamble(report)) {
    out << heading << markdown_escaped(line) << "\n\n";
    heading = "";
  }
  for (const Explained& one : explained(report, cases)) {
    out << "### " << markdown_escaped(one.title) << "\n\n"
        << markdown_escaped(one.readings) << "\n\n"
        << markdown_escaped(one.reason) << "\n\n";
    if (one.figures.empty()) continue;
    std::vector<std::string> lines(2 + one.figures.size(), "|");
    for (const auto& [title, cell] : columns_of(one.figures, 3)) {
      lines[0] += fmt::format(" {} |", title);
      lines[1] += cell == &Figure::name ? " --- |" : " ---: |";
      for (std::size_t i = 0; i < one.figures.size(); ++i) {
        lines[i + 2] += fmt::format(" {} |", markdown_escaped(one.figures[i].*cell));
      }
    }
    out << join(lines, "\n") << "\n\n";
  }
}

}  // namespace gpumem::report
