#include "app/commands/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/unpack.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

using CommandLine = std::span<const std::string>;

std::string quoted(CommandLine words) {
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(report::shell_quoted(word));
  return join(all, " ");
}

/// The line that watches somebody's program; `options` are those of `run`.
std::string watched(CommandLine options, CommandLine program) {
  return "gpumem run " + quoted(options) + (options.empty() ? "" : " ") + "-- " + quoted(program);
}

std::vector<std::string> option_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.axes) names.push_back(option.names.front());
  for (const OptionEntry& option : command.options) names.push_back(option.names.front());
  return names;
}

/// What a word in the place of a command was meant to be.
std::string meant_command(const std::string& word, const Interface& interface, CommandLine line) {
  const auto program = [&] {
    return watched({}, line.subspan(static_cast<std::size_t>(std::ranges::find(line, word) - line.begin())));
  };
  if (std::ranges::find(interface.probes, word, &Probe::name) != interface.probes.end()) {
    return "to run the probe of that name: gpumem probe " + word;
  }
  if (is_json_name(word)) return "to see a report: gpumem show " + report::shell_quoted(word);
  if (word.find('/') != std::string::npos) return "to watch a program: " + program();
  std::vector<std::string> names;
  for (const CommandEntry& command : interface.commands) names.push_back(command.name);
  if (const auto name = nearest(word, names)) return fmt::format("did you mean '{}'?", *name);
  std::vector<std::string> probes;
  for (const Probe* probe : meant_probes(interface.probes, word)) probes.push_back("gpumem probe " + probe->name);
  if (!probes.empty()) return "did you mean: " + join(probes, ", or: ");
  return fmt::format("there are: {}; to watch a program: {}", join(names, ", "), program());
}

}  // namespace

void refuse_option(const std::string& argument, const CommandEntry& command, const Interface& interface) {
  const std::string option = argument.substr(0, argument.find('='));
  const auto probe =
      std::ranges::find_if(interface.commands, [](const CommandEntry& each) { return !each.axes.empty(); });
  std::string hint = did_you_mean(option, option_names(command));
  const OptionEntry* format = find_option(command.options, "--format");
  if (format != nullptr && (option == "--json" || option == "--csv")) {
    hint = fmt::format("; --format takes {}", join(format->choices.words, ", "));
  } else if (hint.empty() && probe != interface.commands.end() && find_option(*probe, option) != nullptr) {
    hint = "; it is an option of: gpumem " + probe->name;
  } else if (hint.empty() && command.name == "run") {
    hint = "; the command and its own options stand behind --";
  } else if (hint.empty()) {
    hint = fmt::format("; see: gpumem {}--help", command.name.empty() ? "" : command.name + " ");
  }
  throw usage_error(fmt::format("unknown option '{}'{}", option, hint));
}

void refuse_argument(const std::string& argument, const CommandEntry& command, const Interface& interface,
                     CommandLine line) {
  if (command.name.empty()) {
    throw usage_error(fmt::format("unknown command '{}'; {}", argument, meant_command(argument, interface, line)));
  }
  throw usage_error(fmt::format("unexpected argument '{}'; see: gpumem {} --help", argument, command.name));
}

void refuse_unmarked_program(CommandLine line, const Interface& interface) {
  if (line.empty()) return;
  const auto command = std::ranges::find(interface.commands, line.front(), &CommandEntry::name);
  if (command == interface.commands.end() || argument_behind_mark(*command) == nullptr) return;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == "--" || line[i] == "--help" || line[i] == "-h") return;
    if (!line[i].starts_with('-')) {
      throw usage_error("the program stands behind --: " + watched(line.subspan(1, i - 1), line.subspan(i)));
    }
    const OptionEntry* option = find_option(command->options, line[i].substr(0, line[i].find('=')));
    if (option == nullptr) return;  // which is refused by itself
    const bool next_is_value = takes_next_word(*option) && line[i].find('=') == std::string::npos;
    if (next_is_value && i + 1 < line.size() && line[i + 1] != "--") ++i;
  }
}

}  // namespace gpumem::app
