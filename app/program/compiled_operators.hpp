#pragma once
// Operators that a kernel of torch.compile was fused of: the code that it generates says so in comments.

#include <cstdint>
#include <istream>
#include <string>

namespace gpumem::app {

/// "aten::add, aten::relu" by the comment above the line ("Original ATen: [aten.add, aten.relu]"). Empty where there is
/// none within the function.
[[nodiscard]] std::string compiled_operators(std::istream& source, std::uint64_t line);
/// Of a file. Empty where it is none that torch.compile generated, or not there any more.
[[nodiscard]] std::string compiled_operators(const std::string& file, std::uint64_t line);

}  // namespace gpumem::app
