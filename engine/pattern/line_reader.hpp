#pragma once
// Text line by line, of which no more than some lines are in memory at a time.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/pattern/index_file_bytes.hpp"

namespace gpumem::pattern {

class LineReader {
 public:
  /// The source must outlive this.
  explicit LineReader(const ByteSource& source) : source_(source) {}

  /// The next line without its end, which may be Windows', and without a byte-order mark; nothing behind the last.
  /// Valid until the next call. Throws a usage error for a line of more than 1 MiB, which no table has.
  [[nodiscard]] std::optional<std::string_view> next();
  /// The next that is neither blank nor a comment, which `comment` begins.
  [[nodiscard]] std::optional<std::string_view> next_content(char comment);
  [[nodiscard]] std::uint64_t number() const { return number_; }  ///< of that line, from 1

  /// Throws a usage error that names the source and that line.
  [[noreturn]] void refuse(const std::string& wrong) const;

 private:
  bool read_more();

  const ByteSource& source_;
  std::string text_;
  std::size_t at_ = 0;  ///< of what has not been given out
  std::uint64_t number_ = 0;
  bool ended_ = false;  ///< the text is all that is left
};

/// A text without the blanks around it.
[[nodiscard]] std::string_view without_blanks(std::string_view text);

}  // namespace gpumem::pattern
