// What is expected of the cases, the device or the flags.

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/ranges.hpp"
#include "app/command_line/shares_and_times.hpp"
#include "app/suite/reading.hpp"
#include "probes/suggest.hpp"
#include "report/record/flags.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::Expectation;

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
  const JsonReader tolerance = json.member("tolerance");
  if (!tolerance.is_text()) tolerance.fail("a share as text, such as \"5%\"");
  const double share = at_place(tolerance, [&] { return parse_fraction("tolerance", tolerance.text()); });
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
