#pragma once
// Scripts that teach a shell to complete gpumem's command line. Pure functions of its description.

#include <string>

#include "app/command_line/interface.hpp"

namespace gpumem::app {

/// For bash 4.3 or newer; needs nothing of the bash-completion package.
[[nodiscard]] std::string bash_completion(const Interface& interface);

/// For zsh, to be sourced or to lie as `_gpumem` in a folder of $fpath.
[[nodiscard]] std::string zsh_completion(const Interface& interface);

/// For fish 3 or newer.
[[nodiscard]] std::string fish_completion(const Interface& interface);

}  // namespace gpumem::app
