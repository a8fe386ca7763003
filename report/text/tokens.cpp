#include "report/text/tokens.hpp"

namespace gpumem::report {

namespace {

enum class Kind { lower, upper, digit, mark, blank, line_break, other };

Kind kind_of(char c) {
  if (c >= 'a' && c <= 'z') return Kind::lower;
  if (c >= 'A' && c <= 'Z') return Kind::upper;
  if (c >= '0' && c <= '9') return Kind::digit;
  if (c == '\n' || c == '\r') return Kind::line_break;
  if (c == ' ' || c == '\t') return Kind::blank;
  return static_cast<unsigned char>(c) < 0x80 ? Kind::mark : Kind::other;
}

/// True if a single character of the first kind is part of the token that the second one begins.
bool joins(Kind before, Kind next) {
  const bool is_word = next == Kind::lower || next == Kind::upper;
  return before == Kind::blank ? is_word || next == Kind::mark : before == Kind::mark && is_word;
}

constexpr std::size_t longest_known_word = 16;

/// The tokens of so many characters of one kind.
std::size_t tokens_of(Kind kind, std::size_t characters) {
  const auto groups_of = [&](std::size_t most) { return (characters + most - 1) / most; };
  switch (kind) {
    case Kind::lower:
      return groups_of(characters <= longest_known_word ? 5 : 2);
    case Kind::upper:
      return groups_of(2);
    case Kind::digit:
      return groups_of(3);
    case Kind::mark:
      return groups_of(2);
    case Kind::blank:
    case Kind::line_break:
      return 1;
    case Kind::other:
      return characters;
  }
  return characters;
}

}  // namespace

std::size_t estimated_tokens(std::string_view text) {
  std::size_t tokens = 0;
  for (std::size_t i = 0; i < text.size();) {
    const Kind kind = kind_of(text[i]);
    const std::size_t begin = i++;
    if (i < text.size() && joins(kind, kind_of(text[i]))) continue;
    while (i < text.size() && kind_of(text[i]) == kind) ++i;
    tokens += tokens_of(kind, i - begin);
  }
  return tokens;
}

}  // namespace gpumem::report
