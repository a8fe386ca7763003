#pragma once
// Data in equal pieces.

#include <cstdint>
#include <string_view>

namespace gpumem::host {

/// Throws a usage error that says which size would do, unless `bytes`, the value of --size, are that many pieces of
/// whole 32-bit words, in which transfers are verified. `noun` is what the pieces are called: "copies".
void require_pieces(std::uint64_t bytes, std::uint64_t pieces, std::string_view noun);

}  // namespace gpumem::host
