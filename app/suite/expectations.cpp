// Reads the expectations of a suite: of cases, of the device or of flags.

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/values.hpp"
#include "app/run/case_records.hpp"
#include "app/run/probe_names.hpp"
#include "app/suite/reading.hpp"
#include "engine/base/suggest.hpp"
#include "report/check/expectation.hpp"
#include "report/record/flags.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::Expectation;
using report::Record;
using report::Selection;

/// Returns a condition on the parameter of an axis. Kernels are selected by patterns of their names, which are seldom
/// written out.
Selection::Allowed allowed(const Axis& axis, const std::vector<std::string>& texts) {
  Selection::Allowed result{.parameters = {axis.parameter}};
  if (axis.parameter == report::kernel_parameter) {
    for (const std::string& text : texts) result.patterns.emplace_back(text);
  } else {
    result.values = parse_axis_values(axis, texts);
  }
  return result;
}

/// Throws if the probe does not go with the suite: a suite is either about probes or about the kernels of a user's
/// program.
void refuse_other_kind(const JsonReader& probe, const std::vector<Probe>& registry) {
  const bool of_program = registry.front().name == report::kernel_probe_name;
  if ((probe.text() == report::kernel_probe_name) == of_program) return;
  probe.refuse(of_program ? "a suite without 'probes' is about those of a program: the probe is 'kernel'"
                          : "kernels of a program are for a suite of their own, which has no 'probes'");
}

/// An object of a probe and values of its axes. Without `otherwise` it must name the probe.
Selection read_selection(const JsonReader& json, const std::vector<Probe>& registry, const std::string& folder,
                         const std::string& otherwise = "") {
  if (json.has("probe")) refuse_other_kind(json.member("probe"), registry);
  const bool named = otherwise.empty() || json.has("probe");
  const Probe& probe = named ? read_probe(json.member("probe"), registry) : require_probe(registry, otherwise);
  Selection selection{.probes = {probe.name}};
  for (const auto& [name, values] : json.members()) {
    if (name == "probe") continue;
    const std::vector<std::string> texts = read_axis(values, name, probe, folder).texts;
    const Axis& axis = *std::ranges::find(probe.axes, name, &Axis::flag);
    selection.parameters.push_back(allowed(axis, texts));
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

template <class Bounded>
void read_equals(const JsonReader& json, Bounded& expectation) {
  const JsonReader equals = json.member("equals");
  if (json.has("at_least") || json.has("at_most")) equals.refuse("stands alone: leave out 'at_least' and 'at_most'");
  const double share = read_share(json.member("tolerance"), "tolerance", "5%");
  const double value = equals.moderate_number();
  const auto [least, most] = std::minmax({value * (1 - share), value * (1 + share)});
  if (!is_moderate(least) || !is_moderate(most)) {
    equals.refuse(
        fmt::format("with its tolerance it leaves the magnitudes from {} to {}", smallest_number, largest_number));
  }
  expectation.at_least = least;
  expectation.at_most = most;
}

template <class Bounded>
void read_bounds(const JsonReader& json, Bounded& expectation) {
  if (json.has("equals")) return read_equals(json, expectation);
  if (json.has("tolerance")) json.member("tolerance").refuse("belongs to 'equals', which is missing");
  if (json.has("at_least")) expectation.at_least = json.member("at_least").moderate_number();
  if (json.has("at_most")) expectation.at_most = json.member("at_most").moderate_number();
  if (!expectation.at_least && !expectation.at_most) {
    json.fail("a bound: 'at_least', 'at_most', or 'equals' with a 'tolerance'");
  }
  if (expectation.at_least && expectation.at_most && *expectation.at_least > *expectation.at_most) {
    json.member("at_most").refuse(
        fmt::format("{} is below 'at_least', {}", *expectation.at_most, *expectation.at_least));
  }
}

/// Reads the name of a quantity that cases of all these probes have.
std::string read_quantity(const JsonReader& json, const std::vector<std::string>& probes,
                          const std::vector<Probe>& registry) {
  std::string quantity = json.text();
  for (const std::string& probe : probes) {
    std::vector<std::string> names;
    for (const Quantity& known : report::case_quantities(require_probe(registry, probe))) names.push_back(known.name);
    require_known(json, quantity, names, fmt::format("cases of '{}' have no quantity", probe));
  }
  return quantity;
}

void read_cases(const JsonReader& json, Expectation& expectation, const std::vector<Probe>& registry,
                const std::string& folder) {
  expectation.subject = Expectation::Subject::cases;
  expectation.cases = read_selection(json.member("cases"), registry, folder);
  std::vector<std::string> probes = expectation.cases.probes;
  if (json.has("relative_to")) {
    expectation.relative_to = read_selection(json.member("relative_to"), registry, folder, probes.front());
    probes.push_back(expectation.relative_to->probes.front());
  }
  expectation.quantity = require_probe(registry, probes.front()).headline.quantity.name;
  if (json.has("quantity")) expectation.quantity = read_quantity(json.member("quantity"), probes, registry);
  if (json.has("where")) {
    const JsonReader where = json.member("where");
    where.allow_only({"quantity", "at_least", "at_most"});
    expectation.where.emplace();
    expectation.where->quantity = read_quantity(where.member("quantity"), {probes.front()}, registry);
    read_bounds(where, *expectation.where);
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

void read_flags(const JsonReader& json, Expectation& expectation, const std::vector<Probe>& registry,
                const std::string& folder) {
  expectation.subject = Expectation::Subject::flags;
  for (const JsonReader& item : json.member("no_flags").items()) {
    const std::string flag = item.text();
    require_known(item, flag, report::all_flags(), "there is no flag");
    if (std::ranges::find(expectation.flags, flag) != expectation.flags.end()) item.refuse("expected each flag once");
    expectation.flags.push_back(flag);
  }
  if (expectation.flags.empty()) json.member("no_flags").fail("at least one flag");
  if (json.has("cases")) expectation.cases = read_selection(json.member("cases"), registry, folder);
}

/// Throws if a member does not go with the subject, which is named by its member.
void allow_beside(const JsonReader& json, const std::string& subject, const std::vector<std::string>& members) {
  for (const char* other : {"cases", "where", "quantity", "relative_to", "device", "no_flags", "at_least", "at_most",
                            "equals", "tolerance"}) {
    if (other == subject || !json.has(other)) continue;
    if (std::ranges::find(members, other) == members.end()) {
      json.member(other).refuse(fmt::format("does not go together with '{}'", subject));
    }
  }
}

/// An entry of `expectations`; `place` is what an error calls it.
Expectation read_expectation(const JsonReader& json, const std::string& place, const std::vector<Probe>& registry,
                             const std::string& folder) {
  json.allow_only({"name", "because", "gpu", "required", "cases", "where", "quantity", "device", "no_flags", "at_least",
                   "at_most", "equals", "tolerance", "relative_to"});
  Expectation expectation;
  expectation.place = place;
  expectation.name = read_name(json.member("name"));
  if (json.has("because")) expectation.because = json.member("because").text();
  if (json.has("gpu")) expectation.gpu = read_name(json.member("gpu"));
  if (json.has("required")) expectation.required = json.member("required").boolean();
  if (json.has("no_flags")) {
    allow_beside(json, "no_flags", {"cases"});
    read_flags(json, expectation, registry, folder);
  } else if (json.has("device")) {
    allow_beside(json, "device", {"at_least", "at_most", "equals", "tolerance"});
    read_device(json, expectation);
  } else if (json.has("cases")) {
    read_cases(json, expectation, registry, folder);
  } else {
    json.fail("one of the members 'cases', 'device' and 'no_flags'");
  }
  return expectation;
}

// ---- Checks against the suite's own plan

/// Why a selection selects nothing.
std::string nothing_selected(const Selection& selection, const std::vector<Record>& planned) {
  const auto any = [&](const Selection& wider) {
    return std::ranges::any_of(planned, [&](const Record& record) { return report::selects(wider, record); });
  };
  const std::string& probe = selection.probes.front();
  if (!any({.probes = {probe}})) return fmt::format("the suite does not run the probe '{}'", probe);
  for (const Selection::Allowed& allowed : selection.parameters) {
    if (any({.probes = {probe}, .parameters = {allowed}})) continue;
    std::vector<std::string> values;
    for (const Value& value : allowed.values) values.push_back(to_string(value));
    constexpr std::size_t most_listed = 5;
    if (values.size() > most_listed) values = {values.front(), "...", values.back()};
    return fmt::format("no case of '{}' in this suite has {} {}", probe, allowed.parameters.front(),
                       report::join(values, ", "));
  }
  return fmt::format("no case of '{}' in this suite has all of these values", probe);
}

void require_references(const JsonReader& json, const Expectation& expectation, const std::vector<Record>& planned,
                        const std::vector<std::size_t>& selected) {
  const report::References references(expectation, planned);
  const Selection& reference = *expectation.relative_to;
  const auto is_own = [&](std::size_t index) {
    const auto found = references.of(index);
    return found.size() == 1 && found.front() == index;
  };
  if (std::ranges::all_of(selected, is_own)) {
    json.refuse("relates each of these cases to itself; name the values in which the other case differs");
  }
  for (const std::size_t index : selected) {
    const std::size_t found = references.of(index).size();
    if (found == 1) continue;
    if (reference.probes != expectation.cases.probes) {
      json.refuse(fmt::format("selects {} cases; name enough axes for one", found));
    }
    const std::string rest =
        words_of(planned[index], [&](const std::string& name) { return !report::names_parameter(reference, name); });
    if (found == 0) json.refuse(fmt::format("no case of this suite has these values and else is {}", rest));
    json.refuse(fmt::format("{} cases have these values and else are {}; name enough axes for one", found, rest));
  }
}

/// Throws if the expectation at `json` selects no case of the plan, or not one reference for each case. This is found
/// out before hours of measuring.
void require_cases(const JsonReader& json, const Expectation& expectation, const std::vector<Record>& planned) {
  if (expectation.cases.probes.empty()) return;
  std::vector<std::size_t> selected;
  for (std::size_t i = 0; i < planned.size(); ++i) {
    if (report::selects(expectation.cases, planned[i])) selected.push_back(i);
  }
  if (selected.empty()) json.member("cases").refuse(nothing_selected(expectation.cases, planned));
  if (!expectation.relative_to) return;
  const JsonReader reference = json.member("relative_to");
  const auto is_reference = [&](const Record& record) { return report::selects(*expectation.relative_to, record); };
  if (std::ranges::none_of(planned, is_reference)) {
    reference.refuse(nothing_selected(*expectation.relative_to, planned));
  }
  require_references(reference, expectation, planned, selected);
}

}  // namespace

void read_expectations(const JsonReader& json, const std::string& source, const std::vector<Probe>& registry,
                       const std::string& folder, Suite& suite) {
  const std::vector<Record> planned = planned_records(suite.plan);  // empty for a program: kernels not known yet
  for (const JsonReader& item : read_entries(json)) {
    const std::string place = fmt::format("{}: /expectations/{}", source, suite.expectations.size());
    Expectation expectation = read_expectation(item, place, registry, folder);
    if (!planned.empty()) require_cases(item, expectation, planned);
    if (std::ranges::find(suite.expectations, expectation.name, &Expectation::name) != suite.expectations.end()) {
      item.member("name").refuse("another expectation has this name");
    }
    suite.expectations.push_back(std::move(expectation));
  }
}

}  // namespace gpumem::app
