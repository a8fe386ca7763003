#pragma once
// Profiles that a command is given by name.

#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "engine/model/profile.hpp"

namespace gpumem::app {

/// The profiles that the words name, in their order: names or files. Throws a usage error for a word that names none,
/// and if two name the same.
[[nodiscard]] std::vector<model::Profile> named_profiles(const std::vector<std::string>& words,
                                                         const Environment& environment);

}  // namespace gpumem::app
