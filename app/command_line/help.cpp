#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <sstream>

#include "app/command_line/interface.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr std::size_t column = 26;

std::string option_line(const OptionEntry& option, std::size_t width) {
  std::vector<std::string> names(option.names.rbegin(), option.names.rend());  // short ones first
  std::string left = "  " + report::join(names, ",");
  if (!option.value.empty()) {
    left += (option.takes == OptionEntry::Takes::attached_value ? "" : " ") + option.value;
  }
  return report::two_columns(left, option.help, width, column);
}

std::string option_groups(const std::vector<OptionEntry>& options, std::size_t width) {
  std::string text;
  std::string group;
  for (const OptionEntry& option : options) {
    if (option.group != group) text += "\n" + option.group + ":\n";
    group = option.group;
    text += option_line(option, width);
  }
  return text;
}

std::string command_lines(const std::vector<CommandEntry>& commands, std::size_t width) {
  constexpr std::size_t purpose_column = 14;
  std::string text;
  for (const CommandEntry& each : commands) {
    text += report::two_columns("  " + each.name, each.purpose, width, purpose_column);
  }
  return text;
}

/// Wraps paragraphs, which are a line each, and keeps indented lines.
std::string footer(const std::string& text, std::size_t width) {
  std::string result;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    result += (line.starts_with(' ') ? line : report::wrap(line, width, 0)) + "\n";
  }
  return result;
}

/// Returns the release of the toolkit, "13.0", from the compiler's name, "NVIDIA 13.0.88".
std::string toolkit_release(const std::string& cuda_compiler) {
  const std::string version = cuda_compiler.substr(cuda_compiler.find(' ') + 1);
  const std::size_t minor = version.find('.');
  return version.substr(0, minor == std::string::npos ? minor : version.find('.', minor + 1));
}

}  // namespace

std::vector<const Probe*> by_family(std::span<const Probe> probes) {
  std::vector<const Probe*> all;
  for (const Probe& probe : probes) all.push_back(&probe);
  std::ranges::stable_sort(all, {}, &Probe::family);
  return all;
}

std::string probe_lines(std::span<const Probe> probes, std::size_t indent, std::size_t width) {
  std::size_t longest = 0;
  for (const Probe& probe : probes) longest = std::max(longest, probe.name.size());
  const std::string margin(indent, ' ');
  std::string text;
  std::optional<Family> family;
  for (const Probe* probe : by_family(probes)) {
    if (probe->family != family) text += fmt::format("{}{}\n", margin, to_string(probe->family));
    family = probe->family;
    text += report::two_columns(margin + "  " + probe->name, probe->purpose, width, indent + 2 + longest + 2);
  }
  return text;
}

std::string help_text(const Interface& interface, const CommandEntry& command, std::size_t width) {
  const bool whole = command.name.empty();
  std::string text =
      report::wrap(command.purpose, width, 0) + "\n\nUsage: gpumem " + (whole ? "COMMAND" : command.name);
  std::vector<std::string> arguments;
  for (const OptionEntry& argument : command.arguments) arguments.push_back(argument.value);
  text += arguments_in_usage(arguments, "OPTIONS") + "\n";
  if (whole) text += "\nCommands:\n" + command_lines(interface.commands, width);
  if (!command.arguments.empty()) text += "\nArguments:\n";
  for (const OptionEntry& argument : command.arguments) {
    text += report::two_columns("  " + argument.value, argument.help, width, column);
  }
  if (!command.axes.empty()) {
    const char* heading = "Probes, each with axes of its own, e.g. gpumem probe offset --help:";
    text += "\n" + report::wrap(heading, width, 0) + "\n" + probe_lines(interface.probes, 2, width);
  }
  text += option_groups(command.options, width);
  return command.footer.empty() ? text : text + "\n" + footer(command.footer, width);
}

std::string version_line(const report::Tool& tool, const std::string& architectures) {
  const std::string type = tool.build_type.empty() ? "" : ", " + tool.build_type;
  return fmt::format("gpumem {} (commit {}, CUDA {} for {}, built by {}{})", tool.version, tool.git_commit,
                     toolkit_release(tool.cuda_compiler), architectures, tool.compiler, type);
}

}  // namespace gpumem::app
