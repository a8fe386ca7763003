#include "report/explain/outlier_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_outliers = 6;
constexpr std::size_t fewest_in_line = 3;  // of a row or column that is said as a whole

/// By how much cases are off.
using Off = std::map<const Record*, double>;

std::string off_words(double relative) {
  return significant(100 * std::abs(relative), 2) + (relative < 0 ? " % less" : " % more");
}

/// Takes a row or column out of the cases that are off if all that ran of it are, the same way, and says it.
std::string whole_line(const Cases& line, const Parameter& value, Off& off) {
  std::vector<double> relative;
  for (const Record* record : line) {
    if (record == nullptr || !record->ran()) continue;
    const auto found = off.find(record);
    if (found == off.end()) return {};
    relative.push_back(found->second);
  }
  const auto less =
      static_cast<std::size_t>(std::ranges::count_if(relative, [](double deviation) { return deviation < 0; }));
  if (relative.size() < fewest_in_line || (less != 0 && less != relative.size())) return {};
  for (const Record* record : line) off.erase(record);
  return fmt::format("{} ({} in all {} cases)", position_phrase(value), off_words(measure::spread_of(relative).median),
                     relative.size());
}

std::vector<std::string> whole_lines(const CaseMatrix& matrix, Off& off) {
  std::vector<std::string> found;
  for (std::size_t column = 0; column < matrix.columns.size(); ++column) {
    Cases line;
    for (const Cases& row : matrix.cells) line.push_back(row[column]);
    found.push_back(whole_line(line, matrix.columns[column], off));
  }
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    found.push_back(whole_line(matrix.cells[row], matrix.rows[row], off));
  }
  std::erase(found, "");
  return found;
}

}  // namespace

std::optional<std::string> outlier_text(const CaseMatrix& matrix, bool several) {
  const Cases cases = matrix.cases();
  const Record& first = *cases.front();
  MatrixJudgement judgement = judge_matrix(matrix, first.headline.quantity, first.headline.better);
  if (judgement.judged == 0) return std::nullopt;
  if (judgement.unlike.empty()) return "";
  const Parameter* alternative = find_parameter(first, first.compared);
  const std::string which = several && alternative != nullptr ? " " + parameter_phrase(*alternative) : "";
  std::ranges::stable_sort(judgement.unlike, std::ranges::greater{},
                           [](const UnlikeCase& unlike) { return unlike.by.loss; });
  Off off;
  for (const UnlikeCase& unlike : judgement.unlike) off[unlike.record] = unlike.by.relative;
  std::vector<std::string> places = whole_lines(matrix, off);
  std::size_t more = 0;
  for (const UnlikeCase& unlike : judgement.unlike) {
    if (!off.contains(unlike.record)) continue;
    if (places.size() >= most_outliers) {
      ++more;
      continue;
    }
    places.push_back(fmt::format("{}, {} ({})", position_phrase(*find_parameter(*unlike.record, first.swept)),
                                 position_phrase(*find_parameter(*unlike.record, first.across)),
                                 off_words(unlike.by.relative)));
  }
  if (more > 0) places.push_back(fmt::format("{} more", more));
  return fmt::format("Unlike the others{}: {}.", which, join(places, "; "));
}

}  // namespace gpumem::report
