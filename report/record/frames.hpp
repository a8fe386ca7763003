#pragma once
// Whose a function on a stack is, and what it is called.

#include <string>

#include "report/record/callers.hpp"

namespace gpumem::report {

/// Whether its function is CUDA's runtime, linked into the program, a stub that launches a kernel, or what starts a
/// program or a thread: every launch has these on its stack, and nobody changes them.
[[nodiscard]] bool is_of_runtime(const FrameRecord& frame);

/// "train.py:12 in main"; of code without lines "app in main". With the folder in front, where one is given.
[[nodiscard]] std::string frame_words(const FrameRecord& frame, const std::string& folder = "");

}  // namespace gpumem::report
