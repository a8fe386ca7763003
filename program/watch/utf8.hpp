#pragma once
// Characters as UTF-8, the only encoding of text in raw files.

#include <string>

namespace gpumem::inject {

/// Appends a character. A code that is no character becomes U+FFFD.
inline void append_utf8(std::string& text, char32_t code) {
  constexpr char32_t unreadable = 0xFFFD;
  if (code > 0x10FFFF || (code >= 0xD800 && code < 0xE000)) code = unreadable;
  const unsigned more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;  // bytes behind the first
  constexpr unsigned first[] = {0, 0xC0, 0xE0, 0xF0};
  text += static_cast<char>(first[more] | code >> (6 * more));
  for (unsigned left = more; left-- > 0;) text += static_cast<char>(0x80 | (code >> (6 * left) & 0x3F));
}

}  // namespace gpumem::inject
