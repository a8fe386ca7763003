#pragma once
// Describes an access pattern in a few words, from its addresses alone: "lanes 4096 elements (16 KiB) apart; the same
// sectors come again 128 requests later".

#include <string>

#include "engine/access/pattern_shape.hpp"

namespace gpumem::access {

/// Clauses without capital or full stop; empty if there is nothing to say. An element is a word of the launch's size.
struct PatternWords {
  std::string lanes;    ///< of a request: "lanes 8 elements apart"; with shares if requests are of several kinds
  std::string active;   ///< "16 of 32 lanes active"
  std::string step;     ///< one request to the next: "the next request 1 element further on"
  std::string sharing;  ///< "the same sectors come again 128 requests later"
  std::string reuse;    ///< "each element 3.2 times"
  std::string brief;    ///< the most important, for a cell of a table: `brief_columns` at most, as far as `lanes` allow
  std::string full;     ///< all of it, in sentences
};
inline constexpr std::size_t brief_columns = 90;

[[nodiscard]] PatternWords words_of(const PatternShape& shape);

/// The words of pattern_shape(launch), which evaluates some thousands of requests. Throws what `fill` throws.
[[nodiscard]] PatternWords describe(const Requests& launch);

}  // namespace gpumem::access
