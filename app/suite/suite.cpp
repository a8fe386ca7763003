#include "app/suite/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <utility>

#include "app/command_line/values.hpp"
#include "app/run/probe_names.hpp"
#include "app/suite/reading.hpp"
#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/suggest.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Reads the limits that `json` gives; the others stay as in `effort`.
Effort read_effort(const JsonReader& json, Effort effort = {}) {
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

CaseOptions read_options(const JsonReader& json) {
  json.allow_only({"ci_width", "time_budget", "numa", "counters"});
  CaseOptions options;
  options.effort = read_effort(json);
  if (json.has("numa")) options.numa = read_numa(json.member("numa"));
  if (json.has("counters")) options.counting = read_counting(json.member("counters"));
  return options;
}

/// One value of an axis as its text.
std::string read_axis_text(const JsonReader& json) {
  if (json.is_text()) return json.text();
  if (!json.is_number()) json.fail("values such as \"0..32\" or 4, or an array of them");
  return std::to_string(json.whole());
}

/// Makes relative paths relative to the suite's file, wherever the program is started.
std::string beside_suite(const Axis& axis, const std::string& text, const std::string& folder) {
  if (folder.empty() || !named_file(axis, text)) return text;
  const std::string beside = (std::filesystem::path(folder) / text).string();
  std::error_code ignored;
  const bool may_be_notation = text.find(':') != std::string::npos;  // that was mistyped
  return may_be_notation && !std::filesystem::exists(beside, ignored) ? text : beside;
}

/// Returns a hint for a name that is not an axis' flag: the flag that was meant, or all flags.
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

/// An entry of `probes`: its cases, with the suite's effort where it asks for none of its own.
Plan read_sweeps(const JsonReader& json, const std::vector<Probe>& registry, const std::string& folder, Effort effort) {
  json.allow_only({"probe", "axes", "options"});
  const JsonReader name_of_probe = json.member("probe");
  const Probe& probe = read_probe(name_of_probe, registry);
  std::vector<GivenAxis> given;
  if (json.has("axes")) {
    for (const auto& [name, values] : json.member("axes").members()) {
      given.push_back(read_axis(values, name, probe, folder));
    }
  }
  if (json.has("options")) {
    const JsonReader own = json.member("options");
    for (const char* of_suite : {"numa", "counters"}) {
      if (own.has(of_suite)) own.member(of_suite).refuse("holds for the whole suite; move it to /options");
    }
    own.allow_only({"ci_width", "time_budget"});
    effort = read_effort(own, effort);
  }
  Plan plan = at_place(json, [&] { return make_plan(registry, {probe.name}, given); });
  for (PlannedSweep& sweep : plan.sweeps) sweep.effort = effort;
  return plan;
}

}  // namespace

std::string read_name(const JsonReader& json) {
  if (!json.is_text() || json.text().empty()) json.fail("a text that is not empty");
  return json.text();
}

double read_share(const JsonReader& json, const char* option, const char* example) {
  if (!json.is_text()) json.fail(fmt::format("a share as text, such as \"{}\"", example));
  return at_place(json, [&] { return parse_fraction(option, json.text()); });
}

std::vector<JsonReader> read_entries(const JsonReader& json) {
  constexpr std::size_t most = 1000;  // far more than anybody writes; each is held against every case of the suite
  std::vector<JsonReader> items = json.items();
  if (items.size() > most) json.fail(fmt::format("at most {} entries", most));
  return items;
}

const Probe& read_probe(const JsonReader& json, const std::vector<Probe>& registry) {
  const std::string name = json.text();
  return at_place(json, [&]() -> const Probe& { return require_probe(registry, name); });
}

GivenAxis read_axis(const JsonReader& json, const std::string& name, const Probe& probe, const std::string& folder) {
  const auto axis = std::ranges::find(probe.axes, name, &Axis::flag);
  if (axis == probe.axes.end()) {
    json.refuse(fmt::format("the probe '{}' has no such axis{}", probe.name, hint_for_axis(name, probe)));
  }
  const std::vector<JsonReader> items = json.is_array() ? json.items() : std::vector{json};
  if (items.empty()) json.fail("at least one value; leave the axis out for its defaults");
  std::vector<std::string> texts;
  for (const JsonReader& item : items) {
    texts.push_back(beside_suite(*axis, read_axis_text(item), folder));
    at_place(item, [&] { return parse_axis_values(*axis, std::vector{texts.back()}); });
  }
  at_place(json, [&] { return parse_axis_values(*axis, texts); });  // each may be right where all together are not
  return {.flag = name, .texts = std::move(texts)};
}

Suite parse_suite(std::string_view json, const std::string& source, const std::vector<Probe>& registry,
                  const std::string& folder) {
  const JsonText parsed(json, source);
  const JsonReader root = parsed.root();
  root.allow_only({"schema_version", "name", "purpose", "options", "probes", "expectations"});
  if (const JsonReader version = root.member("schema_version"); version.whole() != 1) {
    version.fail("1, the version of suites that this gpumem reads");
  }
  Suite suite;
  suite.name = read_name(root.member("name"));
  suite.purpose = read_name(root.member("purpose"));
  if (root.has("options")) suite.options = read_options(root.member("options"));
  suite.plan.suite = suite.name;
  if (!root.has("probes") && root.has("expectations")) {
    if (root.has("options")) root.member("options").refuse("is for running probes, and this suite has none");
    read_expectations(root.member("expectations"), source, {report::kernel_probe()}, folder, suite);
    if (suite.expectations.empty()) root.member("expectations").fail("at least one, where there are no 'probes'");
    return suite;
  }
  const JsonReader probes = root.member("probes");
  for (const JsonReader& item : read_entries(probes)) {
    Plan entry = read_sweeps(item, registry, folder, suite.options.effort);
    if (suite.plan.size() + entry.size() > maximum_cases) {
      item.refuse(fmt::format("the probes of the suite add up to more than the {} cases one run takes", maximum_cases));
    }
    std::ranges::move(entry.sweeps, std::back_inserter(suite.plan.sweeps));
  }
  if (suite.plan.sweeps.empty()) probes.fail("at least one probe");
  if (root.has("expectations")) {
    read_expectations(root.member("expectations"), source, registry, folder, suite);
  }
  return suite;
}

void refuse_nothing_to_run(const Suite& suite) {
  if (suite.plan.size() > 0) return;
  throw usage_error(fmt::format(
      "suite '{0}' has no probes to run; it checks the kernels of a program: gpumem run -o app.json -- COMMAND, "
      "gpumem check {0} app.json",
      suite.name));
}

Suite load_suite(const std::string& name_or_path, const std::vector<Probe>& registry) {
  for (const auto& [name, json] : embedded_suites()) {
    if (name == name_or_path) return parse_suite(json, "configs/" + name_or_path + ".json", registry);
  }
  if (looks_like_path(name_or_path)) {
    const std::string text = read_input_file(name_or_path);
    const std::string source = source_name(name_or_path);
    return read_document(text, source, "suite",
                         [&] { return parse_suite(text, source, registry, folder_of(name_or_path)); });
  }
  const std::vector<std::string> names = suite_names();
  const std::string hint = did_you_mean(name_or_path, names);
  throw usage_error(fmt::format(
      "no suite '{}'{}", name_or_path,
      hint.empty() ? fmt::format(": there are {}, or give the path of a suite file", report::join(names, ", "))
                   : hint));
}

std::string folder_of(const std::string& suite_file) {
  const std::string folder = std::filesystem::path(suite_file).parent_path().string();
  return folder == "." ? "" : folder;
}

RunOptions with_suite(const RunOptions& given, const CaseOptions& suite) {
  RunOptions options = given;
  if (!options.numa) options.numa = suite.numa;
  // Nobody who asks for predictions has to be told that a suite would count.
  const bool vain = options.backend == BackendChoice::model && suite.counting == measure::Counting::if_possible;
  if (!options.counting && !vain) options.counting = suite.counting;
  return options;
}

std::vector<std::string> suite_names() {
  std::vector<std::string> names;
  for (const EmbeddedSuite& suite : embedded_suites()) names.emplace_back(suite.name);
  return names;
}

}  // namespace gpumem::app
