#include "app/suite/suite.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/suite/reading.hpp"
#include "probes/error.hpp"
#include "probes/json_reader.hpp"
#include "probes/read_input.hpp"
#include "probes/suggest.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Far more than anybody writes by hand; each is held against every case when a suite is read.
constexpr std::size_t most_entries = 1000;

/// The items of an array.
std::vector<JsonReader> entries(const JsonReader& json) {
  std::vector<JsonReader> items = json.items();
  if (items.size() > most_entries) json.fail(fmt::format("at most {} entries", most_entries));
  return items;
}

Plan plan_entry(const std::vector<Probe>& registry, const Suite& suite, const SuiteProbe& entry) {
  Plan plan = make_plan(registry, {entry.probe}, entry.axes);
  for (PlannedSweep& sweep : plan.sweeps) {
    sweep.effort.ci_width = entry.effort.ci_width ? entry.effort.ci_width : suite.options.effort.ci_width;
    sweep.effort.time_budget = entry.effort.time_budget ? entry.effort.time_budget : suite.options.effort.time_budget;
  }
  return plan;
}

/// Adds the sweeps of one entry. Throws when there are too many cases.
void add(Plan& plan, Plan&& entry) {
  if (plan.size() + entry.size() > maximum_cases) {
    throw usage_error(
        fmt::format("the probes of the suite add up to more than the {} cases one run takes", maximum_cases));
  }
  std::ranges::move(entry.sweeps, std::back_inserter(plan.sweeps));
}

/// The cases of a plan as what selections are of; nothing else of the records is filled in.
std::vector<report::Record> records_of(const Plan& plan) {
  std::vector<report::Record> records;
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Case& one : sweep.cases) {
      report::Record& record = records.emplace_back();
      record.probe = one.probe->name;
      record.parameters = one.parameters;
    }
  }
  return records;
}

void read_expectations(const JsonReader& json, const std::string& source, const std::vector<Probe>& registry,
                       const Plan& plan, Suite& suite) {
  const std::vector<report::Record> planned = records_of(plan);
  for (const JsonReader& item : entries(json)) {
    const std::string place = fmt::format("{}: /expectations/{}", source, suite.expectations.size());
    report::Expectation expectation = read_expectation(item, place, registry);
    require_cases(item, expectation, planned);
    if (std::ranges::find(suite.expectations, expectation.name, &report::Expectation::name) !=
        suite.expectations.end()) {
      item.member("name").refuse("another expectation has this name");
    }
    suite.expectations.push_back(std::move(expectation));
  }
}

bool looks_like_path(const std::string& text) { return text.ends_with(".json") || text.find('/') != std::string::npos; }

}  // namespace

Suite parse_suite(std::string_view json, const std::string& source, const std::vector<Probe>& registry) {
  static const std::vector<std::string> members = {"schema_version", "name",   "purpose",
                                                   "options",        "probes", "expectations"};
  const JsonText parsed(json, source);
  const JsonReader root = parsed.root();
  root.allow_only(members);
  if (const JsonReader version = root.member("schema_version"); version.whole() != 1) {
    version.fail("1, the version of suites that this gpumem reads");
  }
  Suite suite;
  suite.name = read_name(root.member("name"));
  suite.purpose = read_name(root.member("purpose"));
  if (root.has("options")) suite.options = read_suite_options(root.member("options"));
  const JsonReader probes = root.member("probes");
  Plan plan;
  for (const JsonReader& item : entries(probes)) {
    const SuiteProbe& entry = suite.probes.emplace_back(read_suite_probe(item, registry));
    at_place(item, [&] { add(plan, plan_entry(registry, suite, entry)); });
  }
  if (suite.probes.empty()) probes.fail("at least one probe");
  if (root.has("expectations")) read_expectations(root.member("expectations"), source, registry, plan, suite);
  return suite;
}

Suite load_suite(const std::string& name_or_path, const std::vector<Probe>& registry) {
  for (const auto& [name, json] : embedded_suites()) {
    if (name == name_or_path) return parse_suite(json, "configs/" + name_or_path + ".json", registry);
  }
  if (looks_like_path(name_or_path)) return parse_suite(read_input_file(name_or_path), name_or_path, registry);
  const std::vector<std::string> names = suite_names();
  const std::string hint = did_you_mean(name_or_path, names);
  throw usage_error(fmt::format(
      "no suite '{}'{}", name_or_path,
      hint.empty() ? fmt::format(": there are {}, or give the path of a suite file", report::join(names, ", "))
                   : hint));
}

Plan make_plan(const std::vector<Probe>& registry, const Suite& suite) {
  Plan plan;
  for (const SuiteProbe& entry : suite.probes) add(plan, plan_entry(registry, suite, entry));
  return plan;
}

RunOptions with_suite(const RunOptions& given, const SuiteOptions& suite) {
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
