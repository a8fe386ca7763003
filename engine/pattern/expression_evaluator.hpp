#pragma once
// Evaluates an expression for the threads of a warp at once.

#include <array>
#include <cstdint>
#include <vector>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

inline constexpr std::size_t lanes = 32;
using WarpValues = std::array<std::int64_t, lanes>;

/// The accesses of a warp's threads, and the place of the warp in its launch.
struct WarpAccesses {
  WarpValues i{};                      ///< the access of each lane
  std::uint32_t active = 0xFFFFFFFFU;  ///< lanes that take part; of the others neither `i` nor the value matters
  std::int64_t warp = 0;               ///< in its block
  std::int64_t block = 0;
};

/// Accesses `first`, `first` + 1, ... of `count` lanes, at most 32.
[[nodiscard]] WarpAccesses consecutive(std::int64_t first, std::size_t count = lanes);
/// The same for a warp that stays in its place: copying it would take a good part of the time of a short expression.
void set_consecutive(WarpAccesses& at, std::int64_t first, std::size_t count);

/// Carries out an operation for each lane.
using LaneOperation = void (*)(const WarpValues& a, const WarpValues& b, const WarpValues& c, WarpValues& result);

/// Values are 64-bit, as expression_functions.hpp says. One evaluator is for one host thread: it owns what it works in,
/// 256 bytes for each operation. `gpumem_expression_benchmark "(i % 4096) * 4096 + i / 4096"`: 3 to 6 ns a value on a
/// core of an AMD EPYC that was busy with other work as well.
class Evaluator {
 public:
  /// For a launch of `n` accesses. Throws as with_accesses().
  Evaluator(const Expression& expression, std::int64_t n);

  /// The value of each lane, valid until the next call. Throws a usage error for division by zero in an active lane,
  /// with its column and access, unless && || ?: pass that division by.
  [[nodiscard]] const WarpValues& operator()(const WarpAccesses& at);

 private:
  /// A faster way to carry out a step than by its operation for each lane; `none` if there is none.
  enum class Shortcut : std::uint8_t { none, by_power_of_two, by_literal };
  struct Step {
    Instruction instruction;
    LaneOperation operation = nullptr;
    std::uint16_t result = 0;
    Shortcut shortcut = Shortcut::none;
    bool may_divide_by_zero = false;
    std::uint64_t magnitude = 0;   ///< of a literal divisor
    std::uint64_t multiplier = 0;  ///< of a division by a literal, see Evaluator::shorten
    unsigned shift = 0;
    std::uint32_t small_multiplier = 0;  ///< the same for values from 0 to 2^31 - 1; 0: none
  };

  static void shorten(Step& step, std::int64_t divisor);
  void fill(const Step& step, const WarpAccesses& at);
  void carry_out(const Step& step);
  void divide(const Step& step, const WarpAccesses& at);
  [[nodiscard]] bool divide_small(const Step& step);

  Expression expression_;
  std::vector<Step> steps_;         ///< all but literals, whose values stay
  std::vector<WarpValues> values_;  ///< of each instruction
};

}  // namespace gpumem::pattern
