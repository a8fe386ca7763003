#pragma once
// Frames of Python whose text was read once: the same places launch and allocate again and again.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "program/watch/callers/frame.hpp"
#include "program/watch/callers/python_frames.hpp"

namespace gpumem::inject {

// Any thread may call these, whatever locks it holds. The frames that they return stay for ever.

/// The innermost frame of the calling thread that is no library's; null if there is none. For a place that was seen
/// before this takes a fraction of a microsecond.
[[nodiscard]] const Frame* own_python_frame();
/// The frames of the calling thread, innermost first, as many as events have.
[[nodiscard]] std::vector<const Frame*> python_frames();

}  // namespace gpumem::inject
