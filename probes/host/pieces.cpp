#include "probes/host/pieces.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/error.hpp"

namespace gpumem::host {

void require_pieces(std::uint64_t bytes, std::uint64_t pieces, std::string_view noun) {
  const std::uint64_t unit = pieces * sizeof(std::uint32_t);
  if (bytes % unit == 0) return;
  throw usage_error(fmt::format("--size: {} bytes are no {} {} of whole 4-byte words; {} bytes would do", bytes, pieces,
                                noun, std::max(bytes / unit, std::uint64_t{1}) * unit));
}

}  // namespace gpumem::host
