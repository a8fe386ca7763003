#pragma once
// The operands of an instruction, as far as their values are known.

#include <cstdint>
#include <optional>
#include <utility>

#include "program/machine_code/known_values.hpp"

namespace gpumem::program {

/// Reads the operands of a computation. Its instructions have to outlive it. A value that is not known is absent.
class OperandValues {
 public:
  using Word = std::optional<std::uint32_t>;
  using Truth = std::optional<bool>;

  OperandValues(const Computation& computation, const KnownValues& values, const ConstantBank& bank)
      : c_(computation), values_(values), bank_(bank) {}

  /// The value of an operand before it is negated.
  [[nodiscard]] Word unsigned_value(const Operand& operand) const;
  /// The value of an operand without a sign; nullopt if it has one.
  [[nodiscard]] Word plain(unsigned which) const;
  /// The value of an operand that may be subtracted: negated then, or only inverted if there is a carry.
  [[nodiscard]] std::optional<std::uint64_t> term(unsigned which) const;
  [[nodiscard]] std::optional<std::uint64_t> carry(unsigned which) const;
  /// The least and the most that an operand can be.
  [[nodiscard]] std::pair<std::int64_t, std::int64_t> range(unsigned which) const;
  [[nodiscard]] std::optional<float> float_value(unsigned which) const;

 protected:
  const Computation& c_;
  const KnownValues& values_;
  const ConstantBank& bank_;
};

}  // namespace gpumem::program
