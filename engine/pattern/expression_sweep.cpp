// Reads the expressions that a text stands for: one, or one for each value of its sweep.

#include <fmt/format.h>

#include <set>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/ranges.hpp"
#include "engine/pattern/expression.hpp"
#include "engine/pattern/expression_tokens.hpp"

namespace gpumem::pattern {

namespace {

void refuse_accidents(std::string_view text, std::string_view option) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw usage_error(fmt::format("--{}: the expression is empty; write one of i, such as i * 3", option));
  }
  if (text.size() > longest_text) {
    throw usage_error(
        fmt::format("--{}: {} characters are more than the {} an expression takes; bring indices in a file", option,
                    text.size(), longest_text));
  }
}

/// The sweep of a text, if it has one.
std::optional<Token> sweep_of(std::string_view text, std::string_view option) {
  std::optional<Token> sweep;
  Tokens tokens(text, option);
  for (Token token = tokens.next(); token.kind != Token::Kind::end; token = tokens.next()) {
    if (token.kind != Token::Kind::sweep) continue;
    if (sweep) {
      refuse_expression(
          option, text, token.column,
          fmt::format("a second sweep, beside the one in column {}; an expression takes one", sweep->column));
    }
    sweep = token;
  }
  return sweep;
}

std::vector<std::int64_t> values_of(const Token& sweep, std::string_view text, std::string_view option) {
  const RangePlace place{expression_place(option, text, sweep.column), "a sweep", "0..32, 0..32:4, 1..1024*2 or 1,2,8"};
  std::vector<std::int64_t> values;
  std::set<std::int64_t> seen;
  const auto add = [&](std::uint64_t value) {
    const auto number = static_cast<std::int64_t>(value);
    if (number < 0) throw usage_error(fmt::format("{}{} is out of range: at most 2^63 - 1", place.where, value));
    if (!seen.insert(number).second) return;
    if (seen.size() > maximum_points) {
      throw usage_error(
          fmt::format("{}its lists add up to more than the {} points a sweep takes", place.where, maximum_points));
    }
    values.push_back(number);
  };
  const std::string_view list = sweep.text.substr(1, sweep.text.size() - 2);
  for (const std::string_view item : list_items(list, place)) read_range(item, place, add);
  return values;
}

}  // namespace

std::vector<std::string_view> expressions_of(std::string_view list) {
  const auto trimmed = [](std::string_view text) {
    const std::size_t first = std::min(text.find_first_not_of(' '), text.size());
    return text.substr(first, text.find_last_not_of(' ') + 1 - first);
  };
  std::vector<std::string_view> items;
  int depth = 0;
  std::size_t begin = 0;
  for (std::size_t k = 0; k < list.size(); ++k) {
    if (list[k] == '(' || list[k] == '{') ++depth;
    if (list[k] == ')' || list[k] == '}') --depth;
    if (list[k] != ',' || depth > 0) continue;
    items.push_back(trimmed(list.substr(begin, k - begin)));
    begin = k + 1;
  }
  items.push_back(trimmed(list.substr(begin)));
  return items;
}

std::vector<Swept> parse(std::string_view text, std::string_view option, Names names) {
  refuse_accidents(text, option);
  const auto sweep = sweep_of(text, option);
  std::vector<Swept> all;
  if (!sweep) {
    all.push_back({.value = {}, .text = std::string(text), .expression = parse_with(text, option, {}, names)});
    return all;
  }
  for (const std::int64_t value : values_of(*sweep, text, option)) {
    std::string replaced(text);
    replaced.replace(sweep->offset, sweep->text.size(), std::to_string(value));
    all.push_back({.value = value, .text = std::move(replaced), .expression = parse_with(text, option, value, names)});
  }
  return all;
}

Expression parse_one(std::string_view text, std::string_view option, Names names) {
  refuse_accidents(text, option);
  if (const auto sweep = sweep_of(text, option)) {
    refuse_expression(option, text, sweep->column, "one expression is needed here, without a sweep");
  }
  return parse_with(text, option, {}, names);
}

}  // namespace gpumem::pattern
