#pragma once
// Works through a range with several threads.

#include <cstdint>
#include <functional>

namespace gpumem::access {

/// Returns how many threads to use: `threads`, or one for each processor if it is 0; never more than chunks, and at
/// least one.
[[nodiscard]] unsigned threads_for(std::uint64_t count, std::uint64_t chunk, unsigned threads);

/// Calls work(thread, first, end) for chunks of [0, count), threads numbered from 0 and each busy with one chunk at a
/// time. If work throws, the exception of the lowest chunk is thrown here, whichever came first; chunks behind it may
/// be left out. Throws Interrupted before the next chunk once a stop is requested (engine/base/interruption.hpp),
/// unless the work goes on all the same.
enum class AtStop { interrupted, goes_on };
void in_chunks(std::uint64_t count, std::uint64_t chunk, unsigned threads,
               const std::function<void(unsigned thread, std::uint64_t first, std::uint64_t end)>& work,
               AtStop at_stop = AtStop::interrupted);

}  // namespace gpumem::access
