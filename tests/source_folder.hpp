#pragma once
// Files of the repository that tests read.

#include <filesystem>

namespace gpumem::test {

/// The folder of README.md. It is a function, so that one object alone depends on where a clone is: ccache finds all
/// others.
std::filesystem::path source_folder();

}  // namespace gpumem::test
