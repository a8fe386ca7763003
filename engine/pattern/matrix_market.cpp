#include "engine/pattern/matrix_market.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <string>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/growing_words.hpp"
#include "engine/pattern/line_reader.hpp"

namespace gpumem::pattern {

namespace {

/// Takes the first word off a line; empty at its end.
std::string_view take_word(std::string_view& line) {
  line = without_blanks(line);
  const std::string_view word = line.substr(0, line.find_first_of(" \t"));
  line.remove_prefix(word.size());
  return word;
}

class MatrixReader {
 public:
  explicit MatrixReader(const ByteSource& source) : source_(source), lines_(source) {}

  IndexSequence read() {
    read_banner();
    const auto [rows, columns, entries] = read_size();
    GrowingWords places(source_.name);
    for (std::uint64_t entry = 0; entry < entries; ++entry) {
      std::string_view line = next_line(fmt::format("entry {} of {}", entry + 1, entries));
      const std::uint64_t row = coordinate(line, "row", rows);
      const std::uint64_t column = coordinate(line, "column", columns);
      places.push(place(row, column));
      if (both_triangles_ && row != column) places.push(place(column, row));
    }
    if (lines_.next_content('%')) lines_.refuse(fmt::format("is behind the last of its {} entries", entries));
    std::ranges::sort(places.words());
    return places.take_low_halves();
  }

 private:
  /// One number, by which entries sort: the row above 32 bits of the column.
  static std::uint64_t place(std::uint64_t row, std::uint64_t column) { return row << 32U | column; }

  void read_banner() {
    std::string_view line = lines_.next().value_or("");
    if (take_word(line) != matrix_market_begin) {
      throw usage_error(
          fmt::format("{}: is no Matrix Market file: it does not begin with {}", source_.name, matrix_market_begin));
    }
    const std::string object = lower(take_word(line));
    const std::string layout = lower(take_word(line));
    const std::string field = lower(take_word(line));
    const std::string symmetry = lower(take_word(line));
    if (object != "matrix" || layout != "coordinate") {
      throw usage_error(fmt::format(
          "{}: is a Matrix Market file of a '{} {}', which has no indices; expected a sparse 'matrix coordinate'",
          source_.name, quoted_bytes(object), quoted_bytes(layout)));
    }
    constexpr std::array fields = {"pattern", "integer", "real", "double", "complex", "unsigned-integer"};
    constexpr std::array symmetries = {"general", "symmetric", "skew-symmetric", "hermitian"};
    if (std::ranges::find(fields, field) == fields.end() ||
        std::ranges::find(symmetries, symmetry) == symmetries.end()) {
      lines_.refuse(fmt::format("'{} {}' is none of {} with one of {}", quoted_bytes(field), quoted_bytes(symmetry),
                                fmt::join(fields, ", "), fmt::join(symmetries, ", ")));
    }
    both_triangles_ = symmetry != symmetries.front();
  }

  std::array<std::uint64_t, 3> read_size() {
    constexpr std::uint64_t most = std::uint64_t{1} << 32U;  // rows or columns, of which a place has 32 bits
    std::string_view line = next_line("the size of the matrix");
    const std::uint64_t rows = number(take_word(line), "number of rows", 1, most);
    const std::uint64_t columns = number(take_word(line), "number of columns", 1, most);
    const std::uint64_t entries =
        number(take_word(line), "number of entries", 1, std::numeric_limits<std::int64_t>::max());
    if (both_triangles_ && rows != columns) lines_.refuse("is no size of a symmetric matrix, which is square");
    return {rows, columns, entries};
  }

  std::string_view next_line(const std::string& wanted) {
    const auto line = lines_.next_content('%');
    if (!line) throw usage_error(fmt::format("{}: is truncated: it ends before {}", source_.name, wanted));
    return *line;
  }

  /// From 0, of one that is written from 1.
  std::uint64_t coordinate(std::string_view& line, std::string_view name, std::uint64_t most) const {
    return number(take_word(line), name, 1, most) - 1;
  }

  std::uint64_t number(std::string_view word, std::string_view name, std::uint64_t least, std::uint64_t most) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error == std::errc() && end == word.data() + word.size() && value >= least && value <= most) return value;
    lines_.refuse(
        fmt::format("its {} is '{}'; expected a whole number from {} to {}", name, quoted_bytes(word), least, most));
  }

  const ByteSource& source_;
  LineReader lines_;
  bool both_triangles_ = false;
};

}  // namespace

IndexSequence read_matrix_market(const ByteSource& source) { return MatrixReader(source).read(); }

}  // namespace gpumem::pattern
