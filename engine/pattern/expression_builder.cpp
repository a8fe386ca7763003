#include "engine/pattern/expression_builder.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/pattern/expression_apply.hpp"

namespace gpumem::pattern {

namespace {

bool divides(Opcode op) { return op == Opcode::divide || op == Opcode::remainder; }

/// Returns the place in words, "column 5 of 'i * * 3'", in characters that any terminal and file takes. A long text is
/// cut to what is around the column. If its beginning is cut off, columns cannot be counted: "[here]" marks the place.
std::string column_in(std::string_view text, std::size_t column) {
  constexpr std::size_t longest = 60;
  std::string characters;
  for (const char c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if ((byte & 0xC0U) == 0x80U) continue;  // the rest of a UTF-8 character
    characters += byte < 0x20 || byte >= 0x7F ? '?' : c;
  }
  if (characters.size() <= longest) return fmt::format("column {} of '{}'", column, characters);
  const std::size_t before = column > longest / 2 ? column - longest / 2 : 0;
  const std::size_t first = std::min(before, characters.size() - longest);
  std::string shown = characters.substr(first, longest) + (first + longest < characters.size() ? "..." : "");
  if (first == 0) return fmt::format("column {} of '{}'", column, shown);
  shown.insert(column - 1 - first, "[here]");
  return fmt::format("column {}, [here] in '...{}'", column, shown);
}

}  // namespace

std::string expression_place(std::string_view option, std::string_view text, std::size_t column) {
  return fmt::format("--{}: {}: ", option, column_in(text, column));
}

void refuse_expression(std::string_view option, std::string_view text, std::size_t column, const std::string& problem) {
  throw usage_error(expression_place(option, text, column) + problem);
}

int operands(Opcode op) {
  if (op == Opcode::literal || op == Opcode::variable) return 0;
  if (op == Opcode::negate || op == Opcode::complement || op == Opcode::logical_not) return 1;
  return op == Opcode::choose ? 3 : 2;
}

bool Expression::uses(Variable variable) const {
  return std::ranges::any_of(code, [variable](const Instruction& instruction) {
    return instruction.op == Opcode::variable && instruction.value == static_cast<std::int64_t>(variable);
  });
}

std::optional<std::int64_t> ExpressionBuilder::known(std::uint16_t index) const {
  if (index == always || code_[index].op != Opcode::literal) return std::nullopt;
  return code_[index].value;
}

std::uint16_t ExpressionBuilder::add(const Instruction& instruction) {
  const Key key(instruction.op, instruction.a, instruction.b, instruction.c, instruction.value);
  const auto [place, is_new] = seen_.emplace(key, static_cast<std::uint16_t>(code_.size()));
  if (!is_new) return place->second;
  if (code_.size() + 1 == always) {  // more than `longest_text` characters can ask for
    refuse_expression(option_, text_, instruction.column, "the expression is too long from here on");
  }
  code_.push_back(instruction);
  return place->second;
}

std::uint16_t ExpressionBuilder::literal(std::int64_t value) { return add({.op = Opcode::literal, .value = value}); }

std::uint16_t ExpressionBuilder::variable(Variable variable, std::uint32_t column) {
  return add({.op = Opcode::variable, .value = static_cast<std::int64_t>(variable), .column = column});
}

std::uint16_t ExpressionBuilder::guarded(std::uint16_t guard, std::uint16_t condition, bool holds) {
  const std::uint16_t here = holds ? condition : operation(Opcode::logical_not, condition, 0, 0, 1);
  return guard == always ? here : operation(Opcode::logical_and, guard, here, 0, 1);
}

/// Simplifies a division. Returns the literal 0 if it is never carried out. Sets `guard` to `always` if it needs no
/// guard. Throws a usage error if it is always by zero.
std::optional<std::uint16_t> ExpressionBuilder::division(Opcode op, std::uint16_t b, std::uint16_t& guard,
                                                         std::uint32_t column) {
  const auto carried_out = known(guard);
  if (carried_out == 0) return literal(0);
  if (carried_out) guard = always;
  const auto divisor = known(b);
  if (!divisor) return std::nullopt;
  if (*divisor == 0 && guard == always) {
    refuse_expression(option_, text_, column,
                      fmt::format("'{}' is by zero, whatever the access", op == Opcode::divide ? '/' : '%'));
  }
  if (*divisor != 0) guard = always;
  return std::nullopt;
}

/// Returns a simpler instruction for && || ?: whose first operand is known: without the side that it does not take.
/// Otherwise nullopt.
std::optional<std::uint16_t> ExpressionBuilder::simplified(Opcode op, std::uint16_t a, std::uint16_t b,
                                                           std::uint16_t c) {
  const auto first = known(a);
  if (!first) return std::nullopt;
  if (op == Opcode::choose) return *first != 0 ? b : c;
  if (op == Opcode::logical_and && *first == 0) return literal(0);
  if (op == Opcode::logical_or && *first != 0) return literal(1);
  if (op == Opcode::logical_and || op == Opcode::logical_or) return operation(Opcode::not_equal, b, literal(0), 0, 1);
  return std::nullopt;
}

std::uint16_t ExpressionBuilder::operation(Opcode op, std::uint16_t a, std::uint16_t b, std::uint16_t c,
                                           std::uint32_t column) {
  if (const auto simpler = simplified(op, a, b, c)) return *simpler;
  if (divides(op)) {
    if (const auto value = division(op, b, c, column)) return *value;
  }
  const int count = operands(op);
  const auto of_a = known(a);
  const auto of_b = count > 1 ? known(b) : 0;
  const auto of_c = count > 2 ? known(c) : 0;
  const bool by_zero = divides(op) && of_b == 0;
  if (of_a && of_b && of_c && !by_zero) return literal(apply(op, *of_a, *of_b, *of_c));
  return add({.op = op, .a = a, .b = b, .c = c, .column = column});
}

Expression ExpressionBuilder::finish(std::uint16_t root) const {
  std::vector<bool> needed(code_.size(), false);
  needed[root] = true;
  std::size_t operations = 0;
  for (std::size_t k = root + std::size_t{1}; k-- > 0;) {
    if (!needed[k]) continue;
    const Instruction& instruction = code_[k];
    const int count = operands(instruction.op);
    if (count > 0) needed[instruction.a] = true;
    if (count > 1) needed[instruction.b] = true;
    if (count > 2 || (divides(instruction.op) && instruction.c != always)) needed[instruction.c] = true;
    if (count > 0 && ++operations > most_operations) {
      refuse_expression(option_, text_, instruction.column,
                        fmt::format("more than the {} operations an expression takes", most_operations));
    }
  }
  Expression expression{.option = option_, .text = text_, .code = {}};
  std::vector<std::uint16_t> moved(code_.size(), 0);
  for (std::size_t k = 0; k <= root; ++k) {
    if (!needed[k]) continue;
    Instruction instruction = code_[k];
    const int count = operands(instruction.op);
    instruction.a = count > 0 ? moved[instruction.a] : std::uint16_t{0};
    instruction.b = count > 1 ? moved[instruction.b] : std::uint16_t{0};
    if (count > 2 || (divides(instruction.op) && instruction.c != always)) instruction.c = moved[instruction.c];
    moved[k] = static_cast<std::uint16_t>(expression.code.size());
    expression.code.push_back(instruction);
  }
  return expression;
}

namespace {

/// The expression with `in_place_of(builder, variable, column)` in place of each variable.
template <class InPlaceOf>
Expression rewritten(const Expression& expression, const InPlaceOf& in_place_of) {
  ExpressionBuilder builder(expression.option, expression.text);
  std::vector<std::uint16_t> moved;
  for (const Instruction& instruction : expression.code) {
    const int count = operands(instruction.op);
    if (instruction.op == Opcode::literal) {
      moved.push_back(builder.literal(instruction.value));
    } else if (instruction.op == Opcode::variable) {
      moved.push_back(in_place_of(builder, static_cast<Variable>(instruction.value), instruction.column));
    } else {
      const bool has_c = count > 2 || (divides(instruction.op) && instruction.c != always);
      moved.push_back(builder.operation(instruction.op, moved[instruction.a],
                                        count > 1 ? moved[instruction.b] : std::uint16_t{0},
                                        has_c ? moved[instruction.c] : instruction.c, instruction.column));
    }
  }
  return builder.finish(moved.back());
}

}  // namespace

Expression with_accesses(const Expression& expression, std::int64_t n) {
  return rewritten(expression, [n](ExpressionBuilder& builder, Variable variable, std::uint32_t column) {
    return variable == Variable::n ? builder.literal(n) : builder.variable(variable, column);
  });
}

Expression of_access_alone(const Expression& expression, std::int64_t block_threads, std::int64_t block_accesses) {
  return rewritten(expression, [=](ExpressionBuilder& builder, Variable variable, std::uint32_t column) {
    const auto by = [&](Opcode op, std::uint16_t value, std::int64_t divisor) {
      return builder.operation(op, value, builder.literal(divisor), always, column);
    };
    const auto thread = [&] { return by(Opcode::remainder, builder.variable(Variable::i, column), block_threads); };
    constexpr std::int64_t of_warp = 32;
    switch (variable) {
      case Variable::lane:
        return by(Opcode::remainder, thread(), of_warp);
      case Variable::warp:
        return by(Opcode::divide, thread(), of_warp);
      case Variable::thread:
        return thread();
      case Variable::block:
        return by(Opcode::divide, builder.variable(Variable::i, column), block_accesses);
      case Variable::i:
      case Variable::n:
      case Variable::row:
      case Variable::column:
      case Variable::pitch:
        break;
    }
    return builder.variable(variable, column);
  });
}

Expression in_tile(const Expression& expression, std::int64_t columns, std::int64_t pitch) {
  return rewritten(expression, [=](ExpressionBuilder& builder, Variable variable, std::uint32_t column) {
    const auto by = [&](Opcode op) {
      return builder.operation(op, builder.variable(Variable::i, column), builder.literal(columns), always, column);
    };
    if (variable == Variable::row) return by(Opcode::divide);
    if (variable == Variable::column) return by(Opcode::remainder);
    return variable == Variable::pitch ? builder.literal(pitch) : builder.variable(variable, column);
  });
}

}  // namespace gpumem::pattern
