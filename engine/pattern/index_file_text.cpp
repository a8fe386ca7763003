#include "engine/pattern/index_file_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <cstring>
#include <variant>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/growing_words.hpp"

namespace gpumem::pattern {

namespace {

constexpr std::size_t longest_token = 64;  // an index has 19 digits; leading zeros are no error

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool ends_token(char c) { return is_blank(c) || c == ',' || c == '#'; }

/// Reads text piece by piece.
class TextReader {
 public:
  explicit TextReader(const std::string& source) : source_(source), words_(source) {}

  /// Takes what is complete, and returns how much that is: a number at the end of a piece may go on in the next.
  std::size_t take(std::string_view piece, bool last) {
    begin_ = piece.data();
    end_ = begin_ + piece.size();
    const char* at = begin_;
    while (at != end_) {
      const char c = *at;
      if (in_comment_ || c == '#') {
        at = skip_comment(at);
      } else if (is_digit(c)) {
        const char* const next = number(at, last);
        if (next == at) break;
        at = next;
      } else if (c == '\n') {
        end_line(++at);
      } else if (is_blank(c)) {
        ++at;
      } else if (c == ',' && after_number_) {
        after_number_ = false;
        ++at;
      } else {
        const std::string_view token = token_at(at);
        if (!is_complete(token, last)) break;
        refuse_token(at, token);
      }
    }
    const auto taken = static_cast<std::size_t>(at - begin_);
    offset_ += taken;
    return taken;
  }

  IndexSequence finish() {
    if (offset_ == 0) throw usage_error(fmt::format("{}: is empty; expected decimal integers", source_));
    if (words_.empty()) {
      throw usage_error(
          fmt::format("{}: holds no number, only blanks and comments; expected decimal integers", source_));
    }
    return words_.take();
  }

 private:
  const char* skip_comment(const char* at) {
    const void* const newline = std::memchr(at, '\n', static_cast<std::size_t>(end_ - at));
    in_comment_ = newline == nullptr;
    return in_comment_ ? end_ : static_cast<const char*>(newline);
  }

  void end_line(const char* next) {
    ++line_;
    line_begin_ = offset_ + static_cast<std::uint64_t>(next - begin_);
  }

  /// Past the number; where it begins when its end is not in this piece.
  const char* number(const char* at, bool last) {
    constexpr std::ptrdiff_t surely_fits = 18;  // digits, in 64 bits
    const char* const begin = at;
    const char* const short_end = end_ - at > surely_fits ? at + surely_fits : end_;
    std::uint64_t value = 0;
    do {
      value = value * 10 + static_cast<std::uint64_t>(*at - '0');
      ++at;
    } while (at != short_end && is_digit(*at));
    if (at == end_ ? !last : !ends_token(*at)) {  // it goes on, or may
      const std::string_view token = token_at(begin);
      if (!is_complete(token, last)) return begin;
      value = long_number(begin, token);
      at = begin + token.size();
    }
    words_.push(value);
    after_number_ = true;
    return at;
  }

  /// The value of a token that begins with a digit.
  std::uint64_t long_number(const char* at, std::string_view token) const {
    const auto index = index_of(token);
    if (token.size() == longest_token || index.index() != 0) refuse_token(at, token);
    return std::get<0>(index);
  }

  [[nodiscard]] std::string_view token_at(const char* at) const {
    const char* const most = at + std::min<std::ptrdiff_t>(end_ - at, longest_token);
    const char* const end = std::find_if(at + 1, most, ends_token);
    return {at, static_cast<std::size_t>(end - at)};
  }

  [[nodiscard]] bool is_complete(std::string_view token, bool last) const {
    return last || token.data() + token.size() != end_ || token.size() == longest_token;
  }

  [[noreturn]] void refuse(const char* at, const std::string& wrong) const {
    const std::uint64_t column = offset_ + static_cast<std::uint64_t>(at - begin_) - line_begin_ + 1;
    throw usage_error(fmt::format("{}: line {}, column {}: {}", source_, line_, column, wrong));
  }

  [[noreturn]] void refuse_token(const char* at, std::string_view token) const {
    if (token.front() == ',') refuse(at, "expected a number before ','");
    const auto index = index_of(token);
    std::string wrong =
        index.index() == 0 ? fmt::format("'{}' is no decimal integer", quoted_bytes(token)) : std::get<1>(index);
    const bool may_be_name =
        words_.empty() && line_ == 1 && std::isalpha(static_cast<unsigned char>(token.front())) != 0;
    if (may_be_name) wrong += "; of a table with names, choose a column: --index-column NAME";
    refuse(at, wrong);
  }

  const std::string& source_;
  GrowingWords words_;
  const char* begin_ = nullptr;  // of the piece
  const char* end_ = nullptr;
  std::uint64_t offset_ = 0;      // of the piece in the text
  std::uint64_t line_ = 1;        // counted from 1
  std::uint64_t line_begin_ = 0;  // where in the text
  bool in_comment_ = false;
  bool after_number_ = false;  // and no comma since
};

}  // namespace

IndexSequence read_index_text(const ByteSource& source, std::size_t piece_bytes) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  TextReader reader(source.name);
  std::vector<char> piece(std::max<std::size_t>(piece_bytes, 2 * longest_token));
  std::size_t kept = 0;
  for (bool first = true, last = false; !last; first = false) {
    const std::span<char> free = std::span(piece).subspan(kept);
    const std::size_t got = source.read(std::as_writable_bytes(free));
    last = got < free.size();
    std::string_view text(piece.data(), kept + got);
    if (first && text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
    text.remove_prefix(reader.take(text, last));
    kept = text.size();
    std::memmove(piece.data(), text.data(), kept);
  }
  return reader.finish();
}

}  // namespace gpumem::pattern
