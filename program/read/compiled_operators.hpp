#pragma once
// The operators that a kernel of torch.compile was fused of. The generated code names them in comments.

#include <cstdint>
#include <istream>
#include <string>

namespace gpumem::program {

/// Returns "aten::add, aten::relu" by the comment above the line ("Original ATen: [aten.add, aten.relu]"); empty if
/// there is none within the function.
[[nodiscard]] std::string compiled_operators(std::istream& source, std::uint64_t line);
/// The same for a file. Empty if torch.compile did not generate it, or if it is gone.
[[nodiscard]] std::string compiled_operators(const std::string& file, std::uint64_t line);

}  // namespace gpumem::program
