#include "report/record/matrix.hpp"

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/words.hpp"
#include "engine/machine/islands.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t fewest_columns = 3;

/// The different values of a parameter, numbers in rising order; empty if a case lacks the parameter.
std::vector<Parameter> values_of(const Cases& cases, std::string_view name) {
  std::vector<Parameter> values;
  for (const Record* record : cases) {
    const Parameter* value = find_parameter(*record, name);
    if (value == nullptr) return {};
    if (std::ranges::find(values, *value) == values.end()) values.push_back(*value);
  }
  const auto is_number = [](const Parameter& parameter) {
    return std::holds_alternative<std::uint64_t>(parameter.value);
  };
  if (std::ranges::all_of(values, is_number)) std::ranges::sort(values, {}, &Parameter::value);
  return values;
}

std::size_t place_of(const Record& record, const std::vector<Parameter>& values) {
  const Parameter* value = find_parameter(record, values.front().name);
  return static_cast<std::size_t>(std::ranges::find(values, *value) - values.begin());
}

/// Returns nullopt if there are too few rows or columns, or if two cases claim one cell.
std::optional<CaseMatrix> matrix_of(const Cases& cases, std::size_t fewest_rows) {
  CaseMatrix matrix{
      .rows = values_of(cases, cases.front()->swept), .columns = values_of(cases, cases.front()->across), .cells = {}};
  if (matrix.rows.size() < fewest_rows || matrix.columns.size() < fewest_columns) return std::nullopt;
  matrix.cells.assign(matrix.rows.size(), Cases(matrix.columns.size(), nullptr));
  for (const Record* record : cases) {
    const Record*& cell = matrix.cells[place_of(*record, matrix.rows)][place_of(*record, matrix.columns)];
    if (std::exchange(cell, record) != nullptr) return std::nullopt;
  }
  return matrix;
}

std::uint64_t gpu_in(const Record& record, const std::string& parameter) {
  return std::get<std::uint64_t>(find_parameter(record, parameter)->value);
}

/// The islands that the pairs without a prediction form.
std::vector<measure::Island> islands_in(const CaseMatrix& pairs, std::string_view quantity, Better better) {
  std::vector<measure::Nearness> all;
  for (const Record* record : pairs.cases()) {
    const MetricRecord reading = quantity_of(*record, quantity);
    if (!reading.measured || reading.predicted) continue;
    all.push_back({.source = gpu_in(*record, record->swept),
                   .target = gpu_in(*record, record->across),
                   .value = better == Better::less ? 1 / *reading.measured : *reading.measured});
  }
  return measure::islands_of(all);
}

}  // namespace

Cases CaseMatrix::cases() const {
  Cases all;
  for (const Cases& row : cells) {
    std::ranges::copy_if(row, std::back_inserter(all), [](const Record* record) { return record != nullptr; });
  }
  return all;
}

std::vector<CaseMatrix> matrices(const Cases& cases, std::size_t fewest_rows) {
  const Record& first = *cases.front();
  if (first.across.empty()) return {};
  const std::set<std::string> telling = varying(cases);
  const auto splits = [&](const std::string& name) {
    return name == first.swept || name == first.across || name == first.compared;
  };
  if (!std::ranges::all_of(telling, splits)) return {};
  std::vector<std::pair<const Parameter*, Cases>> alternatives;
  for (const Record* record : cases) {
    const Parameter* own = find_parameter(*record, first.compared);
    const auto same = [&](const Parameter* other) { return own == other || (own && other && *own == *other); };
    auto found = std::ranges::find_if(alternatives, same, &std::pair<const Parameter*, Cases>::first);
    if (found == alternatives.end()) found = alternatives.insert(found, {own, {}});
    found->second.push_back(record);
  }
  std::vector<CaseMatrix> all;
  for (const auto& [alternative, members] : alternatives) {
    std::optional<CaseMatrix> matrix = matrix_of(members, fewest_rows);
    if (!matrix) return {};
    all.push_back(std::move(*matrix));
  }
  return all;
}

std::string table_key(const Record& record) {
  return asked_key(record, std::array{record.swept, record.compared, record.across});
}

MetricRecord quantity_of(const Record& record, std::string_view quantity) {
  const HeadlineRecord& headline = record.headline;
  const std::string name(quantity);
  if (!record.ran()) return {name, {}, {}};
  if (name == headline.quantity) return {name, positive(headline.measured), positive(headline.predicted)};
  const MetricRecord metric = metric_of(record, quantity);
  return {name, positive(metric.measured), positive(metric.predicted)};
}

bool is_of_pairs(const CaseMatrix& matrix) {
  const auto is_gpu = [](const Parameter& parameter) { return std::holds_alternative<std::uint64_t>(parameter.value); };
  if (!std::ranges::all_of(matrix.rows, is_gpu) || !std::ranges::all_of(matrix.columns, is_gpu)) return false;
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    const auto same = std::ranges::find(matrix.columns, matrix.rows[row].value, &Parameter::value);
    if (same == matrix.columns.end()) return false;
    if (matrix.cells[row][static_cast<std::size_t>(same - matrix.columns.begin())] != nullptr) return false;
  }
  return true;
}

MatrixJudgement judge_matrix(const CaseMatrix& matrix, std::string_view quantity, Better better, double tolerance) {
  if (better == Better::neither) return {};
  struct Alike {
    Cases cases;
    std::vector<double> values;
  };
  // The key is the row and the prediction as it is shown. In a matrix of pairs the key is not the row, but 1 for a pair
  // that is on one island and has no prediction, and 0 for any other.
  std::map<std::pair<std::size_t, std::string>, Alike> groups;
  const bool pairs = is_of_pairs(matrix);
  const auto islands = pairs ? islands_in(matrix, quantity, better) : std::vector<measure::Island>();
  for (std::size_t row = 0; row < matrix.rows.size(); ++row) {
    for (const Record* record : matrix.cells[row]) {
      if (record == nullptr) continue;
      const MetricRecord reading = quantity_of(*record, quantity);
      if (!reading.measured) continue;
      const std::string predicted = reading.predicted ? significant(*reading.predicted, 3) : "";
      const auto near = [&] {
        return measure::on_one_island(islands, gpu_in(*record, record->swept), gpu_in(*record, record->across));
      };
      Alike& group = groups[{pairs ? std::size_t{!reading.predicted && near()} : row, predicted}];
      group.cases.push_back(record);
      group.values.push_back(*reading.measured);
    }
  }
  MatrixJudgement judgement;
  for (const auto& [key, group] : groups) {
    if (group.values.size() < measure::fewest_comparable) continue;
    judgement.judged += group.values.size();
    for (const auto& [index, by] : measure::unlike_the_others(group.values, better, tolerance)) {
      judgement.unlike.push_back({group.cases[index], by});
    }
  }
  return judgement;
}

}  // namespace gpumem::report
