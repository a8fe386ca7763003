#pragma once
// Compares a writer's output with a file of tests/report/golden.

#include <filesystem>
#include <string>

namespace gpumem::report {

/// Checks that they are the same. With GPUMEM_UPDATE_GOLDEN in the environment it then writes the file anew, so that
/// the run that changes a file fails, and the next one passes.
void compare_with_golden(const std::string& name, const std::string& text);

/// The same of any file of the source tree that follows from the program.
void compare_with_file(const std::filesystem::path& path, const std::string& text);

}  // namespace gpumem::report
