// Many probes on one screen: the levels of memory, and a line for each probe.

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <utility>

#include "engine/base/words.hpp"
#include "report/portrait/portrait.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/portraits/portrait.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_lines = 40;
constexpr std::size_t lines_around = 11;  // preambles, headings, blank lines and the last sentences
constexpr double telling_ratio = 1.02;
constexpr std::size_t widest_lesson = 60;  // of a longer one, the first clause will do
constexpr std::size_t shortest_lesson = 20;

/// The best and the worst case of one table.
struct Span {
  const Record* best = nullptr;
  const Record* worst = nullptr;
  Cases cases;
  double ratio = 1;  ///< how many times as good the best one is
};

Span span_of(const Cases& cases) {
  Span span;
  span.cases = cases;
  const bool measured =
      std::ranges::any_of(cases, [](const Record* record) { return record->headline.measured.has_value(); });
  const auto goodness = [&](const Record* record) {
    const auto value = record->ran() ? positive_headline(*record, measured) : std::nullopt;
    return value ? record->headline.goodness(*value) : 0;
  };
  for (const Record* record : cases) {
    if (!(goodness(record) > 0)) continue;
    if (span.best == nullptr || goodness(record) > goodness(span.best)) span.best = record;
    if (span.worst == nullptr || goodness(record) < goodness(span.worst)) span.worst = record;
  }
  if (span.best != nullptr) span.ratio = goodness(span.best) / goodness(span.worst);
  return span;
}

/// True if the fact has a ratio that is worth telling.
bool tells_ratio(const FactRecord& fact) {
  const auto is_telling = [](const FactValue::Item& item) {
    const double* number = std::get_if<double>(&item);
    return number != nullptr && (*number > telling_ratio || *number < 1 / telling_ratio);
  };
  return std::ranges::any_of(fact.values, [&](const FactValue& value) {
    return value.name.ends_with("_ratio") && std::ranges::any_of(value.items, is_telling);
  });
}

/// The sentence that a reader gains most by: of the facts, the first that tells a ratio.
std::string lesson_of(const Report& report, const std::string& probe) {
  const FactRecord* said = nullptr;
  for (const ConclusionRecord& conclusion : report.conclusions) {
    if (conclusion.probe != probe) continue;
    for (const FactRecord& fact : conclusion.facts) {
      if (said == nullptr || (!tells_ratio(*said) && tells_ratio(fact))) said = &fact;
    }
  }
  if (said == nullptr) return "";
  const std::string sentence = one_line(first_sentence(said->text));
  const std::size_t clause = sentence.find(": ");
  const bool is_long = display_width(sentence) > widest_lesson && clause >= shortest_lesson;
  return is_long ? sentence.substr(0, clause) : sentence;
}

/// A probe in one line, and by how much its cases differ.
struct Line {
  Row row;
  double ratio = 1;
};

Line line_of(const Report& report, const std::string& probe, const std::vector<Span>& spans) {
  const auto widest = std::ranges::max_element(spans, {}, &Span::ratio);
  Line line;
  line.ratio = widest->ratio;
  line.row.position = probe;
  std::vector<std::string>& cells = line.row.cells;
  cells = {probe, "", "", "", "", "", "", lesson_of(report, probe)};
  if (widest->best == nullptr) {
    const Record& first = *widest->cases.front();
    const bool ran = first.ran();
    cells.back() = ran ? first.no_prediction.value_or("nothing is predicted of it") : first.reason.value_or("");
    if (!ran) cells.back() = fmt::format("{}: {}", to_string(first.status), cells.back());
    cells.back() = one_line(cells.back());
    return line;
  }
  const auto value = [](const Record& record) {
    const auto read = record.headline.value();
    return read ? significant(*read, 3) : "";
  };
  cells[1] = value(*widest->best);
  cells[2] = position_among(widest->cases, *widest->best);
  if (widest->cases.size() > 1) {
    cells[3] = value(*widest->worst);
    cells[4] = position_among(widest->cases, *widest->worst);
    cells[6] = significant(line.ratio, 3);
    if (cells.back().empty()) cells.back() = fmt::format("Best at {}, worst at {}", cells[2], cells[4]);
  }
  cells[5] = unit_of(widest->best->headline.quantity);
  return line;
}

/// A line for each probe, those first whose cases differ most.
std::vector<Line> lines_of(const Report& report) {
  std::vector<std::pair<std::string, std::vector<Span>>> probes;
  for (const Members& members : tables(report.results)) {
    const std::string& name = report.results[members.front()].probe;
    auto known = std::ranges::find(probes, name, &std::pair<std::string, std::vector<Span>>::first);
    if (known == probes.end()) known = probes.insert(known, {name, {}});
    known->second.push_back(span_of(cases_of(report.results, members)));
  }
  std::vector<Line> lines;
  for (const auto& [probe, spans] : probes) lines.push_back(line_of(report, probe, spans));
  std::ranges::stable_sort(lines, std::ranges::greater(), &Line::ratio);
  return lines;
}

}  // namespace

Page page_in_brief(const Report& report) {
  Page page;
  add_short_preamble(page.before, report);
  const std::vector<Portrait> portrait = {portrait_of(report)};
  Block levels = levels_block(portrait);
  const std::size_t room = most_lines - lines_around - levels.rows.size();
  if (!levels.rows.empty()) page.blocks.push_back(std::move(levels));

  Block block;
  block.title = "probes, by how much the best case gains over the worst of its table";
  block.parameter_columns = 1;
  block.columns = {{.heading = {"probe", ""}, .names = true},
                   {.heading = {"best", ""}},
                   {.heading = {"at", ""}, .rank = 4, .names = true},
                   {.heading = {"worst", ""}},
                   {.heading = {"at", ""}, .rank = 3, .names = true},
                   {.heading = {"unit", ""}, .rank = 2, .names = true},
                   {.heading = {"x", ""}},
                   {.heading = {"lesson", ""}, .names = true, .prose = true}};
  std::vector<std::string> further;
  for (Line& line : lines_of(report)) {
    if (block.rows.size() < room) {
      block.rows.push_back(std::move(line.row));
    } else {
      further.push_back(line.row.position);
    }
  }
  page.blocks.push_back(std::move(block));
  page.after.push_back({"All of one: gpumem probe NAME. All tables: gpumem probe --tables." +
                        (further.empty() ? "" : " Also run: " + join(further, ", ") + ".")});
  return page;
}

}  // namespace gpumem::report
