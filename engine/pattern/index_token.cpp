#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>

#include "engine/base/words.hpp"
#include "engine/pattern/index_file_bytes.hpp"
#include "engine/pattern/index_file_text.hpp"

namespace gpumem::pattern {

namespace {

/// The number that is the whole token, if it is one.
std::optional<double> float_in(std::string_view token) {
  double value = 0;
  const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
  const bool whole = error == std::errc() && end == token.data() + token.size() && std::isfinite(value);
  return whole ? std::optional(value) : std::nullopt;
}

bool is_of_no_text(char c) { return c >= '\0' && c < ' ' && !(c >= '\t' && c <= '\r'); }

std::string what_is_wrong(std::string_view token, std::optional<double> number) {
  if (number && token.front() == '-') {
    return fmt::format("{} is negative: an index is the number of an element, from 0 on", quoted_bytes(token));
  }
  return fmt::format("'{}' is no decimal integer{}", quoted_bytes(token),
                     std::ranges::any_of(token, is_of_no_text)
                         ? "; if it is a binary file, pass --index-format u32|u64|i32|i64|npy"
                         : "");
}

}  // namespace

std::variant<std::uint64_t, std::string> index_of(std::string_view token) {
  if (!token.empty() && std::ranges::all_of(token, is_digit)) {
    std::uint64_t value = 0;
    const auto error = std::from_chars(token.data(), token.data() + token.size(), value).ec;
    if (error == std::errc() && value <= most_index) return value;
    return "'" + quoted_bytes(token) + "' is above 2^63 - 1, the largest index";
  }
  constexpr double exact = 9007199254740992;  // 2^53: up to there doubles are the numbers that were saved
  const auto number = float_in(token);
  if (!number || *number != std::floor(*number) || token.front() == '-') return what_is_wrong(token, number);
  if (*number <= exact) return static_cast<std::uint64_t>(*number);
  return fmt::format(
      "'{}' is a float beyond 2^53, where not every index is one; save integers: numpy.savetxt(..., fmt='%d')",
      quoted_bytes(token));
}

}  // namespace gpumem::pattern
