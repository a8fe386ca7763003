#pragma once
// Decodes the instructions through which constants can be followed: integers, comparisons and logic. The encodings were
// found with nvdisasm, for compute capabilities 7.5 to 9.0.

#include <array>
#include <cstdint>

namespace gpumem::program {

/// The last register of each kind reads as zero, or as true, and keeps nothing.
inline constexpr unsigned zero_register = 255;
inline constexpr unsigned zero_uniform = 63;
inline constexpr unsigned true_predicate = 7;

enum class Operation : std::uint8_t {
  nothing,         ///< no register is written
  other,           ///< what it writes is not followed
  forget,          ///< whatever may be written
  leads_anywhere,  ///< control may go where the code does not say
  predicates,      ///< all predicates are written
  absolute,
  add,
  bytes,  ///< bytes of two words side by side
  choose,
  compare,
  compare_floats,
  copy,
  halves,  ///< two halves added to a product, which is how a constant may be loaded
  load_constant,
  logic,
  logic_of_predicates,
  minimum,
  multiply,
  multiply_high,
  multiply_wide,
  shift,
  shift_add,
  special  ///< reads a special register
};

/// A register or a constant that is read.
struct Operand {
  enum class Kind : std::uint8_t { immediate, thread, uniform, constant };
  Kind kind = Kind::immediate;
  bool minus = false;  ///< in additions, inverted instead where there is a carry
  bool absolute = false;
  std::uint32_t value = 0;  ///< the immediate, the register's number, or the offset in the bank
  unsigned bank = 0;
};

struct PredicateOperand {
  unsigned number = true_predicate;
  bool uniform = false;
  bool inverted = false;
};

/// A decoded instruction.
struct Computation {
  Operation operation = Operation::forget;
  bool uniform = false;             ///< the register that it writes is uniform for the warp
  bool uniform_predicates = false;  ///< and those predicates
  unsigned destination = zero_register;
  unsigned width = 0;  ///< registers that are written, from that one on
  std::array<unsigned, 2> destination_predicates = {true_predicate, true_predicate};
  PredicateOperand guard;  ///< without which nothing happens
  std::array<Operand, 3> operands = {};
  std::array<PredicateOperand, 3> predicates = {};
  bool is_signed = false;
  bool extended = false;  ///< with a carry, or for the upper words of a comparison
  bool high = false;      ///< the upper word of a shift
  bool right = false;     ///< of a shift
  bool wide = false;      ///< a shift of 64 bits
  bool wraps = false;     ///< a shift by no more bits than there are
  bool flushes = false;   ///< numbers too small to be normal are zeros
  bool all_true = false;  ///< predicates are combined with "and"
  unsigned code = 0;      ///< a comparison, a table of logic, bits to shift, a special register, a size, a mode
  unsigned combine = 0;   ///< of a comparison and a predicate: and, or, exclusive or
};

/// The condition of a branch or an end, which is taken if both predicates hold.
struct Condition {
  bool known = false;  ///< false: it depends on something else
  std::array<PredicateOperand, 2> predicates = {};
};

// Instructions of compute capability 7.x to 9.x: `low` and `high` words of 64 bits.
[[nodiscard]] Condition condition_of(std::uint64_t low, std::uint64_t high);
[[nodiscard]] Computation computation_of(std::uint64_t low, std::uint64_t high);

}  // namespace gpumem::program
