#include "app/command_line/help.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

constexpr std::size_t width = 80;
constexpr std::size_t column = 26;

std::string option_line(const CLI::Option& option, bool positional) {
  std::string left = "  " + option.get_name(positional, !positional);
  const std::string& value = option.get_option_text();
  if (!value.empty()) left += (value.starts_with("[=") ? "" : " ") + value;
  return report::two_columns(left, option.get_description(), width, column);
}

std::string option_groups(const CLI::App& command) {
  std::string text;
  for (const std::string& group : command.get_groups()) {
    const auto options = command.get_options(
        [&](const CLI::Option* option) { return option->get_group() == group && option->nonpositional(); });
    if (options.empty()) continue;
    text += "\n" + group + ":\n";
    for (const CLI::Option* option : options) text += option_line(*option, false);
  }
  return text;
}

/// Values to show in an example of an axis.
std::string example_values(const Axis& axis) {
  if (!axis.names.empty()) return join(axis.names, ",");
  if (!axis.numbers.empty()) return fmt::format("{}", fmt::join(axis.numbers, ","));
  if (axis.defaults != "auto") return axis.defaults;
  if (!axis.candidates.empty()) return fmt::format("{}", fmt::join(axis.candidates, ","));
  return axis.unit == "bytes" ? "1MiB..1GiB*4" : "1..1024*2";
}

}  // namespace

std::string HelpFormatter::make_help(const CLI::App* command, std::string name, CLI::AppFormatMode) const {
  const auto positionals = command->get_options([](const CLI::Option* option) { return option->get_positional(); });
  const auto commands = command->get_subcommands([](const CLI::App*) { return true; });
  std::string text = report::wrap(command->get_description(), width, 0) + "\n\nUsage: " + name;
  if (!commands.empty()) text += " COMMAND";
  for (const CLI::Option* option : positionals) text += " " + option->get_option_text();
  text += " [OPTIONS]\n";
  if (!commands.empty()) text += "\nCommands:\n";
  for (const CLI::App* one : commands) {
    text += report::two_columns("  " + one->get_name(), one->get_description(), width, column);
  }
  if (!positionals.empty()) text += "\nArguments:\n";
  for (const CLI::Option* option : positionals) {
    text += report::two_columns("  " + option->get_option_text(), option->get_description(), width, column);
  }
  text += option_groups(*command);
  if (!command->get_footer().empty()) text += "\n" + command->get_footer() + "\n";
  return text;
}

bool value_is_optional(const std::string& flag, const std::vector<Probe>& registry) {
  const auto is_optional = [&](const Axis& axis) { return axis.flag == flag && axis.value_optional; };
  return std::ranges::any_of(registry,
                             [&](const Probe& probe) { return std::ranges::any_of(probe.axes, is_optional); });
}

std::string axis_help(const std::string& flag, const std::vector<Probe>& registry) {
  const Axis* explained = nullptr;
  std::vector<std::string> names;
  std::vector<std::string> defaults;
  for (const Probe& probe : registry) {
    const auto axis = std::ranges::find(probe.axes, flag, &Axis::flag);
    if (axis == probe.axes.end()) continue;
    const bool selects = axis == probe.axes.begin() || axis->parameter == probe.compared;
    if (explained == nullptr || selects) explained = &*axis;
    names.push_back(probe.name);
    if (std::ranges::find(defaults, axis->defaults) == defaults.end()) defaults.push_back(axis->defaults);
  }
  return fmt::format("{} (probes: {}; default{}: {}), e.g. --{} {}", capitalised(explained->purpose), join(names, ", "),
                     value_is_optional(flag, registry) ? ", also without VALUES" : "", join(defaults, " or "), flag,
                     example_values(*explained));
}

}  // namespace gpumem::app
