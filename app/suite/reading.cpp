#include "app/suite/reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/ranges.hpp"
#include "app/command_line/shares_and_times.hpp"
#include "probes/suggest.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

void read_effort(const JsonReader& json, std::optional<double>& ci_width,
                 std::optional<measure::Seconds>& time_budget) {
  if (json.has("ci_width")) {
    const JsonReader width = json.member("ci_width");
    if (!width.is_text()) width.fail("a share as text, such as \"2%\"");
    ci_width = at_place(width, [&] { return parse_fraction("ci-width", width.text()); });
  }
  if (json.has("time_budget")) {
    const JsonReader budget = json.member("time_budget");
    if (!budget.is_text()) budget.fail("a time as text, such as \"500ms\"");
    time_budget = at_place(budget, [&] { return parse_duration("time-budget", budget.text()); });
  }
}

measure::NumaRequest read_numa(const JsonReader& json) {
  const std::string text = json.is_number() ? std::to_string(json.small_whole()) : json.text();
  return at_place(json, [&] { return measure::NumaRequest::parse(text); });
}

measure::Counting read_counting(const JsonReader& json) {
  if (json.is_text() && json.text() == "require") return measure::Counting::required;
  if (json.is_text() || json.is_number() || json.is_null() || json.is_object() || json.is_array()) {
    json.fail("true, false or \"require\"");
  }
  return json.boolean() ? measure::Counting::if_possible : measure::Counting::off;
}

/// One value of an axis as its text.
std::string read_axis_text(const JsonReader& json) {
  if (json.is_text()) return json.text();
  if (!json.is_number()) json.fail("values such as \"0..32\" or 4, or an array of them");
  return std::to_string(json.whole());
}

/// What a user may have taken for an axis' flag, or the names of all.
std::string hint_for_axis(const std::string& name, const Probe& probe) {
  const std::string_view bare = std::string_view(name).substr(std::min(name.find_first_not_of('-'), name.size()));
  std::vector<std::string> flags;
  for (const Axis& axis : probe.axes) {
    if (bare == axis.flag) return fmt::format("; write it without dashes: '{}'", axis.flag);
    if (name == axis.parameter) return fmt::format("; reports call it so, but the axis is '{}'", axis.flag);
    flags.push_back(axis.flag);
  }
  const std::string hint = did_you_mean(name, flags);
  return hint.empty() ? "; its axes are: " + report::join(flags, ", ") : hint;
}

}  // namespace

std::string_view without_option(std::string_view message) {
  const std::size_t end = message.find(": ");
  const bool has_option = message.starts_with("--") && end < message.find(' ');
  return has_option ? message.substr(end + 2) : message;
}

std::string read_name(const JsonReader& json) {
  if (!json.is_text() || json.text().empty()) json.fail("a text that is not empty");
  return json.text();
}

SuiteOptions read_suite_options(const JsonReader& json) {
  static const std::vector<std::string> members = {"ci_width", "time_budget", "numa", "counters"};
  json.allow_only(members);
  SuiteOptions options;
  read_effort(json, options.ci_width, options.time_budget);
  if (json.has("numa")) options.numa = read_numa(json.member("numa"));
  if (json.has("counters")) options.counting = read_counting(json.member("counters"));
  return options;
}

const Probe& read_probe_name(const JsonReader& json, const std::vector<Probe>& registry) {
  const std::string name = json.text();
  return at_place(json, [&]() -> const Probe& { return require_probe(registry, name); });
}

const Axis& read_axis_name(const JsonReader& json, const std::string& name, const Probe& probe) {
  const auto axis = std::ranges::find(probe.axes, name, &Axis::flag);
  if (axis == probe.axes.end()) {
    json.refuse(fmt::format("the probe '{}' has no such axis{}", probe.name, hint_for_axis(name, probe)));
  }
  return *axis;
}

std::vector<std::string> read_axis_texts(const JsonReader& json, const Axis& axis) {
  const std::vector<JsonReader> items = json.is_array() ? json.items() : std::vector{json};
  if (items.empty()) json.fail("at least one value; leave the axis out for its defaults");
  std::vector<std::string> texts;
  for (const JsonReader& item : items) {
    texts.push_back(read_axis_text(item));
    at_place(item, [&] { return parse_axis_values(axis, std::vector{texts.back()}); });
  }
  at_place(json, [&] { return parse_axis_values(axis, texts); });  // each may be right where all together are not
  return texts;
}

SuiteProbe read_suite_probe(const JsonReader& json, const std::vector<Probe>& registry) {
  static const std::vector<std::string> members = {"probe", "axes", "options"};
  static const std::vector<std::string> options = {"ci_width", "time_budget"};
  json.allow_only(members);
  const Probe& probe = read_probe_name(json.member("probe"), registry);
  SuiteProbe entry;
  entry.probe = probe.name;
  if (json.has("axes")) {
    for (const auto& [name, values] : json.member("axes").members()) {
      const Axis& axis = read_axis_name(values, name, probe);
      entry.axes.push_back({.flag = axis.flag, .texts = read_axis_texts(values, axis)});
    }
  }
  if (json.has("options")) {
    const JsonReader effort = json.member("options");
    for (const char* of_suite : {"numa", "counters"}) {
      if (effort.has(of_suite)) effort.member(of_suite).refuse("holds for the whole suite; move it to /options");
    }
    effort.allow_only(options);
    read_effort(effort, entry.ci_width, entry.time_budget);
  }
  return entry;
}

}  // namespace gpumem::app
