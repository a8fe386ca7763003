#pragma once
// Errors for words that a command does not take. They say what was meant, in the user's own words where that is plain.

#include <optional>
#include <span>
#include <string>

#include "app/command_line/interface.hpp"

namespace gpumem::app {

/// Throws the usage error for an option that the command, or the program itself, does not have. `line` is all that was
/// typed behind the program's name.
[[noreturn]] void refuse_option(const std::string& argument, const CommandEntry& command, const Interface& interface,
                                std::span<const std::string> line);

/// Throws the usage error for a word that the command has no use for.
[[noreturn]] void refuse_argument(const std::string& argument, const CommandEntry& command, const Interface& interface,
                                  const KnownNames& known, std::span<const std::string> line);

/// Throws a usage error for a --format that the command produces by another option, and for a --backend that has
/// another name here.
void refuse_values_of_others(std::span<const std::string> line, const Interface& interface);

/// Throws a usage error if the command takes the user's program and the program does not stand behind "--". The error
/// shows the line as it should be.
void refuse_unmarked_program(std::span<const std::string> line, const Interface& interface);

/// Says what does what the option was meant for, by a table of what other commands and programs do with it, with the
/// value that was typed ("" if there was none). Nothing where the table has no row.
[[nodiscard]] std::optional<std::string> instead_of_option(const std::string& option, const std::string& value,
                                                           const CommandEntry& command, const Interface& interface);

/// Says which option gives a format that --format of the command does not have. Nothing for a word that is no format.
[[nodiscard]] std::optional<std::string> instead_of_format(const std::string& format, const CommandEntry& command);

}  // namespace gpumem::app
