#pragma once
// Compares a writer's output with a file of tests/report/golden.

#include <string>

namespace gpumem::report {

/// Checks that they are the same. With GPUMEM_UPDATE_GOLDEN in the environment it then writes the file anew, so that
/// the run that changes a file fails, and the next one passes.
void compare_with_golden(const std::string& name, const std::string& text);

}  // namespace gpumem::report
