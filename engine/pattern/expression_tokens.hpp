#pragma once
// The words of an expression: literals, names, operators, and a sweep in braces, which reads as one literal.

#include <cstdint>
#include <string>
#include <string_view>

namespace gpumem::pattern {

struct Token {
  enum class Kind : std::uint8_t { end, literal, name, sign, sweep };
  Kind kind = Kind::end;
  std::string_view text;     ///< as written
  std::int64_t value = 0;    ///< of a literal
  std::uint32_t column = 1;  ///< in characters, from 1
  std::size_t offset = 0;    ///< in bytes, from 0
};

class Tokens {
 public:
  Tokens(std::string_view text, std::string_view option) : text_(text), option_(option) {}

  /// The next token; of kind `end` when there is none. Throws a usage error for what is no token.
  [[nodiscard]] Token next();

 private:
  [[nodiscard]] Token taken(Token::Kind kind, std::size_t length);
  [[nodiscard]] Token number();
  [[nodiscard]] Token sweep();
  [[nodiscard]] Token sign();
  [[noreturn]] void fail(const std::string& problem) const;

  std::string_view text_;
  std::string_view option_;
  std::size_t offset_ = 0;
  std::uint32_t column_ = 1;
};

/// A piece of text in quotes for an error line, shortened where nobody would read it all.
[[nodiscard]] std::string quoted(std::string_view text);

}  // namespace gpumem::pattern
