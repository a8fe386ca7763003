#pragma once

#include <string>

#include "app/command_line/interface.hpp"

namespace gpumem::app {

/// The manual page gpumem(1) in roff, man macros: every command with its options as --help shows them, exit codes,
/// environment and files.
[[nodiscard]] std::string manual_page(const Interface& interface);

}  // namespace gpumem::app
