#include "app/suite/reading.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/values.hpp"
#include "probes/suggest.hpp"
#include "report/record/flags.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::Expectation;

double read_share(const JsonReader& json, const char* option, const char* example) {
  if (!json.is_text()) json.fail(fmt::format("a share as text, such as \"{}\"", example));
  return at_place(json, [&] { return parse_fraction(option, json.text()); });
}

Effort read_effort(const JsonReader& json) {
  Effort effort;
  if (json.has("ci_width")) effort.ci_width = read_share(json.member("ci_width"), "ci-width", "2%");
  if (json.has("time_budget")) {
    const JsonReader budget = json.member("time_budget");
    if (!budget.is_text()) budget.fail("a time as text, such as \"500ms\"");
    effort.time_budget = at_place(budget, [&] { return parse_duration("time-budget", budget.text()); });
  }
  return effort;
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

/// The probe that a member "probe" names.
const Probe& read_probe_name(const JsonReader& json, const std::vector<Probe>& registry) {
  const std::string name = json.text();
  return at_place(json, [&]() -> const Probe& { return require_probe(registry, name); });
}

/// The axis of a member's name. `name` is the axis' flag, and what else a user may take for it gets an answer.
const Axis& read_axis_name(const JsonReader& json, const std::string& name, const Probe& probe) {
  const auto axis = std::ranges::find(probe.axes, name, &Axis::flag);
  if (axis == probe.axes.end()) {
    json.refuse(fmt::format("the probe '{}' has no such axis{}", probe.name, hint_for_axis(name, probe)));
  }
  return *axis;
}

/// What the command line would take as the uses of an axis' flag: texts and whole numbers, alone or in an array.
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

// ---- What is expected of the cases, the device or the flags

/// An object of a probe and values of its axes. Without `otherwise` it must name the probe.
report::Selection read_selection(const JsonReader& json, const std::vector<Probe>& registry,
                                 const std::string& otherwise = "") {
  const bool named = otherwise.empty() || json.has("probe");
  const Probe& probe = named ? read_probe_name(json.member("probe"), registry) : require_probe(registry, otherwise);
  report::Selection selection{.probes = {probe.name}};
  for (const auto& [name, values] : json.members()) {
    if (name == "probe") continue;
    const Axis& axis = read_axis_name(values, name, probe);
    const std::vector<std::string> texts = read_axis_texts(values, axis);
    selection.parameters.push_back({.parameters = {axis.parameter}, .values = parse_axis_values(axis, texts)});
  }
  return selection;
}

/// Throws for an unknown name, with the nearest.
void require_known(const JsonReader& json, const std::string& name, const std::vector<std::string>& names,
                   const std::string& what) {
  if (std::ranges::find(names, name) != names.end()) return;
  const std::string hint = did_you_mean(name, names);
  json.refuse(fmt::format("{} '{}'{}", what, name, hint.empty() ? "; there are: " + report::join(names, ", ") : hint));
}

void read_equals(const JsonReader& json, Expectation& expectation) {
  const JsonReader equals = json.member("equals");
  if (json.has("at_least") || json.has("at_most")) equals.refuse("stands alone: leave out 'at_least' and 'at_most'");
  const double share = read_share(json.member("tolerance"), "tolerance", "5%");
  const double value = equals.number();
  const double one_end = value * (1 - share);
  const double other_end = value * (1 + share);
  expectation.at_least = std::min(one_end, other_end);
  expectation.at_most = std::max(one_end, other_end);
}

void read_bounds(const JsonReader& json, Expectation& expectation) {
  if (json.has("equals")) return read_equals(json, expectation);
  if (json.has("tolerance")) json.member("tolerance").refuse("belongs to 'equals', which is missing");
  if (json.has("at_least")) expectation.at_least = json.member("at_least").number();
  if (json.has("at_most")) expectation.at_most = json.member("at_most").number();
  if (!expectation.at_least && !expectation.at_most) {
    json.fail("a bound: 'at_least', 'at_most', or 'equals' with a 'tolerance'");
  }
  if (expectation.at_least && expectation.at_most && *expectation.at_least > *expectation.at_most) {
    json.member("at_most").refuse(
        fmt::format("{} is below 'at_least', {}", *expectation.at_most, *expectation.at_least));
  }
}

void read_cases(const JsonReader& json, Expectation& expectation, const std::vector<Probe>& registry) {
  expectation.subject = Expectation::Subject::cases;
  expectation.cases = read_selection(json.member("cases"), registry);
  std::vector<std::string> probes = expectation.cases.probes;
  if (json.has("relative_to")) {
    expectation.relative_to = read_selection(json.member("relative_to"), registry, probes.front());
    probes.push_back(expectation.relative_to->probes.front());
  }
  expectation.quantity = require_probe(registry, probes.front()).headline.quantity.name;
  if (json.has("quantity")) {
    const JsonReader quantity = json.member("quantity");
    expectation.quantity = quantity.text();
    for (const std::string& probe : probes) {
      std::vector<std::string> names;
      for (const Quantity& one : report::case_quantities(require_probe(registry, probe))) names.push_back(one.name);
      require_known(quantity, expectation.quantity, names, fmt::format("cases of '{}' have no quantity", probe));
    }
  }
  read_bounds(json, expectation);
}

void read_device(const JsonReader& json, Expectation& expectation) {
  expectation.subject = Expectation::Subject::device;
  const JsonReader device = json.member("device");
  expectation.quantity = device.text();
  require_known(device, expectation.quantity, report::device_quantity_names(), "a device has no quantity");
  read_bounds(json, expectation);
}

void read_flags(const JsonReader& json, Expectation& expectation, const std::vector<Probe>& registry) {
  expectation.subject = Expectation::Subject::flags;
  for (const JsonReader& item : json.member("no_flags").items()) {
    const std::string flag = item.text();
    require_known(item, flag, report::all_flags(), "there is no flag");
    if (std::ranges::find(expectation.flags, flag) != expectation.flags.end()) item.refuse("expected each flag once");
    expectation.flags.push_back(flag);
  }
  if (expectation.flags.empty()) json.member("no_flags").fail("at least one flag");
  if (json.has("cases")) expectation.cases = read_selection(json.member("cases"), registry);
}

/// The members that go with a subject, named by the member that says it.
void allow_beside(const JsonReader& json, const std::string& subject, const std::vector<std::string>& members) {
  for (const char* other :
       {"cases", "quantity", "relative_to", "device", "no_flags", "at_least", "at_most", "equals", "tolerance"}) {
    if (other == subject || !json.has(other)) continue;
    if (std::ranges::find(members, other) == members.end()) {
      json.member(other).refuse(fmt::format("does not go together with '{}'", subject));
    }
  }
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
  options.effort = read_effort(json);
  if (json.has("numa")) options.numa = read_numa(json.member("numa"));
  if (json.has("counters")) options.counting = read_counting(json.member("counters"));
  return options;
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
    entry.effort = read_effort(effort);
  }
  return entry;
}

Expectation read_expectation(const JsonReader& json, const std::string& place, const std::vector<Probe>& registry) {
  static const std::vector<std::string> members = {"name",     "because",   "gpu",        "required", "cases",
                                                   "quantity", "device",    "no_flags",   "at_least", "at_most",
                                                   "equals",   "tolerance", "relative_to"};
  static const std::vector<std::string> bounds = {"at_least", "at_most", "equals", "tolerance"};
  json.allow_only(members);
  Expectation expectation;
  expectation.place = place;
  expectation.name = read_name(json.member("name"));
  if (json.has("because")) expectation.because = json.member("because").text();
  if (json.has("gpu")) expectation.gpu = read_name(json.member("gpu"));
  if (json.has("required")) expectation.required = json.member("required").boolean();
  if (json.has("no_flags")) {
    allow_beside(json, "no_flags", {"cases"});
    read_flags(json, expectation, registry);
  } else if (json.has("device")) {
    allow_beside(json, "device", bounds);
    read_device(json, expectation);
  } else if (json.has("cases")) {
    read_cases(json, expectation, registry);
  } else {
    json.fail("what it is about: one of the members 'cases', 'device' and 'no_flags'");
  }
  return expectation;
}

}  // namespace gpumem::app
