#pragma once
// Builds the instructions of an expression. Operations whose operands are known are evaluated, and equal operations
// share one instruction.

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

class ExpressionBuilder {
 public:
  ExpressionBuilder(std::string_view option, std::string_view text) : option_(option), text_(text) {}

  [[nodiscard]] std::uint16_t literal(std::int64_t value);
  [[nodiscard]] std::uint16_t variable(Variable variable, std::uint32_t column);
  /// Operands that an operation does not have are 0. Throws a usage error for division by a literal zero that counts.
  [[nodiscard]] std::uint16_t operation(Opcode op, std::uint16_t a, std::uint16_t b, std::uint16_t c,
                                        std::uint32_t column);
  /// Returns a guard that holds where `guard` and `condition` hold. If `holds` is false: where `guard` holds and
  /// `condition` fails.
  [[nodiscard]] std::uint16_t guarded(std::uint16_t guard, std::uint16_t condition, bool holds);
  /// The value of an instruction that is the same for all accesses.
  [[nodiscard]] std::optional<std::int64_t> known(std::uint16_t index) const;

  /// The instructions that `root` needs. Throws a usage error if they are more than `most_operations`.
  [[nodiscard]] Expression finish(std::uint16_t root) const;

 private:
  using Key = std::tuple<Opcode, std::uint16_t, std::uint16_t, std::uint16_t, std::int64_t>;

  [[nodiscard]] std::uint16_t add(const Instruction& instruction);
  [[nodiscard]] std::optional<std::uint16_t> division(Opcode op, std::uint16_t b, std::uint16_t& guard,
                                                      std::uint32_t column);
  [[nodiscard]] std::optional<std::uint16_t> simplified(Opcode op, std::uint16_t a, std::uint16_t b, std::uint16_t c);

  std::string option_;
  std::string text_;
  std::vector<Instruction> code_;
  std::map<Key, std::uint16_t> seen_;
};

/// The number of operands of an operation, without a division's guard.
[[nodiscard]] int operands(Opcode op);

}  // namespace gpumem::pattern
