// Any text as an argument: the values of an axis, a share, a duration, an expression of a pattern. Refused in one clear
// line, or what the axis takes; and what is said of an expression holds.

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "app/command_line/values.hpp"
#include "app/run/plan.hpp"
#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_period.hpp"
#include "engine/pattern/expression_source.hpp"
#include "tests/fuzz/require.hpp"

namespace gpumem::fuzz {

namespace {

bool takes(const Axis& axis, const Value& value) {
  if (const auto* name = std::get_if<std::string>(&value)) {
    return axis.texts || (axis.takes_auto && *name == "auto") || (axis.all && *name == "all") ||
           (axis.takes_share && name->ends_with('%')) || std::ranges::find(axis.names, *name) != axis.names.end();
  }
  const auto number = std::get<std::uint64_t>(value);
  return axis.takes_numbers() && number >= axis.minimum && number <= axis.maximum &&
         (axis.numbers.empty() || std::ranges::find(axis.numbers, number) != axis.numbers.end());
}

template <class Read>
void attempt(const Read& read) {
  try {
    read();
  } catch (const Error& error) {
    require_clear(error);
  }
}

void read_axis(const Axis& axis, const std::string& text) {
  const std::vector<std::string> texts = {text, text};  // the second use adds nothing
  const std::vector<Value> values = app::parse_axis_values(axis, texts);
  require(!values.empty() && values.size() <= app::maximum_points, "an axis has some values, and not too many");
  for (const Value& value : values) require(takes(axis, value), "values are the axis'", to_string(value));
  require(app::parse_axis_values(axis, {texts.data(), 1}) == values, "duplicates add nothing");
}

void evaluate(const pattern::Expression& expression) {
  constexpr std::int64_t n = 96;
  require(!pattern::c_expression(expression, n).empty(), "an expression is source code", expression.text);
  const auto bounds = pattern::bounds_of(expression, n);
  const auto period = pattern::periodicity(expression, n);
  pattern::Evaluator evaluator(expression, n);
  std::vector<std::int64_t> values;
  for (std::int64_t first = 0; first < n; first += pattern::lanes) {
    const auto& of_warp = evaluator(pattern::consecutive(first));
    values.insert(values.end(), of_warp.begin(), of_warp.end());
  }
  for (std::int64_t i = 0; i < n; ++i) {
    const auto here = static_cast<std::size_t>(i);
    require(bounds.contains(values[here]), "values are within bounds", expression.text);
    if (!period || i + period->period >= n) continue;
    const auto later = static_cast<std::uint64_t>(values[here]) + static_cast<std::uint64_t>(period->growth);
    const auto there = static_cast<std::uint64_t>(values[here + static_cast<std::size_t>(period->period)]);
    require(later == there, "what is proved of an expression holds", expression.text);
  }
}

}  // namespace

}  // namespace gpumem::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpumem;
  const std::string text(reinterpret_cast<const char*>(data), size);
  for (const Probe& probe : probes()) {
    for (const Axis& axis : probe.axes) {
      fuzz::attempt([&] { fuzz::read_axis(axis, text); });
    }
  }
  fuzz::attempt([&] {
    const double share = app::parse_fraction("ci-width", text);
    fuzz::require(share > 0 && share < 1, "a share is one", text);
  });
  fuzz::attempt([&] {
    const double seconds = app::parse_duration("time-budget", text).count();
    fuzz::require(seconds >= 0 && std::isfinite(seconds), "a duration is one", text);
  });
  fuzz::attempt([&] {
    const auto expressions = pattern::parse(text, "pattern");
    fuzz::require(!expressions.empty() && expressions.size() <= maximum_points, "a sweep has some points", text);
    for (std::size_t k = 0; k < expressions.size(); k += 1 + k) fuzz::evaluate(expressions[k].expression);
  });
  return 0;
}
