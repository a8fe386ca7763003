#pragma once
// Text that may hold any bytes, made fit for formats that take only valid UTF-8.

#include <string>
#include <string_view>

namespace gpumem::report {

/// The text with every byte that is part of no valid UTF-8 sequence replaced by U+FFFD.
[[nodiscard]] std::string valid_utf8(std::string_view text);

}  // namespace gpumem::report
