#pragma once
// Spans of the program's time: launches that were timed, samples, graphs, ranges. So many are kept as one page of a
// timeline can show; they are written a few hundred at a time.

#include <cstdint>

#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

// Any thread. Times are by the clock of now_ns().

/// `of` is the index of a LaunchSlot, or the number of a range; `lane` the stream or thread that it was in.
void keep_span(SpanKind kind, std::uint32_t of, std::uint64_t lane, std::uint64_t begin_ns, std::uint64_t took_ns);
/// Writes those that were not.
void write_spans();

}  // namespace gpumem::inject
