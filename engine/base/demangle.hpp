#pragma once
// Names of functions as people write them.

#include <string>

namespace gpumem {

/// Longer names stay as they are. The compiler's runtime library reads no longer mangled ones either.
inline constexpr std::size_t longest_mangled = 1024;
inline constexpr std::size_t longest_demangled = 16384;

/// The name itself where it is not mangled, or would become too long. Takes milliseconds at most, whatever the name is.
[[nodiscard]] std::string demangled(const std::string& mangled);

}  // namespace gpumem
