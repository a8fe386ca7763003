#include "engine/pattern/expression_tokens.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <utility>

#include "engine/base/words.hpp"
#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

namespace {

// By hand, as is_digit() is.
bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
bool is_space(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

/// The longest first: `<<` is not two times `<`.
constexpr std::array<std::string_view, 25> signs = {"<<", ">>", "<=", ">=", "==", "!=", "&&", "||", "+",
                                                    "-",  "*",  "/",  "%",  "&",  "|",  "^",  "~",  "!",
                                                    "<",  ">",  "?",  ":",  "(",  ")",  ","};

/// Signs that an expression does not have, most of them C++'s, and the error for each.
constexpr std::array<std::pair<std::string_view, std::string_view>, 5> refused = {{
    {"++", "'++' changes a variable; write + and a value"},
    {"--", "'--' changes a variable; write - -i for what it says, or one of the two"},
    {"=", "'=' assigns; compare with =="},
    {".", "values are whole numbers, without a point"},
    {"}", "'}' has no '{' before it"},
}};

}  // namespace

std::string quoted(std::string_view text) {
  constexpr std::size_t longest = 30;
  std::string shown;
  for (const char c : text.substr(0, longest)) shown += c < 0x20 || c == 0x7F ? '?' : c;
  return fmt::format("'{}{}'", shown, text.size() > longest ? "..." : "");
}

void Tokens::fail(const std::string& problem) const { refuse_expression(option_, text_, column_, problem); }

Token Tokens::taken(Token::Kind kind, std::size_t length) {
  const Token token{.kind = kind, .text = text_.substr(offset_, length), .column = column_, .offset = offset_};
  offset_ += length;
  column_ += static_cast<std::uint32_t>(length);
  return token;
}

Token Tokens::next() {
  while (offset_ < text_.size() && is_space(text_[offset_])) static_cast<void>(taken(Token::Kind::end, 1));
  if (offset_ == text_.size()) return taken(Token::Kind::end, 0);
  const char c = text_[offset_];
  if (is_digit(c)) return number();
  if (c == '{') return sweep();
  if (!is_letter(c)) return sign();
  const auto rest = text_.substr(offset_);
  const auto end_of_word = [&](std::size_t begin) {
    const auto* const end = std::find_if_not(
        rest.begin() + begin, rest.end(), [](char character) { return is_letter(character) || is_digit(character); });
    return static_cast<std::size_t>(end - rest.begin());
  };
  std::size_t length = end_of_word(0);
  // CUDA's `threadIdx.x` is one name.
  if (length + 1 < rest.size() && rest[length] == '.' && is_letter(rest[length + 1])) length = end_of_word(length + 1);
  return taken(Token::Kind::name, length);
}

Token Tokens::number() {
  const auto rest = text_.substr(offset_);
  const auto* const stop = std::ranges::find_if_not(rest, [](char c) { return is_letter(c) || is_digit(c); });
  const std::string_view word = rest.substr(0, static_cast<std::size_t>(stop - rest.begin()));
  const bool hexadecimal = word.starts_with("0x") || word.starts_with("0X");
  const std::string_view digits = word.substr(hexadecimal ? 2 : 0);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value, hexadecimal ? 16 : 10);
  const std::string_view left(end, static_cast<std::size_t>(digits.data() + digits.size() - end));
  if (hexadecimal && digits.size() == left.size()) {
    fail(fmt::format("{} has no hexadecimal digits; write it as 0xFF", quoted(word)));
  }
  if (!left.empty()) {
    fail(fmt::format("{} is a number that runs into '{}'; numbers are decimal or begin with 0x, and take no suffix",
                     quoted(word), left.front()));
  }
  constexpr auto largest = std::numeric_limits<std::int64_t>::max();
  if (error != std::errc() || (!hexadecimal && value > static_cast<std::uint64_t>(largest))) {
    fail(fmt::format("{} is out of range: the largest number is {}, or 64 bits as 0xFFFFFFFFFFFFFFFF", quoted(word),
                     largest));
  }
  if (!hexadecimal && digits.size() > 1 && digits.front() == '0') {
    fail(fmt::format("{} begins with 0, which is octal in C++; write {}, or 0x and hexadecimal digits", quoted(word),
                     value));
  }
  Token token = taken(Token::Kind::literal, word.size());
  token.value = static_cast<std::int64_t>(value);
  return token;
}

Token Tokens::sweep() {
  const std::size_t end = text_.find('}', offset_);
  if (end == std::string_view::npos) fail("'{' has no '}'; write a sweep as {0..32}");
  const std::string_view inside = text_.substr(offset_, end - offset_);
  if (!std::ranges::all_of(inside, [](char c) { return c >= 0x20 && c < 0x7F; })) {
    fail("the sweep has characters that no range has; write it as {0..32}");
  }
  return taken(Token::Kind::sweep, end + 1 - offset_);
}

Token Tokens::sign() {
  const std::string_view rest = text_.substr(offset_);
  for (const auto& [sign, why] : refused) {
    if (rest.starts_with(sign) && !rest.starts_with("==")) fail(std::string(why));
  }
  for (const std::string_view sign : signs) {
    if (rest.starts_with(sign)) return taken(Token::Kind::sign, sign.size());
  }
  const auto byte = static_cast<unsigned char>(rest.front());
  const bool shows = byte >= 0x20 && byte < 0x7F;
  const char* hint = byte == '[' ? "; an array of indices is a file: gpumem probe --indices FILE" : "";
  fail(fmt::format("{} is no part of an expression{}",
                   shows ? quoted(rest.substr(0, 1)) : fmt::format("byte 0x{:02X}", byte), hint));
}

}  // namespace gpumem::pattern
