#pragma once
// One index as text.

#include <cstdint>
#include <string>
#include <string_view>
#include <variant>

namespace gpumem::pattern {

/// The index that a token is: a decimal integer up to most_index, or a float that is a whole number up to 2^53, as
/// numpy.savetxt writes indices unless it is told otherwise. Else what is wrong with it, which quotes it: "'x' is no
/// decimal integer".
[[nodiscard]] std::variant<std::uint64_t, std::string> index_of(std::string_view token);

}  // namespace gpumem::pattern
