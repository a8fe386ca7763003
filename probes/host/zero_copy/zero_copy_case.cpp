#include "probes/host/zero_copy/zero_copy_case.hpp"

#include "engine/measure/content.hpp"

namespace gpumem::host {

Difference compare_stored(const std::uint32_t* words, std::uint32_t words_per_element, std::uint64_t count,
                          const AffinePattern& pattern) {
  Difference difference;
  std::uint64_t i = 0;  // the next element that was stored
  std::uint64_t word = 0;
  for (std::uint64_t element = 0; element < pattern.extent(count); ++element) {
    const bool stored = element == pattern(i);
    if (stored) ++i;
    for (const std::uint64_t end = word + words_per_element; word < end; ++word) {
      if (words[word] == (stored ? measure::random_word(word) : measure::poison_word)) continue;
      if (difference.mismatches++ == 0) difference.first = word;
    }
  }
  return difference;
}

}  // namespace gpumem::host
