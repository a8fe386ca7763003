#pragma once
// Whose a function on a stack is, and what it is called.

#include <string>

#include "report/record/callers.hpp"

namespace gpumem::report {

/// Returns true if the frame's function is of the CUDA runtime that is linked into the program, a stub that launches a
/// kernel, or one that starts a program or a thread. Every launch has these on its stack, and nobody changes them.
[[nodiscard]] bool is_of_runtime(const FrameRecord& frame);

/// "train.py:12 in main"; of code without lines "app in main". With the folder in front, where one is given.
[[nodiscard]] std::string frame_words(const FrameRecord& frame, const std::string& folder = "");

}  // namespace gpumem::report
