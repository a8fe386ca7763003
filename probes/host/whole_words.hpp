#pragma once
// Data in whole words, and in equal pieces of whole words: transfers are verified in words of 32 bits. Both throw a
// usage error that says which size would do.

#include <cstdint>
#include <string_view>

#include "probes/axis.hpp"

namespace gpumem::host {

namespace axis {
inline constexpr Size size_bytes{"size_bytes"};
}

inline constexpr std::uint64_t word_bytes = sizeof(std::uint32_t);

/// Unless `bytes`, the value of --size, are whole words.
void require_words(std::uint64_t bytes);

/// Unless `bytes`, the value of --size, are as many pieces of whole words as the flag of that name says: "copies".
void require_pieces(std::uint64_t bytes, std::uint64_t pieces, std::string_view flag);

}  // namespace gpumem::host
