#include "probes/host/whole_words.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"

namespace gpumem::host {

namespace {

/// The largest multiple of the unit that is not above, but at least one.
std::uint64_t multiple_below(std::uint64_t bytes, std::uint64_t unit_bytes) {
  return std::max(bytes / unit_bytes, std::uint64_t{1}) * unit_bytes;
}

}  // namespace

void require_words(std::uint64_t bytes) {
  if (bytes % word_bytes == 0) return;
  throw usage_error(fmt::format("--size {} is not a multiple of the word size of {} bytes; use {}", bytes, word_bytes,
                                multiple_below(bytes, word_bytes)));
}

void require_pieces(std::uint64_t bytes, std::uint64_t pieces, std::string_view flag) {
  const std::uint64_t unit_bytes = pieces * word_bytes;
  if (bytes % unit_bytes == 0) return;
  throw usage_error(fmt::format("--{} {} does not divide --size {} into pieces of whole {}-byte words; use --size {}",
                                flag, pieces, bytes, word_bytes, multiple_below(bytes, unit_bytes)));
}

}  // namespace gpumem::host
