#include "probes/host/size.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/error.hpp"

namespace gpumem::host {

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  const auto tenths = [&] { return std::round(value * 10) / 10; };
  while (tenths() >= 1024 && unit + 1 < units.size()) {
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", tenths(), units[unit]);
}

void require_words(std::string_view flag, std::uint64_t bytes) {
  constexpr std::uint64_t word = sizeof(std::uint32_t);
  if (bytes % word == 0) return;
  throw usage_error(fmt::format("{} {} is not a multiple of the word size of {} bytes; use {}", flag, bytes, word,
                                std::max(bytes / word, std::uint64_t{1}) * word));
}

}  // namespace gpumem::host
