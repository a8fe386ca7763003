#include <fmt/format.h>

#include "app/command_line/axes.hpp"
#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/words.hpp"
#include "app/run/probe_names.hpp"
#include "app/suite/suite.hpp"
#include "engine/base/json_reader.hpp"
#include "engine/base/words.hpp"
#include "engine/model/profile.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::app {

namespace {

using report::json_values::Json;

constexpr std::size_t purpose_column = 24;
constexpr const char* more_to_list =
    "'gpumem list PROBE' shows the axes of one, 'gpumem list suites' and 'gpumem list gpus' what else has a name.";

Json to_json(const Axis& axis) {
  return {{"flag", "--" + axis.flag},
          {"parameter", axis.parameter},
          {"unit", axis.unit.empty() ? Json(nullptr) : Json(axis.unit)},
          {"purpose", axis.purpose},
          {"default", axis.defaults},
          {"quick", axis.quick.empty() ? axis.defaults : axis.quick},
          {"names", axis.names},
          {"numbers", axis.numbers},
          {"minimum", axis.takes_range() ? Json(axis.minimum) : Json(nullptr)},
          {"maximum", axis.takes_range() ? Json(axis.maximum) : Json(nullptr)},
          {"takes", axis.takes.empty() ? Json(nullptr) : Json(axis.takes)},
          {"value_optional", axis.value_optional},
          {"takes_auto", axis.takes_auto},
          {"takes_all", static_cast<bool>(axis.all)},
          {"auto_candidates", axis.candidates}};
}

Json to_json(const Quantity& quantity) {
  return {{"name", quantity.name},
          {"purpose", quantity.purpose},
          {"unit", report::unit_of(quantity.name)},
          {"better", to_string(quantity.better)}};
}

/// The quantities that a probe reports beside its headline: for every case, and for several cases together.
std::vector<Quantity> further_quantities(const Probe& probe) {
  std::vector<Quantity> all;
  for (const Metric& metric : probe.metrics) all.push_back(metric.quantity);
  all.insert(all.end(), probe.concluded.begin(), probe.concluded.end());
  return all;
}

Json to_json(const Probe& probe) {
  Json axes = Json::array();
  for (const Axis& axis : probe.axes) axes.push_back(to_json(axis));
  Json metrics = Json::array();
  for (const Quantity& quantity : further_quantities(probe)) metrics.push_back(to_json(quantity));
  return {{"name", probe.name},
          {"purpose", probe.purpose},
          {"family", to_string(probe.family)},
          {"axes", std::move(axes)},
          {"swept", probe.axes.front().parameter},
          {"compared", probe.compared.empty() ? Json(nullptr) : Json(probe.compared)},
          {"across", probe.across.empty() ? Json(nullptr) : Json(probe.across)},
          {"baseline", report::json_values::parameter(probe.baseline)},
          {"baseline_of", probe.baseline_parameter()},
          {"headline", to_json(probe.headline.quantity)},
          {"metrics", std::move(metrics)}};
}

std::string to_text(const Probe& probe, std::size_t width) {
  std::string text = probe.name + ": " + report::wrap(probe.purpose, width, probe.name.size() + 2) + "\n";
  for (const Axis& axis : probe.axes) {
    text += report::two_columns("  --" + axis.flag, axis.purpose, width, purpose_column);
    std::string facts =
        fmt::format("default{} {}; takes {}; reported as {}", axis.value_optional ? ", also without a value," : "",
                    axis.defaults, allowed_values(axis), axis.parameter);
    if (axis.parameter == probe.compared) facts += "; compared in one table";
    if (axis.parameter == probe.across) facts += "; side by side in one table";
    if (axis.parameter == probe.baseline_parameter()) facts += "; baseline " + to_string(probe.baseline);
    text += report::two_columns("", facts, width, purpose_column);
  }
  const auto add = [&](const char* what, const Quantity& quantity) {
    text += report::two_columns(what + quantity.name, quantity.purpose, width, purpose_column);
  };
  add("  about ", probe.headline.quantity);
  for (const Quantity& quantity : further_quantities(probe)) add("  reports ", quantity);
  return text;
}

std::string to_json(const std::vector<Probe>& probes) {
  Json all = Json::array();
  for (const Probe& probe : probes) all.push_back(to_json(probe));
  return all.dump(2) + "\n";
}

/// A thing that a command takes by its name.
struct NamedThing {
  std::string name;
  std::string purpose;
  Json facts = Json::object();  ///< beside these
};

std::vector<NamedThing> shipped_suites() {
  std::vector<NamedThing> suites;
  for (const EmbeddedSuite& suite : embedded_suites()) {
    const JsonText text(suite.json, std::string(suite.name));
    suites.push_back({.name = std::string(suite.name), .purpose = text.root().member("purpose").text()});
  }
  return suites;
}

std::vector<NamedThing> shipped_gpus() {
  std::vector<NamedThing> gpus;
  for (const std::string& name : model::profile_names()) {
    const model::Profile profile = model::load_profile(name);
    const Device& device = profile.device;
    const double bytes_per_s = device.theoretical_bandwidth_bytes_per_s();
    const std::string of_node = profile.gpus.empty() ? "" : fmt::format("{} x ", profile.gpus.size());
    gpus.push_back({.name = name,
                    .purpose = fmt::format("{}{}, {} of memory, {:.0f} GB/s in theory", of_node, device.name,
                                           size_text(device.memory_bytes), bytes_per_s * per_giga),
                    .facts = {{"device", device.name},
                              {"gpus", std::max<std::size_t>(profile.gpus.size(), 1)},
                              {"memory_bytes", device.memory_bytes},
                              {"theoretical_bandwidth_gb_per_s", bytes_per_s * per_giga}}});
  }
  return gpus;
}

std::string listed(const std::vector<NamedThing>& things, bool json, std::size_t width, const char* more) {
  Json all = Json::array();
  std::size_t longest = 0;
  for (const NamedThing& thing : things) {
    longest = std::max(longest, thing.name.size());
    Json& entry = all.emplace_back(Json{{"name", thing.name}, {"purpose", thing.purpose}});
    entry.update(thing.facts);
  }
  if (json) return all.dump(2) + "\n";
  std::string text;
  for (const NamedThing& thing : things) text += report::two_columns(thing.name, thing.purpose, width, longest + 2);
  return text + "\n" + report::wrap(more, width, 0) + "\n";
}

/// Prints all probes, or all that is known about one, or the suites or profiles that come with gpumem. Throws a usage
/// error for an unknown probe.
int run_list_command(const ListArguments& arguments, const Environment& environment) {
  const std::vector<Probe>& registry = environment.registry;
  const std::size_t width = environment.out_terminal.text_width;
  if (arguments.name == "suites") {
    write_result(environment.out, listed(shipped_suites(), arguments.json, width,
                                         "'gpumem check SUITE' holds a GPU to one, 'gpumem probe --config SUITE' runs "
                                         "its probes."));
  } else if (arguments.name == "gpus") {
    write_result(environment.out, listed(shipped_gpus(), arguments.json, width,
                                         "'gpumem expect GPU' shows what one should reach, and who measured that."));
  } else if (arguments.name) {
    const Probe& probe = require_probe(registry, *arguments.name);
    write_result(environment.out, arguments.json ? to_json(std::vector{probe}) : to_text(probe, width));
  } else if (arguments.json) {
    write_result(environment.out, to_json(registry));
  } else {
    write_result(environment.out, probe_lines(registry, 0, width) + "\n" + report::wrap(more_to_list, width, 0) + "\n");
  }
  return 0;
}

}  // namespace

MakeRequest list_options(CommandOptions& options, const KnownNames& known) {
  const auto arguments = std::make_shared<ListArguments>();
  options.add_argument("[PROBE|suites|gpus]", arguments->name,
                       "The probe to show, with its axes, units, defaults and quantities, e.g. offset; or the suites "
                       "that come with gpumem, or the GPUs that it has a profile of");
  options.add_switch("json", arguments->json, "Print JSON, e.g. to build a menu of probes");
  options.footer(
      "Examples:\n"
      "  gpumem list             what there is to measure\n"
      "  gpumem list transfer    what one probe varies and reports\n"
      "  gpumem list suites      what 'gpumem check' takes\n"
      "  gpumem list gpus        what --gpu takes");
  return [arguments, &known] {
    const bool is_probe = arguments->name && arguments->name != "suites" && arguments->name != "gpus";
    if (is_probe) refuse_no_probe(*arguments->name, known);
    return Request(*arguments, run_list_command);
  };
}

}  // namespace gpumem::app
