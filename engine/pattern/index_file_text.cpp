#include "engine/pattern/index_file_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"

namespace gpumem::pattern {

namespace {

constexpr std::size_t longest_token = 64;  // an index has 19 digits; leading zeros are no error

bool is_blank(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }

bool ends_token(char c) { return is_blank(c) || c == ',' || c == '#'; }

/// Indices as they come, in words that get wider when one does not fit.
class GrowingWords {
 public:
  explicit GrowingWords(const std::string& source) : source_(source) {}

  void push(std::uint64_t value) {
    if (size_ == capacity_) grow();
    if (!wide_ && value > std::numeric_limits<std::uint32_t>::max()) widen();
    if (wide_) {
      buffer_.as<std::uint64_t>()[size_++] = value;
    } else {
      buffer_.as<std::uint32_t>()[size_++] = static_cast<std::uint32_t>(value);
    }
  }

  [[nodiscard]] bool empty() const { return size_ == 0; }

  IndexSequence take() {
    buffer_.resize(size_ * word_bytes(), source_);
    return {std::move(buffer_), word_bytes()};
  }

 private:
  [[nodiscard]] unsigned word_bytes() const { return wide_ ? 8 : 4; }

  void grow() {
    constexpr std::size_t first = 4096;
    capacity_ = std::max(first, capacity_ + capacity_ / 2);
    buffer_.resize(capacity_ * word_bytes(), source_);
  }

  void widen() {
    buffer_.resize(capacity_ * 8, source_);
    // From the last on: each wide word ends before the narrow ones that are still to be read.
    for (std::size_t i = size_; i-- > 0;) buffer_.as<std::uint64_t>()[i] = narrow(i);
    wide_ = true;
  }

  /// The two types must not be taken to lie apart.
  [[nodiscard]] std::uint64_t narrow(std::size_t i) const {
    std::uint32_t word = 0;
    std::memcpy(&word, buffer_.data() + i * sizeof word, sizeof word);
    return word;
  }

  const std::string& source_;
  WordBuffer buffer_;
  std::size_t size_ = 0;
  std::size_t capacity_ = 0;  // in words
  bool wide_ = false;
};

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

  /// The value of a token that begins with a digit, or what is wrong with it.
  std::uint64_t long_number(const char* at, std::string_view token) const {
    std::uint64_t value = 0;
    if (token.size() == longest_token) refuse_token(at, token);
    if (!std::ranges::all_of(token, is_digit)) return whole_float(at, token);
    for (const char c : token) {
      if (__builtin_mul_overflow(value, std::uint64_t{10}, &value) ||
          __builtin_add_overflow(value, static_cast<std::uint64_t>(c - '0'), &value) || value > most_index) {
        refuse(at, "'" + quoted_bytes(token) + "' is above 2^63 - 1, the largest index");
      }
    }
    return value;
  }

  /// The value of a float, as numpy.savetxt writes indices unless it is told otherwise.
  std::uint64_t whole_float(const char* at, std::string_view token) const {
    constexpr double exact = 9007199254740992;  // 2^53: up to there doubles are the numbers that were saved
    const auto value = float_in(token);
    if (!value || *value != std::floor(*value)) refuse_token(at, token);
    if (*value > exact) {
      refuse(at, fmt::format("'{}' is a float beyond 2^53, where not every index is one; save integers: "
                             "numpy.savetxt(..., fmt='%d')",
                             quoted_bytes(token)));
    }
    return static_cast<std::uint64_t>(*value);
  }

  /// The number that is the whole token, if it is one.
  [[nodiscard]] static std::optional<double> float_in(std::string_view token) {
    double value = 0;
    const auto [end, error] = std::from_chars(token.data(), token.data() + token.size(), value);
    const bool whole = error == std::errc() && end == token.data() + token.size() && std::isfinite(value);
    return whole ? std::optional(value) : std::nullopt;
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
    const bool is_negative = token[0] == '-' && float_in(token).has_value();
    const bool is_binary = std::ranges::any_of(token, [](char c) { return c >= '\0' && c < ' ' && !is_blank(c); });
    if (token.front() == ',') refuse(at, "expected a number before ','");
    if (is_negative) {
      refuse(at, fmt::format("{} is negative: an index is the number of an element, from 0 on", quoted_bytes(token)));
    }
    refuse(at, fmt::format("'{}' is no decimal integer{}", quoted_bytes(token),
                           is_binary ? "; if it is a binary file, pass --index-format u32|u64|i32|i64|npy" : ""));
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
