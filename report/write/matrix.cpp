#include "report/write/matrix.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/cells.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_named = 4;

/// "a", "b", ..., "z", "aa", ...
std::string letters(std::size_t number) {
  const std::string last(1, static_cast<char>('a' + number % 26));
  return number < 26 ? last : letters(number / 26 - 1) + last;
}

class MatrixOfCases {
 public:
  MatrixOfCases(const CaseMatrix& cases, const MatrixWish& wish)
      : cases_(cases),
        all_(cases.cases()),
        wish_(wish),
        is_headline_(wish.quantity == all_.front()->headline.quantity) {}

  [[nodiscard]] Matrix build() && {
    matrix_ = empty_matrix(cases_, (wish_.alternative.empty() ? "" : wish_.alternative + ": ") +
                                       (is_measured() ? "" : "predicted ") + quantity_words(wish_.quantity));
    add_cells();
    add_predicted_column();
    for (std::string& line : summary_of(all_, wish_.quantity)) matrix_.notes.push_back({std::move(line), Tint::none});
    if (is_headline_) {
      add_failures();
      add_flags();
      if (wish_.why) add_whys();
    }
    return std::move(matrix_);
  }

 private:
  void add_cells() {
    std::map<const Record*, Tint> unlike;
    for (const UnlikeCase& odd : judge_matrix(cases_, wish_.quantity, wish_.better).unlike) {
      unlike[odd.record] = odd.by.is_worse() ? Tint::red : Tint::yellow;
    }
    for (const Cases& row : cases_.cells) {
      std::vector<Matrix::Cell>& cells = matrix_.cells.emplace_back();
      for (const Record* record : row) cells.push_back(record == nullptr ? Matrix::Cell{{}, "-"} : cell_of(*record));
      for (std::size_t i = 0; i < row.size(); ++i) {
        if (const auto found = unlike.find(row[i]); found != unlike.end()) cells[i].tint = found->second;
      }
    }
  }

  Matrix::Cell cell_of(const Record& record) {
    if (record.ran()) {
      const auto value = quantity_of(record, wish_.quantity).value();
      return {value, value ? "" : "-"};
    }
    // A letter in the cell stands for the words below the matrix.
    const std::string fate =
        record.status == Status::ok
            ? "moved wrong data"
            : fmt::format("{}: {}", to_string(record.status), one_line(record.reason.value_or("no reason given")));
    auto same = std::ranges::find(failures_, fate, &Failure::fate);
    if (same == failures_.end()) same = failures_.insert(same, {.fate = fate, .cases = {}});
    same->cases.push_back(&record);
    return {{}, letters(static_cast<std::size_t>(same - failures_.begin())), tint_of(record)};
  }

  static Tint tint_of(const Record& record) { return record.status == Status::skipped ? Tint::yellow : Tint::red; }

  [[nodiscard]] bool is_measured() const {
    return std::ranges::any_of(
        all_, [&](const Record* record) { return quantity_of(*record, wish_.quantity).measured.has_value(); });
  }

  [[nodiscard]] std::vector<double> predicted_of(const Cases& cases) const {
    std::vector<double> values;
    for (const Record* record : cases) {
      const auto value = record == nullptr ? std::nullopt : quantity_of(*record, wish_.quantity).predicted;
      if (value) values.push_back(*value);
    }
    return values;
  }

  /// Adds a column of predictions if all cases of a row have the same one, and not all rows do.
  void add_predicted_column() {
    if (!is_measured() || reads_same(predicted_of(all_))) return;
    std::vector<Matrix::Cell> column;
    for (const Cases& row : cases_.cells) {
      const std::vector<double> values = predicted_of(row);
      if (!reads_same(values)) return;
      column.push_back(values.empty() ? Matrix::Cell{{}, "-", Tint::dim} : Matrix::Cell{values.front(), "", Tint::dim});
    }
    matrix_.column_names.emplace_back("predicted");
    for (std::size_t row = 0; row < column.size(); ++row) matrix_.cells[row].push_back(std::move(column[row]));
  }

  void add_failures() {
    for (std::size_t i = 0; i < failures_.size(); ++i) {
      const Failure& failure = failures_[i];
      matrix_.notes.push_back({fmt::format("{}: {} {}", letters(i), places_words(failure.cases), failure.fate),
                               tint_of(*failure.cases.front())});
    }
  }

  void add_flags() {
    std::map<std::string, Cases> flagged;
    for (const Record* record : all_) {
      for (const std::string& flag : record->flags) flagged[flag].push_back(record);
    }
    for (const auto& [flag, cases] : flagged) {
      const std::string where = cases.size() == all_.size() ? "all cases" : places_words(cases);
      matrix_.notes.push_back({one_line(flag) + ": " + where, Tint::yellow});
    }
  }

  /// Adds notes on what limits the cases, the most frequent limit first.
  void add_whys() {
    std::vector<std::pair<std::string, std::size_t>> counts;
    for (const Record* record : all_) {
      if (record->why_brief.empty()) continue;
      auto same = std::ranges::find(counts, record->why_brief, &std::pair<std::string, std::size_t>::first);
      if (same == counts.end()) same = counts.insert(same, {record->why_brief, 0});
      ++same->second;
    }
    std::ranges::stable_sort(counts, std::ranges::greater{}, &std::pair<std::string, std::size_t>::second);
    for (std::size_t i = 0; i < std::min(counts.size(), most_named); ++i) {
      matrix_.notes.push_back({counted(counts[i].second, "case") + ": " + counts[i].first, Tint::none});
    }
  }

  /// "source 2, target 5; source 5, target 2 and 3 more".
  [[nodiscard]] std::string places_words(const Cases& cases) const {
    std::vector<std::string> places;
    for (const Record* record : cases) {
      if (places.size() == most_named) break;
      const auto phrase = [&](const std::string& name) { return position_phrase(*find_parameter(*record, name)); };
      places.push_back(phrase(cases_.rows.front().name) + ", " + phrase(cases_.columns.front().name));
    }
    const std::size_t more = cases.size() - places.size();
    return join(places, "; ") + (more > 0 ? fmt::format(" and {} more", more) : "");
  }

  struct Failure {
    std::string fate;
    Cases cases;
  };

  const CaseMatrix& cases_;
  const Cases all_;
  const MatrixWish& wish_;
  const bool is_headline_;
  std::vector<Failure> failures_;
  Matrix matrix_;
};

}  // namespace

bool Matrix::has_mark(char end) const {
  return std::ranges::any_of(cells, [&](const std::vector<Cell>& row) {
    return std::ranges::any_of(row, [&](const Cell& cell) { return cell.mark.ends_with(end); });
  });
}

std::vector<std::vector<std::string>> Matrix::texts(int digits, int most_decimals) const {
  std::vector<std::optional<double>> values;
  for (const auto& row : cells) {
    for (const Cell& cell : row) values.push_back(cell.value);
  }
  const std::vector<std::string> numbers = aligned(values, digits, most_decimals);
  std::vector<std::vector<std::string>> all;
  auto number = numbers.begin();
  for (const auto& row : cells) {
    std::vector<std::string>& texts = all.emplace_back();
    for (const Cell& cell : row) texts.push_back(cell.value ? *number : cell.mark), ++number;
  }
  return all;
}

Matrix empty_matrix(const CaseMatrix& cases, const std::string& what) {
  const std::string& down = cases.rows.front().name;
  const std::string& across = cases.columns.front().name;
  Matrix matrix;
  matrix.title = fmt::format("{} by {} (rows) and {} (columns)", what, parameter_noun(down), parameter_noun(across));
  matrix.rows = parameter_heading(down);
  for (const Parameter& row : cases.rows) matrix.row_names.push_back(value_text(row));
  for (const Parameter& column : cases.columns) matrix.column_names.push_back(value_text(column));
  return matrix;
}

Matrix make_matrix(const CaseMatrix& cases, const MatrixWish& wish) { return MatrixOfCases(cases, wish).build(); }

Block matrix_block(const std::vector<CaseCell>& cells, const std::string& what, std::initializer_list<Note> marks) {
  Block block;
  Cases cases;
  for (const auto& [record, cell] : cells) cases.push_back(record);
  const std::map<const Record*, Matrix::Cell> cell_of(cells.begin(), cells.end());
  const std::vector<CaseMatrix> all = matrices(cases);
  if (all.empty()) return block;
  const Record& first = *cases.front();
  for (const CaseMatrix& of_alternative : all) {
    const Parameter* alternative = find_parameter(*of_alternative.cases().front(), first.compared);
    const bool several = all.size() > 1 && alternative != nullptr;
    Matrix matrix = empty_matrix(of_alternative, (several ? parameter_phrase(*alternative) + ": " : "") + what);
    for (const Cases& row : of_alternative.cells) {
      std::vector<Matrix::Cell>& shown = matrix.cells.emplace_back();
      for (const Record* record : row) shown.push_back(record == nullptr ? Matrix::Cell{{}, "-"} : cell_of.at(record));
    }
    std::ranges::copy_if(marks, std::back_inserter(matrix.notes),
                         [&](const Note& note) { return matrix.has_mark(note.text.front()); });
    block.matrices.push_back(std::move(matrix));
  }
  block.title = one_line(first.probe);
  for (const Parameter& parameter : first.parameters) {
    if (varies(cases, parameter.name) || !is_said(first.probe, parameter)) continue;
    block.constants.push_back(parameter_phrase(parameter));
  }
  return block;
}

}  // namespace gpumem::report
