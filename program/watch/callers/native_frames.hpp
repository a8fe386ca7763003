#pragma once
// The native stack of the calling thread: which frames are the program's own, and which operators are in between.

#include <cstdint>
#include <string>
#include <vector>

#include "program/watch/callers/frame.hpp"

namespace gpumem::inject {

/// The native frames of a call into the driver, up to Python.
struct NativeCalls {
  std::vector<Frame> own;     ///< of the program itself, innermost first
  std::string operation;      ///< the framework's operator, by its symbols: "aten::add.Tensor"; may be empty
  bool from_library = false;  ///< an installed package's code made the call into CUDA
  bool to_python = false;     ///< Python comes next: it called what is in `own`
};

/// Walks the stack of the calling thread, up to its innermost frame of Python. This takes microseconds. Beyond code
/// without unwind information it sees no frames.
[[nodiscard]] NativeCalls native_calls();
/// A hash of the stack, as far as native_calls() walks it. It costs the walk alone.
[[nodiscard]] std::uint64_t native_stack_hash();

}  // namespace gpumem::inject
