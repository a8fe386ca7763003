#include "engine/pattern/expression_period.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_growth.hpp"

namespace gpumem::pattern {

namespace {

/// The values of the first accesses, as far as nothing divides by zero.
std::vector<std::uint64_t> first_values(const Expression& expression, std::int64_t n, std::int64_t count) {
  std::vector<std::uint64_t> values;
  Evaluator evaluator(expression, n);
  try {
    for (std::int64_t i = 0; i < count; i += lanes) {
      const auto here = std::min(lanes, static_cast<std::size_t>(count - i));
      const WarpValues& of_warp = evaluator(consecutive(i, here));
      values.insert(values.end(), of_warp.begin(), of_warp.begin() + static_cast<std::ptrdiff_t>(here));
    }
  } catch (const Error&) {
    // Whoever evaluates the expression is told where.
  }
  return values;
}

/// Whether a proved period, of which `values` are all, consists of `parts` shorter ones. From the last of them to the
/// first of the next period the value then grows like from any other: by what is left of the growth.
bool splits(const std::vector<std::uint64_t>& values, const Periodicity& proved, std::int64_t parts) {
  if (proved.growth % parts != 0) return false;
  const std::size_t shorter = values.size() / static_cast<std::size_t>(parts);
  const auto growth = static_cast<std::uint64_t>(proved.growth / parts);
  for (std::size_t i = 0; i + shorter < values.size(); ++i) {
    if (values[i + shorter] != values[i] + growth) return false;
  }
  return true;
}

}  // namespace

std::optional<Periodicity> periodicity(const Expression& expression, std::int64_t n) {
  const Expression of_launch = with_accesses(expression, n);
  const Growth growth = proved_growth(of_launch.code, n);
  const auto period = static_cast<std::int64_t>(growth.period);
  if (!growth.known() || (period >= n && period > 1)) return std::nullopt;

  auto values = first_values(of_launch, n, period <= evaluated_period ? period : 1);
  if (values.empty()) return std::nullopt;
  Periodicity proved{period, static_cast<std::int64_t>(growth.growth), static_cast<std::int64_t>(values[0])};
  for (std::int64_t prime = 2; prime <= proved.period && static_cast<std::int64_t>(values.size()) == proved.period;) {
    if (proved.period % prime != 0 || !splits(values, proved, prime)) {
      ++prime;  // one that is no prime divides nothing whose prime factors were all tried
      continue;
    }
    proved.period /= prime;
    proved.growth /= prime;
    values.resize(static_cast<std::size_t>(proved.period));
  }
  return proved;
}

}  // namespace gpumem::pattern
