#pragma once
// Kernels that are not the program's own: who makes them, and what their caller can change. Nobody rewrites a kernel of
// cuBLAS, so advice on one is advice on the call.

#include <cstdint>
#include <optional>
#include <string_view>

namespace gpumem::report {

/// The choices of the caller of a library's kernel that affect the kernel's accesses.
enum class CallersChoice : std::uint8_t {
  nothing,
  layout,  ///< where its operands begin, and how they lie
  indices  ///< the layout, and where the indices that it takes lead
};

struct LibraryKernel {
  std::string_view library;  ///< "PyTorch"
  CallersChoice choice = CallersChoice::nothing;
};

/// Finds the library of a kernel by its demangled name; nullopt for one of the program's own.
[[nodiscard]] std::optional<LibraryKernel> library_kernel(std::string_view kernel);

}  // namespace gpumem::report
