#pragma once
// A command of the command line: what it declares to CLI11, and what it makes of what the user gave.

#include <CLI/CLI.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/command_line.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

class CommandOptions {
 public:
  CommandOptions(CLI::App& program, const std::string& name, const std::string& purpose)
      : command_(*program.add_subcommand(name, purpose)) {}
  virtual ~CommandOptions() = default;
  CommandOptions(const CommandOptions&) = delete;
  CommandOptions& operator=(const CommandOptions&) = delete;

  [[nodiscard]] CLI::App& command() const { return command_; }

  /// What was asked for, once the program has parsed its arguments; to be called once. Throws a usage error.
  [[nodiscard]] virtual Request take() = 0;

 private:
  CLI::App& command_;
};

using Command = std::unique_ptr<CommandOptions>;

// One file each. Each adds its command to the program.
[[nodiscard]] Command add_probe_command(CLI::App& program, const std::vector<Probe>& registry);
[[nodiscard]] Command add_check_command(CLI::App& program);
[[nodiscard]] Command add_explain_command(CLI::App& program);
[[nodiscard]] Command add_compare_command(CLI::App& program);
[[nodiscard]] Command add_show_command(CLI::App& program);
[[nodiscard]] Command add_calibrate_command(CLI::App& program);
[[nodiscard]] Command add_list_command(CLI::App& program);
[[nodiscard]] Command add_devices_command(CLI::App& program);
[[nodiscard]] Command add_completion_command(CLI::App& program, const Known& known);
[[nodiscard]] Command add_manual_command(CLI::App& program, const Known& known);

// What they share.

/// Position of a name in the list of those an option takes. Throws a usage error with the nearest.
[[nodiscard]] std::size_t index_of(const std::string& option, const std::string& text,
                                   const std::vector<std::string>& names);

[[nodiscard]] std::vector<std::string> names_of(std::span<const report::NamedFormat> formats);

/// The one of these formats that has a name, or nothing for no name. Throws a usage error with the nearest.
[[nodiscard]] std::optional<report::Format> format_named(const std::string& name,
                                                         std::span<const report::NamedFormat> formats);

CLI::Option* add_switch(CLI::App& command, const std::string& flag, bool& target, const std::string& help);

/// Of the value of an option with one: what is missing, or nothing.
[[nodiscard]] std::string refuse_option_as_value(const std::string& text);

/// An option with a value: of several uses the last counts, and another option is never taken for the value. A flag
/// without dashes is a long one.
template <class Target>
CLI::Option* add_value(CLI::App& command, const std::string& flag, Target& target, const std::string& value_name,
                       const std::string& help) {
  CLI::Option* option = command.add_option((flag.starts_with("-") ? "" : "--") + flag, target, help);
  if (option->get_items_expected_max() == 1) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return option->option_text(value_name)->allow_extra_args(false)->check(refuse_option_as_value);
}

}  // namespace gpumem::app
