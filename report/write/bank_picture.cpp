#include "report/write/bank_picture.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <ostream>
#include <string_view>
#include <vector>

#include "engine/access/request.hpp"
#include "report/text/text.hpp"
#include "report/write/table_line.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_pictures = 4;
constexpr std::size_t most_lines = 32;  // of a picture: as many rows as a request by columns has lanes
constexpr std::size_t between_grids = 3;
constexpr char no_wavefront = '.';
constexpr std::array<int, 6> backgrounds = {41, 42, 43, 44, 45, 46};  // red to cyan: ANSI

/// The digits of a grid, as many of each kind in a row.
struct Digits {
  std::vector<std::string> banks;
  std::vector<std::string> wavefronts;  ///< `no_wavefront` for words that the request does not access
  std::uint64_t elements = 1;           ///< that one digit stands for
  std::size_t words = 1;                ///< digits of an element
};

/// Elements that share a digit: those of a word, if they lie in one bank in every row.
std::uint64_t elements_of_digit(const BankGrid& grid) {
  if (grid.element_bytes >= access::bank_bytes) return 1;
  const std::uint64_t together = access::bank_bytes / grid.element_bytes;
  for (const std::string& row : grid.banks) {
    for (std::size_t i = 0; i < row.size(); ++i) {
      if (row[i] != row[i / together * together]) return 1;
    }
  }
  return together;
}

/// The wavefronts of the elements of the grid.
std::vector<std::string> wavefronts_in(const BankGrid& grid) {
  std::vector<std::string> marks(grid.rows(), std::string(grid.columns(), no_wavefront));
  for (const BankGrid::Lane& lane : grid.lanes) {
    if (lane.row < grid.first_row || lane.row - grid.first_row >= grid.rows()) continue;
    std::string& row = marks[lane.row - grid.first_row];
    for (unsigned i = 0; i < grid.elements; ++i) {
      const std::uint64_t column = lane.column + i - grid.first_column;  // huge before the first
      // The first of the lanes that share an element tells.
      if (column < row.size() && row[column] == no_wavefront) row[column] = BankGrid::digits[lane.wavefront];
    }
  }
  return marks;
}

Digits digits_of(const BankGrid& grid) {
  Digits digits{.banks = {},
                .wavefronts = {},
                .elements = elements_of_digit(grid),
                .words = std::max(1U, grid.element_bytes / access::bank_bytes)};
  const std::vector<std::string> marks = wavefronts_in(grid);
  for (std::size_t row = 0; row < grid.rows(); ++row) {
    std::string& banks = digits.banks.emplace_back();
    std::string& wavefronts = digits.wavefronts.emplace_back();
    for (std::size_t i = 0; i < grid.columns(); i += digits.elements) {
      const std::size_t bank = BankGrid::digits.find(grid.banks[row][i]);
      const std::string_view of_digit = std::string_view(marks[row]).substr(i, digits.elements);
      const std::size_t marked = of_digit.find_first_not_of(no_wavefront);
      for (std::size_t word = 0; word < digits.words; ++word) {
        banks += BankGrid::digits[(bank + word) % BankGrid::digits.size()];
        wavefronts += marked == std::string_view::npos ? no_wavefront : of_digit[marked];
      }
    }
  }
  return digits;
}

/// The banks, coloured by wavefront.
std::string coloured(std::string_view banks, std::string_view wavefronts) {
  std::string text;
  for (std::size_t i = 0; i < banks.size();) {
    const std::size_t end = std::min(wavefronts.find_first_not_of(wavefronts[i], i), wavefronts.size());
    const std::string_view run = banks.substr(i, end - i);
    const std::size_t wavefront = BankGrid::digits.find(wavefronts[i]);
    text += wavefront == std::string_view::npos
                ? tinted(std::string(run), Tint::dim)
                : fmt::format("\x1b[30;{}m{}\x1b[0m", backgrounds.at(wavefront % backgrounds.size()), run);
    i = end;
  }
  return text;
}

/// The picture of one case: the part of its grid that there is room for.
class Drawing {
 public:
  Drawing(const BankGrid& grid, const TableStyle& style) : grid_(grid), style_(style), digits_(digits_of(grid)) {
    rows_ = std::min(grid.banks.size(), most_lines);
    std::uint64_t top = grid.first_row + grid.rows();
    for (const BankGrid::Lane& lane : grid.lanes) top = std::min(top, std::max(lane.row, grid.first_row));
    first_ = std::min<std::size_t>(top - grid.first_row, grid.banks.size() - rows_);
    label_ = std::to_string(grid.first_row + first_ + rows_ - 1).size();
    const std::size_t room = style.width - std::min<std::size_t>(style.width, label_ + 1);
    const std::size_t all = digits_.banks.front().size();
    beside_ = !style.color && 2 * all + between_grids <= room;
    columns_ = std::min(all, room);
  }

  void write(std::ostream& out) const {
    const auto line = [&](std::size_t row, const std::string& text) {
      out << fmt::format("{:>{}} {}\n", grid_.first_row + row, label_, text);
    };
    const auto part = [&](const std::vector<std::string>& rows, std::size_t row) {
      return rows[row].substr(0, columns_);
    };
    for (std::size_t row = first_; row < first_ + rows_; ++row) {
      const std::string banks = part(digits_.banks, row);
      const std::string wavefronts = part(digits_.wavefronts, row);
      line(row, style_.color ? coloured(banks, wavefronts)
                : beside_    ? banks + std::string(between_grids, ' ') + wavefronts
                             : banks);
    }
    if (!style_.color && !beside_) {
      out << '\n';
      for (std::size_t row = first_; row < first_ + rows_; ++row) line(row, part(digits_.wavefronts, row));
    }
    write_paragraph(out, one_line(grid_.text), style_, Tint::none, gap);
    const std::string cut = cut_words();
    if (!cut.empty()) write_paragraph(out, cut, style_, Tint::dim, gap);
  }

 private:
  [[nodiscard]] std::string cut_words() const {
    std::vector<std::string> parts;
    const std::uint64_t first_row = grid_.first_row + first_;
    if (rows_ < grid_.tile_rows) {
      parts.push_back(fmt::format("rows {} to {} of {}", first_row, first_row + rows_ - 1, grid_.tile_rows));
    }
    const std::uint64_t shown =
        std::min(columns_ / digits_.words * digits_.elements, static_cast<std::uint64_t>(grid_.columns()));
    if (shown < grid_.tile_columns) {
      parts.push_back(fmt::format("columns {} to {} of {}", grid_.first_column, grid_.first_column + shown - 1,
                                  grid_.tile_columns));
    }
    if (parts.empty()) return "";
    return fmt::format("Shown: {}; -o FILE.html shows up to {} of each.", join(parts, ", "), BankGrid::most);
  }

  const BankGrid& grid_;
  const TableStyle& style_;
  Digits digits_;
  std::size_t first_ = 0;  ///< row of the grid
  std::size_t rows_ = 0;
  std::size_t columns_ = 0;  ///< digits
  std::size_t label_ = 0;    ///< width of a row's number
  bool beside_ = false;      ///< both grids side by side
};

/// The meaning of digits and colours, in one line where there is room.
std::string legend_of(const TableStyle& style) {
  if (!style.color) {
    return "First the bank of each word, 0-9 and a-v for 10-31; then the wavefront that serves it.";
  }
  std::string text = "A digit: the bank of a word, 0-9 and a-v for 10-31. Its colour: the wavefront";
  for (std::size_t i = 0; i < backgrounds.size(); ++i) {
    text += ' ' + coloured(BankGrid::digits.substr(i, 1), BankGrid::digits.substr(i, 1));
  }
  return text + " and again.";
}

}  // namespace

void write_bank_pictures(std::ostream& out, std::span<const BankPicture> pictures, const TableStyle& style) {
  if (pictures.empty()) return;
  out << '\n';
  if (style.color) {
    out << legend_of(style) << '\n';
  } else {
    write_paragraph(out, legend_of(style), style, Tint::none, gap);
  }
  for (const auto& [title, grid] : pictures.first(std::min(most_pictures, pictures.size()))) {
    out << '\n';
    write_paragraph(out, one_line(title), style, Tint::bold, gap);
    Drawing(*grid, style).write(out);
  }
  if (pictures.size() <= most_pictures) return;
  out << '\n';
  write_paragraph(
      out,
      counted(pictures.size() - most_pictures, "more case") +
          " with a picture: keep a report with -o FILE.json, and choose cases by their position, as in 'gpumem show "
          "FILE.json 4..7 --picture'.",
      style, Tint::dim, gap);
}

}  // namespace gpumem::report
