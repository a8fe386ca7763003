
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/words.hpp"
#include "engine/pattern/growing_words.hpp"
#include "engine/pattern/index_file_text.hpp"
#include "engine/pattern/line_reader.hpp"

namespace gpumem::pattern {

namespace {

constexpr char blanks = ' ';  // as a separator, any number of them

char separator_of(std::string_view line) {
  for (const char separator : {'\t', ',', ';'}) {
    if (line.find(separator) != std::string_view::npos) return separator;
  }
  return blanks;
}

class Table {
 public:
  Table(const ByteSource& source, std::string_view column) : source_(source), lines_(source), column_(column) {}

  IndexSequence read() {
    GrowingWords words(source_.name);
    std::optional<std::string_view> line = lines_.next_content('#');
    if (!line) throw usage_error(fmt::format("{}: has no rows; expected a table", source_.name));
    separator_ = separator_of(*line);
    if (find_column(*line)) line = lines_.next_content('#');
    for (; line; line = lines_.next_content('#')) words.push(index_in(*line));
    if (words.empty()) throw usage_error(fmt::format("{}: has no rows below the names of its columns", source_.name));
    return words.take();
  }

 private:
  /// Decides which field it is. Returns whether the first row has the names of columns.
  bool find_column(std::string_view first) {
    const bool is_number = std::ranges::all_of(column_, is_digit);
    if (!is_number) {
      const std::vector<std::string> names = fields_of(first);
      const auto found = std::ranges::find(names, column_);
      if (found == names.end()) refuse_column(names);
      place_ = static_cast<std::size_t>(found - names.begin());
      return true;
    }
    const auto error = std::from_chars(column_.data(), column_.data() + column_.size(), place_).ec;
    if (error != std::errc() || place_ == 0) {
      throw usage_error(fmt::format("{}: has no column {}; columns are numbered from 1", source_.name, column_));
    }
    --place_;
    const std::string_view field = field_in(first);
    const bool looks_like_number = !field.empty() && (is_digit(field.front()) || field.find_first_of("+-.") == 0);
    return !field.empty() && !looks_like_number;
  }

  [[noreturn]] void refuse_column(const std::vector<std::string>& names) const {
    constexpr std::size_t most_listed = 12;
    const bool numbers = std::ranges::all_of(names, [](const auto& name) { return index_of(name).index() == 0; });
    if (numbers) {
      throw usage_error(fmt::format("{}: its columns have no names; pass the number of one, from 1 to {}", source_.name,
                                    names.size()));
    }
    std::string hint = did_you_mean(column_, names);
    if (hint.empty()) {
      const auto shown = std::span(names).first(std::min(names.size(), most_listed));
      hint = fmt::format("; there are: {}{}", fmt::join(shown, ", "), shown.size() < names.size() ? ", ..." : "");
    }
    throw usage_error(fmt::format("{}: has no column '{}'{}", source_.name, column_, hint));
  }

  std::uint64_t index_in(std::string_view row) {
    const std::string_view field = field_in(row);
    const auto index = index_of(field);
    if (index.index() == 0) return std::get<0>(index);
    lines_.refuse(fmt::format("column {}: {}", column_, field.empty() ? "is empty" : std::get<1>(index)));
  }

  [[nodiscard]] std::string_view field_in(std::string_view row) const {
    std::size_t fields = 0;
    for (std::optional<std::string_view> rest = begin_of(row); rest; ++fields) {
      const std::string_view field = take_field(rest);
      if (fields == place_) return field;
    }
    lines_.refuse(fmt::format("has {} column{}, and column {} is asked for", fields, fields == 1 ? "" : "s", column_));
  }

  [[nodiscard]] std::vector<std::string> fields_of(std::string_view row) const {
    std::vector<std::string> fields;
    for (std::optional<std::string_view> rest = begin_of(row); rest;)
      fields.push_back(quoted_bytes(take_field(rest), 64));
    return fields;
  }

  [[nodiscard]] std::string_view begin_of(std::string_view row) const {
    return separator_ == blanks ? without_blanks(row) : row;
  }

  /// Takes the first field off a row; nothing is left behind the last.
  std::string_view take_field(std::optional<std::string_view>& rest) const {
    std::string_view row = *rest;
    std::size_t length = 0;
    if (row.starts_with('"')) length = end_of_quotes(row);
    length =
        std::min(separator_ == blanks ? row.find_first_of(" \t", length) : row.find(separator_, length), row.size());
    std::string_view field = without_blanks(row.substr(0, length));
    if (field.size() > 1 && field.front() == '"') field = field.substr(1, field.size() - 2);
    row.remove_prefix(length);
    rest.reset();
    if (row.empty()) return field;
    row.remove_prefix(1);
    rest = begin_of(row);
    return field;
  }

  /// Behind the closing quote; two quotes in a row stand for one.
  [[nodiscard]] std::size_t end_of_quotes(std::string_view row) const {
    std::size_t at = row.find('"', 1);
    while (at != std::string_view::npos && row.substr(at + 1).starts_with('"')) at = row.find('"', at + 2);
    if (at == std::string_view::npos) lines_.refuse("a field in quotes does not end in its line");
    return at + 1;
  }

  const ByteSource& source_;
  LineReader lines_;
  std::string_view column_;
  char separator_ = blanks;
  std::size_t place_ = 0;
};

}  // namespace

IndexSequence read_index_column(const ByteSource& source, std::string_view column) {
  return Table(source, column).read();
}

}  // namespace gpumem::pattern
