#pragma once
// A range worked through by several threads.

#include <cstdint>
#include <functional>

namespace gpumem::access {

/// As many as there are processors for 0; never more than there are chunks, and at least one.
[[nodiscard]] unsigned threads_for(std::uint64_t count, std::uint64_t chunk, unsigned threads);

/// Calls work(thread, first, end) for chunks of [0, count), threads numbered from 0 and each busy with one chunk at a
/// time. What work throws for the lowest chunk is thrown here, whichever thread met what first; chunks behind it may be
/// left out. Throws Interrupted before the next chunk once a stop is requested (engine/base/interruption.hpp).
void in_chunks(std::uint64_t count, std::uint64_t chunk, unsigned threads,
               const std::function<void(unsigned thread, std::uint64_t first, std::uint64_t end)>& work);

}  // namespace gpumem::access
