#include "report/portrait/portrait.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <set>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/thresholds.hpp"
#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

struct LevelRow {
  std::string_view level;  ///< of `hierarchy`
  std::string_view words;
  bool per_multiprocessor;
};

/// The level "l2-shared" is left out: L2 that all multiprocessors read alike is no level of its own.
constexpr LevelRow level_rows[] = {{"register", "registers", true},    {"shared", "shared memory", true},
                                   {"l1", "L1 cache", true},           {"l2", "L2 cache", false},
                                   {"memory", "device memory", false}, {"host", "host memory", false}};

struct ChartRow {
  std::string_view probe;
  std::string_view title;
  std::string_view of;
  bool logarithmic_x;
  bool logarithmic_y;
};

constexpr ChartRow chart_rows[] = {{"working-set", "Latency by footprint", "a larger footprint", true, true},
                                   {"loaded-latency", "Latency while memory is busy", "busy memory", false, true},
                                   {"offset", "Cost of misalignment", "misalignment", false, false},
                                   {"stride", "Cost of strides", "strides", true, true},
                                   {"bank", "Cost of bank conflicts", "bank conflicts", true, true},
                                   {"transfer", "Cost of small copies over the link", "small copies", true, true}};

std::optional<Figure> figure_of(std::optional<double> measured, std::optional<double> predicted) {
  if (const auto known = positive(measured)) return Figure{*known, false};
  if (const auto known = positive(predicted)) return Figure{*known, true};
  return std::nullopt;
}

std::optional<Figure> headline_figure(const Record& record) {
  return figure_of(record.headline.measured, record.headline.predicted);
}

std::optional<Figure> metric_figure(const Record* record, std::string_view name) {
  if (record == nullptr) return std::nullopt;
  const MetricRecord metric = metric_of(*record, name);
  return figure_of(metric.measured, metric.predicted);
}

bool has_value(const Record& record, std::string_view parameter, std::string_view value) {
  const Parameter* found = find_parameter(record, parameter);
  return found != nullptr && gpumem::to_string(found->value) == value;
}

const Record* find_case(const Report& report, std::string_view probe, std::string_view level) {
  for (const Record& record : report.results) {
    if (record.probe == probe && record.ran() && has_value(record, "level", level)) return &record;
  }
  return nullptr;
}

/// Returns the parameters in which the cases differ, except those that `auto` chose.
std::set<std::string> telling_apart(const Cases& cases) {
  std::set<std::string> telling = varying(cases);
  for (const Record* record : cases) {
    for (const std::string& chosen : record->chosen) telling.erase(chosen);
  }
  return telling;
}

/// Names a curve by these parameters. Names stand alone, numbers with what they count: "pinned host memory, to-device",
/// "4-byte words".
std::string curve_name(const Record& record, const std::set<std::string>& telling) {
  std::vector<std::string> parts;
  for (const Parameter& parameter : record.parameters) {
    if (!telling.contains(parameter.name)) continue;
    const bool is_name = std::holds_alternative<std::string>(parameter.value);
    parts.push_back(is_name ? value_text(parameter) : position_phrase(parameter));
  }
  return one_line(join(parts, ", "));
}

// ---- Levels

std::vector<PortraitLevel> levels_of(const Report& report) {
  std::vector<PortraitLevel> levels;
  for (const LevelRow& row : level_rows) {
    const Record* record = find_case(report, "hierarchy", row.level);
    if (record == nullptr) continue;
    const Record* chase = find_case(report, "latency", row.level);
    levels.push_back(
        {.name = std::string(row.words),
         .per_multiprocessor = row.per_multiprocessor,
         .capacity_bytes = metric_figure(record, "capacity_bytes"),
         .latency_cycles = chase != nullptr ? headline_figure(*chase) : metric_figure(record, "latency_cycles"),
         .latency_ns = metric_figure(chase, "latency_ns"),
         .read_gb_per_s = headline_figure(*record),
         .write_gb_per_s = metric_figure(record, "write_gb_per_s"),
         .copy_gb_per_s = metric_figure(record, "copy_gb_per_s"),
         .peak_gb_per_s = positive(record->headline.peak),
         .fraction_of_peak = positive(record->fraction_of_peak)});
  }
  return levels;
}

/// Returns the latencies, the shortest first. If chases differ in more than the level, their names say in what.
std::vector<PortraitStep> ladder_of(const Report& report) {
  Cases chases;
  for (const Record& record : report.results) {
    const bool of_it = record.probe == "latency" && record.ran() && find_parameter(record, "level") != nullptr;
    if (of_it && headline_figure(record)) chases.push_back(&record);
  }
  std::set<std::string> telling = telling_apart(chases);
  telling.erase("level");
  std::vector<PortraitStep> steps;
  for (const Record* record : chases) {
    std::string name = one_line(value_text(*find_parameter(*record, "level")));
    if (!telling.empty()) name += ", " + curve_name(*record, telling);
    steps.push_back({std::move(name), *headline_figure(*record), metric_figure(record, "latency_ns")});
  }
  std::ranges::stable_sort(steps, {}, [](const PortraitStep& step) { return step.latency_cycles.value; });
  return steps;
}

// ---- Charts

std::string axis_words(const Record& record) {
  const Heading heading = parameter_heading(record.swept);
  return is_size(record.swept) ? heading.name : heading_words(heading);
}

PortraitPoint point_of(const Record& record) {
  const Parameter& swept = *find_parameter(record, record.swept);
  return {.x = static_cast<double>(*number_of(record, record.swept)),
          .place = one_line(position_phrase(swept)),
          .tick = one_line(value_text(swept)),
          .measured = positive_headline(record, true),
          .predicted = positive_headline(record, false)};
}

/// Marks the points that a line joins to the point before. No line crosses offsets and strides that were not run. If
/// there are single cases, two neighbours (1 and 2 of powers of two) are not joined either: they would look like a
/// curve that ends.
void mark_joined(std::vector<PortraitPoint>& points, std::string_view swept) {
  const auto ends = [&](std::size_t i) {  // a run of neighbours, before this point
    return i == 0 || i >= points.size() || (is_distance(swept) && points[i].x - points[i - 1].x > 1);
  };
  bool singles = false;
  for (std::size_t i = 0; i < points.size(); ++i) singles = singles || (ends(i) && ends(i + 1));
  for (std::size_t i = 1; i < points.size(); ++i) {
    const bool is_pair = ends(i - 1) && ends(i + 1);
    points[i].joined = !ends(i) && !(singles && is_pair);
  }
}

/// Returns the names of a probe's sweeps. Parameters that `auto` chose are in a name only if nothing else tells the
/// sweeps apart.
std::vector<std::string> curve_names(const std::vector<Cases>& sweeps) {
  Cases all;
  for (const Cases& sweep : sweeps) all.insert(all.end(), sweep.begin(), sweep.end());
  std::set<std::string> every = varying(all);
  std::set<std::string> asked = telling_apart(all);
  for (std::set<std::string>* telling : {&every, &asked}) telling->erase(all.front()->swept);
  std::vector<std::string> names;
  for (const Cases& sweep : sweeps) names.push_back(curve_name(*sweep.front(), asked));
  std::vector<std::string> told_apart = names;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (std::ranges::count(names, names[i]) > 1) told_apart[i] = curve_name(*sweeps[i].front(), every);
  }
  return told_apart;
}

/// Removes the points without a measurement if any point has one, so that a curve compares readings of one kind.
void leave_one_kind(std::vector<PortraitPoint>& points) {
  const auto is_measured = [](const PortraitPoint& point) { return point.measured.has_value(); };
  if (std::ranges::any_of(points, is_measured)) std::erase_if(points, std::not_fn(is_measured));
}

/// A curve for the cases of each sweep, which differ in nothing but what is swept.
std::vector<PortraitCurve> curves_of(const std::vector<Cases>& sweeps, bool logarithmic_x) {
  const std::vector<std::string> names = curve_names(sweeps);
  std::vector<PortraitCurve> curves;
  for (std::size_t i = 0; i < sweeps.size(); ++i) {
    PortraitCurve curve{.name = names[i], .points = {}};
    for (const Record* record : sweeps[i]) {
      if (!logarithmic_x || number_of(*record, record->swept) != 0U) curve.points.push_back(point_of(*record));
    }
    leave_one_kind(curve.points);
    std::ranges::stable_sort(curve.points, {}, &PortraitPoint::x);
    mark_joined(curve.points, sweeps[i].front()->swept);
    if (curve.points.size() >= 2) curves.push_back(std::move(curve));
  }
  return curves;
}

/// The sweeps of a probe, of the cases that ran and are about the same quantity as the first.
std::vector<Cases> sweeps_of(const Report& report, std::string_view probe) {
  const Record* first = nullptr;
  std::vector<Cases> found;
  for (const Members& sweep : sweeps(report.results)) {
    Cases cases;
    for (const Record* record : cases_of(report.results, sweep)) {
      if (record->probe != probe || !record->ran() || !headline_figure(*record)) continue;
      if (!number_of(*record, record->swept)) continue;
      if (first == nullptr) first = record;
      if (record->headline.quantity == first->headline.quantity) cases.push_back(record);
    }
    if (!cases.empty()) found.push_back(std::move(cases));
  }
  return found;
}

std::optional<PortraitChart> chart_of(const Report& report, const ChartRow& row) {
  const std::vector<Cases> found = sweeps_of(report, row.probe);
  if (found.empty()) return std::nullopt;
  const Record& first = *found.front().front();
  PortraitChart chart{.probe = std::string(row.probe),
                      .title = std::string(row.title),
                      .of = std::string(row.of),
                      .x_axis = one_line(axis_words(first)),
                      .quantity = first.headline.quantity,
                      .better = first.headline.better,
                      .logarithmic_x = row.logarithmic_x,
                      .logarithmic_y = row.logarithmic_y,
                      .curves = curves_of(found, row.logarithmic_x),
                      .sentences = {}};
  if (chart.curves.empty()) return std::nullopt;
  const std::vector<Members> all = tables(report.results);
  for (std::size_t i = 0; i < all.size() && report.findings.size() == all.size(); ++i) {
    if (report.results[all[i].front()].probe == row.probe) chart.sentences.push_back(one_line(report.findings[i]));
  }
  return chart;
}

// ---- What is unusual

/// Returns the measured performance of a case relative to the prediction for its kind of GPU; above 1 is better.
double ratio_of(const Record& record) {
  const double ratio = *record.headline.measured / *record.headline.predicted;
  return record.headline.better == Better::less ? 1 / ratio : ratio;
}

/// Compares with the profile: how many cases are as predicted, and which are furthest from it.
std::string beside_profile(const Report& report) {
  constexpr std::size_t most = 3;
  Cases cases;
  for (const Record& record : report.results) {
    if (record.ran() && positive_headline(record, true) && positive_headline(record, false)) cases.push_back(&record);
  }
  if (cases.empty() || !report.profile) return "";
  const auto off = [](const Record* record) { return std::abs(std::log(ratio_of(*record))); };
  std::ranges::stable_sort(cases, std::greater(), off);
  const auto far = static_cast<std::size_t>(
      std::ranges::count_if(cases, [&](const Record* record) { return off(record) > std::log1p(as_predicted); }));
  std::string text = fmt::format("{} of {} are within 10 % of what profile '{}' predicts.", cases.size() - far,
                                 counted(cases.size(), "case"), one_line(*report.profile));
  const std::set<std::string> telling = telling_apart(cases);
  std::vector<std::string> furthest;
  for (const Record* record : std::span(cases).first(std::min(far, most))) {
    furthest.push_back(fmt::format("{}, {}: {} instead of {}", one_line(record->probe),
                                   parameter_words(*record, telling),
                                   value_words(record->headline.quantity, *record->headline.measured),
                                   value_words(record->headline.quantity, *record->headline.predicted)));
  }
  return furthest.empty() ? text : fmt::format("{} Furthest: {}.", text, join(furthest, "; "));
}

std::string cases_words(std::ptrdiff_t count) { return counted(static_cast<std::size_t>(count), "case"); }

std::vector<std::string> unusual_of(const Report& report) {
  static const std::pair<std::string_view, std::string_view> flag_words[] = {
      {"throttled", "ran while clocks were lowered for heat or power"},
      {"ecc_errors", "ran while memory errors were counted"},
      {"contended", "ran while another process used the GPU"},
      {"link_degraded", "ran over a link with less than its full generation or width"}};
  std::vector<std::string> said;
  for (const auto& [flag, words] : flag_words) {
    const auto flagged =
        std::ranges::count_if(report.results, [&](const Record& record) { return record.has_flag(flag); });
    if (flagged > 0) said.push_back(fmt::format("{} {}.", cases_words(flagged), words));
  }
  const auto failed = std::ranges::count_if(
      report.results, [](const Record& record) { return record.status == Status::failed || record.verified == false; });
  if (failed > 0) said.push_back(fmt::format("{} failed, or moved wrong data.", cases_words(failed)));
  const auto skipped = std::ranges::count(report.results, Status::skipped, &Record::status);
  if (skipped > 0) {
    const auto first = std::ranges::find(report.results, Status::skipped, &Record::status);
    said.push_back(
        fmt::format("{} skipped: {}.", cases_words(skipped), one_line(first->reason.value_or("no reason known"))));
  }
  for (const CheckRecord& check : report.checks) {
    if (check.verdict == Verdict::fail) {
      said.push_back(fmt::format("Not as expected: {} ({}).", one_line(check.name), one_line(check.reason)));
    }
  }
  if (std::string text = beside_profile(report); !text.empty()) said.push_back(std::move(text));
  return said;
}

}  // namespace

const PortraitPoint& PortraitCurve::best(Better better) const {
  return better == Better::less ? *std::ranges::min_element(points, {}, &PortraitPoint::value)
                                : *std::ranges::max_element(points, {}, &PortraitPoint::value);
}

const PortraitPoint& PortraitCurve::worst(Better better) const {
  return best(better == Better::less ? Better::more : Better::less);
}

Portrait portrait_of(const Report& report) {
  Portrait portrait;
  portrait.gpu = report.device ? one_line(report.device->name) : "unknown GPU";
  portrait.label = portrait.gpu;
  portrait.is_prediction = report.is_prediction();
  portrait.levels = levels_of(report);
  portrait.ladder = ladder_of(report);
  for (const ChartRow& row : chart_rows) {
    if (auto chart = chart_of(report, row)) portrait.charts.push_back(*std::move(chart));
  }
  portrait.unusual = unusual_of(report);
  return portrait;
}

void refuse_nothing_to_portray(const NamedReport& report) {
  const Portrait portrait = portrait_of(report.report);
  if (!portrait.levels.empty() || !portrait.charts.empty()) return;
  throw usage_error(fmt::format(
      "'{}' has none of the cases that a portrait shows; make a report that has them: gpumem portrait -o FILE.json",
      report.name));
}

std::vector<Portrait> portraits_of(std::span<const NamedReport> reports) {
  std::vector<Portrait> portraits;
  for (const NamedReport& named : reports) portraits.push_back(portrait_of(named.report));
  // Portraits of GPUs with the same name are told apart by their files' names, with folders only if the names are
  // equal.
  std::vector<std::string> names;
  for (const NamedReport& named : reports) names.push_back(std::filesystem::path(named.name).stem().string());
  for (std::size_t i = 0; i < portraits.size(); ++i) {
    if (std::ranges::count(portraits, portraits[i].gpu, &Portrait::gpu) == 1) continue;
    const std::string& name = std::ranges::count(names, names[i]) > 1 ? reports[i].name : names[i];
    portraits[i].label = fmt::format("{}, {}", portraits[i].gpu, one_line(name));
  }
  return portraits;
}

}  // namespace gpumem::report
