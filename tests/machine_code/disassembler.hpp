#pragma once

#include <string>

namespace gpumem::machine_code {

/// True if there is a disassembler. If not, the test is reported as skipped.
[[nodiscard]] bool has_disassembler();
/// Returns cuobjdump's output for a file.
[[nodiscard]] std::string disassembler_output(const std::string& option, const std::string& file);

}  // namespace gpumem::machine_code
