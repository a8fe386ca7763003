#pragma once
// Advice for options that a command does not have: a table of what another command does with the option, and of the
// options that other programs use for the same.

#include <optional>
#include <string>

#include "app/command_line/interface.hpp"

namespace gpumem::app {

/// Says what does what the option was meant for, with the value that was typed ("" if there was none). Nothing where
/// the table has no row.
[[nodiscard]] std::optional<std::string> instead_of_option(const std::string& option, const std::string& value,
                                                           const CommandEntry& command, const Interface& interface);

/// Says which option gives a format that --format of the command does not have. Nothing for a word that is no format.
[[nodiscard]] std::optional<std::string> instead_of_format(const std::string& format, const CommandEntry& command);

}  // namespace gpumem::app
