#pragma once
// The native stack of the calling thread: which frames are the program's own, and which operators are in between.

#include <cstdint>
#include <string>
#include <vector>

#include "inject/callers/frame.hpp"

namespace gpumem::inject {

/// What lies between a call into the driver and what asked for it.
struct NativeCalls {
  std::vector<Frame> own;     ///< of the program itself, innermost first
  std::string operation;      ///< the framework's operator, by its symbols: "aten::add.Tensor"; may be empty
  bool from_library = false;  ///< an installed package's code made the call into CUDA
  bool to_python = false;     ///< Python comes next: it called what is in `own`
};

/// Of the calling thread, up to its innermost frame of Python. It walks the stack and so takes microseconds; of code
/// that says nothing of its frames it sees none further out.
[[nodiscard]] NativeCalls native_calls();
/// The same number for the same stack, as far as it is walked for native_calls; it costs the walk alone.
[[nodiscard]] std::uint64_t native_stack_hash();

}  // namespace gpumem::inject
