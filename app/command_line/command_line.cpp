#include "app/command_line/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>

#include "app/command_line/build_information.hpp"
#include "app/command_line/command_options.hpp"
#include "app/command_line/help.hpp"
#include "app/command_line/version.hpp"
#include "probes/error.hpp"
#include "probes/suggest.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

std::string version_text() { return version_line(build_information()) + "\n"; }

/// The commands, in the order of the help.
std::vector<Command> add_commands(CLI::App& program, const Known& known) {
  std::vector<Command> commands;
  commands.push_back(add_probe_command(program, known.probes));
  commands.push_back(add_check_command(program));
  commands.push_back(add_explain_command(program));
  commands.push_back(add_compare_command(program));
  commands.push_back(add_show_command(program));
  commands.push_back(add_calibrate_command(program));
  commands.push_back(add_list_command(program));
  commands.push_back(add_devices_command(program));
  commands.push_back(add_completion_command(program, known));
  commands.push_back(add_manual_command(program, known));
  return commands;
}

std::vector<std::string> command_names(const CLI::App& program) {
  std::vector<std::string> names;
  for (const CLI::App* one : program.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  return names;
}

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

[[noreturn]] void refuse_option(const std::string& argument, const CLI::App& command, const CLI::App& program) {
  const std::string option = argument.substr(0, argument.find('='));
  const std::vector<std::string> names = option_names(command);
  const std::vector<std::string> probe_names = option_names(*program.get_subcommand("probe"));
  std::string hint = did_you_mean(option, names);
  if (hint.empty() && std::ranges::find(probe_names, option) != probe_names.end()) {
    hint = "; it is an option of: gpumem probe";
  }
  const bool nested = command.get_parent() != nullptr;
  const std::string place = nested ? "gpumem " + command.get_name() : "gpumem";
  throw usage_error(fmt::format("unknown option '{}'{}", option, hint.empty() ? "; see: " + place + " --help" : hint));
}

[[noreturn]] void refuse_argument(const std::string& argument, const CLI::App& command,
                                  const std::vector<Probe>& registry) {
  if (command.get_parent() != nullptr) {
    throw usage_error(fmt::format("unexpected argument '{}'; see: gpumem {} --help", argument, command.get_name()));
  }
  const std::vector<std::string> names = command_names(command);
  std::string hint = did_you_mean(argument, names);
  if (hint.empty()) hint = "; there are: " + join(names, ", ");
  if (std::ranges::find(registry, argument, &Probe::name) != registry.end()) {
    hint = "; to run the probe of that name: gpumem probe " + argument;
  }
  throw usage_error(fmt::format("unknown command '{}'{}", argument, hint));
}

/// CLI11's own words, where ours did not come first.
Error usage_error_of(const CLI::ParseError& error) {
  std::string text = error.what();
  std::ranges::replace(text, '\n', ' ');
  if (const std::size_t colon = text.find(": needs a value"); colon != std::string::npos) text.erase(colon, 1);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = text.substr(0, text.find_first_of(": "));
    const std::string option = name.starts_with("-") ? name : "--" + name;
    return usage_error(option + (text.find("disallowed") == std::string::npos ? " needs a value" : " takes no value"));
  }
  return usage_error(text);
}

/// `--option=` would make CLI11 take the next argument for the value.
void refuse_empty_values(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw usage_error(argument.substr(0, argument.size() - 1) + " needs a value after the '='");
    }
  }
}

void refuse_what_is_left(const CLI::App& command, const CLI::App& program, const std::vector<Probe>& registry) {
  const std::vector<std::string> unknown = command.remaining();
  if (unknown.empty()) return;
  if (unknown.front().starts_with('-')) refuse_option(unknown.front(), command, program);
  refuse_argument(unknown.front(), command, registry);
}

}  // namespace

Request parse_command_line(const std::vector<std::string>& arguments, const Known& known) {
  CLI::App program(
      "Shows how a GPU's memory behaves: what alignment, strides and bank conflicts cost, measured or "
      "predicted",
      "gpumem");
  program.formatter(std::make_shared<HelpFormatter>());  // commands inherit what is set before they are added
  program.set_help_flag("--help,-h", "Explain the command and its options");
  program.set_version_flag("--version", version_text(), "Version, commit and toolkit, e.g. for a bug report");
  program.require_subcommand(0, 1);
  program.allow_extras();
  program.footer("Start with: gpumem probe --offset 0..32");
  const std::vector<Command> commands = add_commands(program, known);

  refuse_empty_values(arguments);
  try {
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return TextRequest{program.help()};
  } catch (const CLI::CallForVersion&) {
    return TextRequest{version_text()};
  } catch (const CLI::ParseError& error) {
    throw usage_error_of(error);
  }
  refuse_what_is_left(program, program, known.probes);
  for (const Command& command : commands) refuse_what_is_left(command->command(), program, known.probes);
  for (const Command& command : commands) {
    if (command->command().parsed()) return command->take();
  }
  throw usage_error(
      fmt::format("no command given; there are: {}; see: gpumem --help", join(command_names(program), ", ")));
}

}  // namespace gpumem::app
