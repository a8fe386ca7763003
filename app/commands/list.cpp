#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/run/plan.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::app {

namespace {

using report::json_values::Json;

constexpr std::size_t purpose_column = 24;

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

/// What a probe reports beside its headline: of every case, and of several cases together.
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
          {"axes", std::move(axes)},
          {"swept", probe.axes.front().parameter},
          {"compared", probe.compared.empty() ? Json(nullptr) : Json(probe.compared)},
          {"across", probe.across.empty() ? Json(nullptr) : Json(probe.across)},
          {"baseline", report::json_values::parameter(probe.baseline)},
          {"baseline_of", probe.baseline_parameter()},
          {"headline", to_json(probe.headline.quantity)},
          {"metrics", std::move(metrics)}};
}

std::string allowed_values(const Axis& axis) {
  std::string values = axis.takes;
  if (!axis.names.empty()) {
    values = report::join(axis.names, ", ");
  } else if (!axis.numbers.empty()) {
    values = fmt::format("{}", fmt::join(axis.numbers, ", "));
  } else if (axis.takes_range()) {
    values = fmt::format("{}..{}", axis.minimum, axis.maximum);
  }
  if (!axis.unit.empty()) values += " " + axis.unit;
  if (axis.takes_auto) values += ", or auto";
  return axis.all ? values + ", or all" : values;
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

/// All probes, or one. Throws a usage error for an unknown one.
int run_list_command(const ListArguments& arguments, const Environment& environment) {
  const std::vector<Probe>& registry = environment.registry;
  const std::vector<Probe> listed = arguments.name ? std::vector{require_probe(registry, *arguments.name)} : registry;
  if (arguments.json) {
    Json all = Json::array();
    for (const Probe& probe : listed) all.push_back(to_json(probe));
    write_result(environment.out, all.dump(2) + "\n");
    return 0;
  }
  const std::size_t width = std::clamp(environment.out_terminal.width, 60U, 100U);
  std::vector<std::string> texts;
  for (const Probe& probe : listed) texts.push_back(to_text(probe, width));
  write_result(environment.out, report::join(texts, "\n"));
  return 0;
}

}  // namespace

MakeRequest list_options(CommandOptions& options, const Known&) {
  const auto arguments = std::make_shared<ListArguments>();
  options.add_argument("[PROBE]", arguments->name, "Only this probe, e.g. offset");
  options.add_switch("json", arguments->json, "For programs, e.g. to build a menu of probes");
  options.footer(
      "Examples:\n"
      "  gpumem list             everything that can be varied\n"
      "  gpumem list transfer    what one probe varies and reports");
  return [arguments] { return Request(*arguments, run_list_command); };
}

}  // namespace gpumem::app
