#include "probes/host/zero_copy/zero_copy_case.hpp"

#include "engine/measure/content.hpp"

namespace gpumem::host {

Difference compare_stored(const std::uint32_t* words, const measure::ContentParts& parts, std::uint64_t count,
                          const AffinePattern& pattern) {
  Difference difference;
  std::uint64_t i = 0;  // the next element that was stored
  std::uint64_t part = 0;
  for (std::uint64_t element = 0; element < pattern.extent(count); ++element) {
    const bool stored = element == pattern(i);
    if (stored) ++i;
    for (const std::uint64_t end = part + parts.per_element; part < end; ++part) {
      if (parts.at(words, part) == (stored ? parts.random(part) : parts.poison())) continue;
      if (difference.mismatches++ == 0) difference.first = part;
    }
  }
  return difference;
}

}  // namespace gpumem::host
