#pragma once
// The registers whose values are known, and the same in every thread of a launch.

#include <array>
#include <bitset>
#include <cstdint>
#include <optional>

#include "program/machine_code/operations.hpp"
#include "program/read/constant_bank.hpp"

namespace gpumem::program {

class KnownValues {
 public:
  [[nodiscard]] std::optional<std::uint32_t> thread(unsigned number) const;
  [[nodiscard]] std::optional<std::uint32_t> uniform(unsigned number) const;
  [[nodiscard]] std::optional<bool> predicate(const PredicateOperand& operand) const;
  /// Sets the predicate so that the operand, inverted or not, has this value; nullopt: it is not known any more.
  void set(const PredicateOperand& operand, std::optional<bool> value);

  /// Does what the instruction does. Results that cannot be told are not known any more.
  void run(const Computation& computation, const ConstantBank& bank);
  void forget() { *this = {}; }
  /// Forgets what the instruction may write.
  void lose(const Computation& computation);
  /// Keeps the values that are the same in both. Returns true if any was lost.
  bool keep_common(const KnownValues& other);

  friend bool operator==(const KnownValues&, const KnownValues&) = default;

 private:
  static constexpr unsigned threads = 256;
  static constexpr unsigned uniforms = 64;
  static constexpr unsigned predicates = 8;

  void write(unsigned place, std::optional<std::uint32_t> value);

  // Registers of threads, then uniform registers, then predicates of both kinds; 0 if the value is not known.
  std::array<std::uint32_t, threads + uniforms + 2 * predicates> values_ = {};
  std::bitset<threads + uniforms + 2 * predicates> known_ = {};
};

/// The values that an instruction would write.
struct Results {
  std::array<std::optional<std::uint32_t>, 2> words = {};  ///< of the destination's first registers
  std::array<std::optional<bool>, 2> predicates = {};
};
[[nodiscard]] Results results_of(const Computation& computation, const KnownValues& values, const ConstantBank& bank);

}  // namespace gpumem::program
