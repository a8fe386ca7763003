#include <fmt/format.h>

#include <CLI/CLI.hpp>

#include "app/command_line/interface.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr std::size_t width = 80;
constexpr std::size_t column = 26;

std::string option_line(const CLI::Option& option) {
  std::string left = "  " + option.get_name(false, true);
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
    for (const CLI::Option* option : options) text += option_line(*option);
  }
  return text;
}

/// Of "NVIDIA 13.0.88" the release, 13.0, as the toolkit is called everywhere else.
std::string toolkit_release(const std::string& cuda_compiler) {
  const std::string version = cuda_compiler.substr(cuda_compiler.find(' ') + 1);
  const std::size_t minor = version.find('.');
  return version.substr(0, minor == std::string::npos ? minor : version.find('.', minor + 1));
}

}  // namespace

std::string help_text(const CLI::App& command, const std::string& name) {
  const auto positionals = command.get_options([](const CLI::Option* option) { return option->get_positional(); });
  const auto commands = command.get_subcommands([](const CLI::App*) { return true; });
  std::string text = report::wrap(command.get_description(), width, 0) + "\n\nUsage: " + name;
  if (!commands.empty()) text += " COMMAND";
  std::vector<std::string> arguments;
  for (const CLI::Option* option : positionals) arguments.push_back(option->get_option_text());
  text += arguments_in_usage(arguments, "OPTIONS") + "\n";
  if (!commands.empty()) text += "\nCommands:\n";
  for (const CLI::App* subcommand : commands) {
    text += report::two_columns("  " + subcommand->get_name(), subcommand->get_description(), width, column);
  }
  if (!positionals.empty()) text += "\nArguments:\n";
  for (const CLI::Option* option : positionals) {
    text += report::two_columns("  " + option->get_option_text(), option->get_description(), width, column);
  }
  text += option_groups(command);
  if (!command.get_footer().empty()) text += "\n" + command.get_footer() + "\n";
  return text;
}

std::string version_line(const report::Tool& tool) {
  const std::string type = tool.build_type.empty() ? "" : ", " + tool.build_type;
  return fmt::format("gpumem {} (commit {}, CUDA {}, built by {}{})", tool.version, tool.git_commit,
                     toolkit_release(tool.cuda_compiler), tool.compiler, type);
}

}  // namespace gpumem::app
