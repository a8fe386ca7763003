#pragma once
// What a writer makes, held against a file of tests/report/golden.

#include <string>

namespace gpumem::report {

/// Checks that they are the same; with GPUMEM_UPDATE_GOLDEN in the environment it writes the file anew.
void compare_with_golden(const std::string& name, const std::string& text);

}  // namespace gpumem::report
