#pragma once
// Sizes of transfers in words, and as the command line takes them.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpumem::host {

/// To a tenth of the largest binary unit that it has one of: "1 GiB", "139.8 KiB", "100 bytes".
[[nodiscard]] std::string size_text(std::uint64_t bytes);

/// Transfers are verified in 32-bit words. Throws a usage error unless `bytes`, the value of `flag` ("--size"), are
/// whole words.
void require_words(std::string_view flag, std::uint64_t bytes);

}  // namespace gpumem::host
