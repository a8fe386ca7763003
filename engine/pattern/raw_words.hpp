#pragma once
// What the words of a binary file are that says nothing of itself: by evidence, and refused where that is not clear.

#include <string>

#include "engine/pattern/index_file.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// u32 or u64, for the little-endian words that a file of a multiple of 4 bytes, at least 4, holds. Of indices in 64
/// bits most have an upper half of 0, or all a small one; indices in 32 bits stay below 2^31, for whoever has more
/// keeps them in 64. Throws a usage error that says what the file looks like otherwise (floats, big-endian words, words
/// of 16 bits, neither width rather than the other), and which --index-format reads it all the same.
[[nodiscard]] IndexFormat format_of_words(const WordBuffer& words, const std::string& source);

}  // namespace gpumem::pattern
