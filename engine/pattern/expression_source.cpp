#include "engine/pattern/expression_source.hpp"

#include <fmt/format.h>

#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_builder.hpp"
#include "engine/pattern/expression_functions.hpp"

namespace gpumem::pattern {

namespace {

struct Form {
  Opcode op;
  std::string_view before;
  std::string_view between = ", ";
};

/// The text of operations: a function where C leaves something undefined, and always of type `long long`.
constexpr Form forms[] = {
    {Opcode::negate, "gpumem_negate("},
    {Opcode::complement, "(~"},
    {Opcode::logical_not, "(long long)(!"},
    {Opcode::add, "gpumem_add("},
    {Opcode::subtract, "gpumem_subtract("},
    {Opcode::multiply, "gpumem_multiply("},
    {Opcode::divide, "gpumem_divide("},
    {Opcode::remainder, "gpumem_remainder("},
    {Opcode::shift_left, "gpumem_shift_left("},
    {Opcode::shift_right, "gpumem_shift_right("},
    {Opcode::bit_and, "(", " & "},
    {Opcode::bit_or, "(", " | "},
    {Opcode::bit_xor, "(", " ^ "},
    {Opcode::less, "(long long)(", " < "},
    {Opcode::less_equal, "(long long)(", " <= "},
    {Opcode::equal, "(long long)(", " == "},
    {Opcode::not_equal, "(long long)(", " != "},
    {Opcode::logical_and, "(long long)(", " && "},
    {Opcode::logical_or, "(long long)(", " || "},
    {Opcode::minimum, "gpumem_minimum("},
    {Opcode::maximum, "gpumem_maximum("},
};

std::string literal(std::int64_t value) {
  if (value == std::numeric_limits<std::int64_t>::min()) return "(-9223372036854775807LL - 1)";
  return value < 0 ? fmt::format("({}LL)", value) : fmt::format("{}LL", value);
}

/// Writes the tree below an instruction. A shared instruction is written each time, because compilers find such
/// repetitions.
class SourceWriter {
 public:
  SourceWriter(const std::vector<Instruction>& code, std::int64_t most_accesses)
      : code_(code), bounds_(bounds_of(code, bounds_of_launch(most_accesses))) {}

  void write(std::size_t k) {
    const Instruction& instruction = code_[k];
    if (instruction.op == Opcode::literal) {
      text_ += literal(instruction.value);
    } else if (instruction.op == Opcode::variable) {
      text_ += name_of(static_cast<Variable>(instruction.value));
    } else if (instruction.op == Opcode::choose) {
      write("(", instruction.a, " ? ", instruction.b, " : ");
      write(instruction.c);
      text_ += ')';
    } else if (plain_division(instruction)) {
      write_division(instruction);
    } else {
      write_form(instruction);
    }
  }

  [[nodiscard]] std::string take() { return std::move(text_); }

 private:
  void write(std::string_view before, std::size_t a, std::string_view between, std::size_t b, std::string_view after) {
    text_ += before;
    write(a);
    text_ += between;
    write(b);
    text_ += after;
  }

  void write_form(const Instruction& instruction) {
    for (const Form& form : forms) {
      if (form.op != instruction.op) continue;
      if (operands(instruction.op) == 2) return write(form.before, instruction.a, form.between, instruction.b, ")");
      text_ += form.before;
      write(instruction.a);
      text_ += ')';
    }
  }

  /// True for a division that is neither by zero nor by -1, which may overflow.
  [[nodiscard]] bool plain_division(const Instruction& division) const {
    if (division.op != Opcode::divide && division.op != Opcode::remainder) return false;
    return bounds_[division.b].never_zero() && !bounds_[division.b].contains(-1);
  }

  void write_division(const Instruction& division) {
    const std::string_view sign = division.op == Opcode::divide ? " / " : " % ";
    if (bounds_[division.a].low < 0 || bounds_[division.b].low < 0)
      return write("(", division.a, sign, division.b, ")");
    constexpr std::string_view cast = "(unsigned long long)";
    write(fmt::format("(long long)({}", cast), division.a, fmt::format("{}{}", sign, cast), division.b, ")");
  }

  const std::vector<Instruction>& code_;
  std::vector<Bounds> bounds_;
  std::string text_;
};

}  // namespace

std::string c_expression(const Expression& expression, std::int64_t most_accesses) {
  SourceWriter writer(expression.code, most_accesses);
  writer.write(expression.code.size() - 1);
  return writer.take();
}

// Two macros, for the functions are to be replaced before they become text.
#define GPUMEM_TEXT_OF(...) #__VA_ARGS__
#define GPUMEM_EXPANDED_TEXT_OF(...) GPUMEM_TEXT_OF(__VA_ARGS__)

std::string expression_functions(const std::string& qualifiers) {
  std::string text = GPUMEM_EXPANDED_TEXT_OF(GPUMEM_EXPRESSION_FUNCTIONS(QUALIFIERS));
  constexpr std::string_view placeholder = "QUALIFIERS";
  for (std::size_t at = text.find(placeholder); at != std::string::npos; at = text.find(placeholder, at)) {
    text.replace(at, placeholder.size(), qualifiers);
    at += qualifiers.size();
  }
  return text + "\n";
}

}  // namespace gpumem::pattern
