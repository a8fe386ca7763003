#pragma once

#include <string>

namespace gpumem::machine_code {

/// Whether there is one. If not, the test is reported as skipped.
[[nodiscard]] bool has_disassembler();
/// What cuobjdump prints of a file.
[[nodiscard]] std::string disassembler_output(const std::string& option, const std::string& file);

}  // namespace gpumem::machine_code
