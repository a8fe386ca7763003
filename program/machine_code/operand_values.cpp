#include "program/machine_code/operand_values.hpp"

#include <bit>
#include <cmath>
#include <limits>

namespace gpumem::program {

OperandValues::Word OperandValues::unsigned_value(const Operand& operand) const {
  switch (operand.kind) {
    case Operand::Kind::immediate:
      return operand.value;
    case Operand::Kind::thread:
      return values_.thread(operand.value);
    case Operand::Kind::uniform:
      return values_.uniform(operand.value);
    case Operand::Kind::constant:
      return operand.bank == 0 ? bank_.value(operand.value, sizeof(std::uint32_t)) : std::nullopt;
  }
  return std::nullopt;
}

OperandValues::Word OperandValues::plain(unsigned which) const {
  const Operand& operand = c_.operands[which];
  return operand.minus || operand.absolute ? std::nullopt : unsigned_value(operand);
}

std::optional<std::uint64_t> OperandValues::term(unsigned which) const {
  const Operand& operand = c_.operands[which];
  const Word word = operand.absolute ? std::nullopt : unsigned_value(operand);
  if (!word) return std::nullopt;
  if (!operand.minus) return *word;
  return std::uint64_t{~*word} + (c_.extended ? 0 : 1);
}

std::optional<std::uint64_t> OperandValues::carry(unsigned which) const {
  if (!c_.extended) return 0;
  const Truth carried = values_.predicate(c_.predicates[which]);
  return carried ? std::optional<std::uint64_t>(*carried ? 1 : 0) : std::nullopt;
}

std::pair<std::int64_t, std::int64_t> OperandValues::range(unsigned which) const {
  using Limits = std::numeric_limits<std::int32_t>;
  const Word word = plain(which);
  if (!word && c_.is_signed) return {Limits::min(), Limits::max()};
  if (!word) return {0, std::numeric_limits<std::uint32_t>::max()};
  const std::int64_t value = c_.is_signed ? std::int64_t{static_cast<std::int32_t>(*word)} : std::int64_t{*word};
  return {value, value};
}

std::optional<float> OperandValues::float_value(unsigned which) const {
  const Operand& operand = c_.operands[which];
  const Word word = unsigned_value(operand);
  if (!word) return std::nullopt;
  auto value = std::bit_cast<float>(*word);
  if (c_.flushes && std::fpclassify(value) == FP_SUBNORMAL) value = std::copysign(0.0F, value);
  if (operand.absolute) value = std::fabs(value);
  return operand.minus ? -value : value;
}

}  // namespace gpumem::program
