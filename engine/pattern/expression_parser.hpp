#pragma once
// One expression of a text whose sweep, if it has one, has a value.

#include <cstdint>
#include <optional>
#include <string_view>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// The expression, with `swept` for what stands in braces, so that columns are those of the text as written. Without a
/// value the text has no braces. Throws as parse().
[[nodiscard]] Expression parse_with(std::string_view text, std::string_view option, std::optional<std::int64_t> swept);

}  // namespace gpumem::pattern
