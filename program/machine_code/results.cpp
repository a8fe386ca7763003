// Evaluates instructions whose registers are known.

#include <algorithm>
#include <cmath>

#include "program/machine_code/operand_values.hpp"

namespace gpumem::program {

namespace {

using Word = OperandValues::Word;
using Truth = OperandValues::Truth;

Truth both(Truth a, Truth b) {
  if (a == false || b == false) return false;
  return a && b ? Truth(true) : std::nullopt;
}
Truth no(Truth a) { return a ? Truth(!*a) : std::nullopt; }
Truth any(Truth a, Truth b) { return no(both(no(a), no(b))); }

class Evaluation : OperandValues {
 public:
  using OperandValues::OperandValues;

  [[nodiscard]] Results results() const {
    switch (c_.operation) {
      case Operation::absolute:
        return {{map(plain(1), [](std::uint32_t x) { return x >> 31U != 0 ? 0 - x : x; })}};
      case Operation::add:
        return sum();
      case Operation::bytes:
        return {{permuted()}};
      case Operation::choose:
        return {{chosen()}};
      case Operation::compare:
        return {.predicates = combined(compared())};
      case Operation::compare_floats:
        return {.predicates = combined(compared_floats())};
      case Operation::copy:
        return {{c_.code == 0xf ? plain(1) : std::nullopt}};
      case Operation::halves:
        return {{halves()}};
      case Operation::load_constant:
        return loaded();
      case Operation::logic:
        return logic();
      case Operation::logic_of_predicates:
        return {.predicates = {logic_of_predicates(c_.code), logic_of_predicates(c_.combine)}};
      case Operation::minimum:
        return {{minimum()}};
      case Operation::multiply:
        return {{multiplied()}};
      case Operation::multiply_high:
        return {{multiplied_wide()[1]}};
      case Operation::multiply_wide:
        return {.words = multiplied_wide()};
      case Operation::shift:
        return {{shifted()}};
      case Operation::shift_add:
        return shifted_sum();
      case Operation::special:
        return special();
      default:
        return {};
    }
  }

 private:
  template <class Function>
  static Word map(Word word, Function function) {
    return word ? Word(function(*word)) : std::nullopt;
  }

  [[nodiscard]] Results sum() const {
    std::uint64_t all = 0;
    for (const auto& part : {term(0), term(1), term(2), carry(0), carry(1)}) {
      if (!part) return {};
      all += *part;
    }
    Results results{{static_cast<std::uint32_t>(all)}};
    // If there are two carries and one is set, it is not known which.
    const std::uint64_t carried = all >> 32U;
    const bool two = c_.destination_predicates[1] != true_predicate;
    if (carried == 0 || carried == 2 || !two) results.predicates = {carried != 0, carried != 0};
    if (carried > 1 && !two) results.predicates = {};
    return results;
  }

  /// Four bits choose each byte of the result: one of eight bytes, or eight copies of that byte's sign.
  [[nodiscard]] Word permuted() const {
    const Word selection = plain(1);
    if (!selection || c_.code != 0) return std::nullopt;
    std::uint32_t result = 0;
    for (unsigned i = 0; i < 4; ++i) {
      const std::uint32_t selector = *selection >> 4 * i & 0xf;
      const Word word = plain((selector & 4) == 0 ? 0 : 2);
      if (!word) return std::nullopt;
      std::uint32_t byte = *word >> 8 * (selector & 3) & 0xff;
      if ((selector & 8) != 0) byte = (byte & 0x80) != 0 ? 0xff : 0;
      result |= byte << 8 * i;
    }
    return result;
  }

  [[nodiscard]] Word chosen() const {
    const Truth first = values_.predicate(c_.predicates[0]);
    if (first) return plain(*first ? 0 : 1);
    return plain(0) == plain(1) ? plain(0) : std::nullopt;
  }

  [[nodiscard]] Truth compared() const {
    const auto [least, most] = range(0);
    const auto [other_least, other_most] = range(1);
    const Truth less = most < other_least ? Truth(true) : least >= other_most ? Truth(false) : std::nullopt;
    const Truth greater = least > other_most ? Truth(true) : most <= other_least ? Truth(false) : std::nullopt;
    const Truth equal = less == true || greater == true     ? Truth(false)
                        : less == false && greater == false ? Truth(true)
                                                            : std::nullopt;
    // If the upper words differ, they decide. Otherwise the lower words do, which were compared before.
    const Truth lower = c_.extended ? values_.predicate(c_.predicates[1]) : Truth();
    const auto or_equal = [&](Truth strictly, bool without) {
      return any(strictly, both(equal, c_.extended ? lower : Truth(without)));
    };
    switch (c_.code) {
      case 0:
        return false;
      case 1:
        return or_equal(less, false);
      case 2:
        return or_equal(false, true);
      case 3:
        return or_equal(less, true);
      case 4:
        return or_equal(greater, false);
      case 5:
        return or_equal(no(equal), false);
      case 6:
        return or_equal(greater, true);
      default:
        return true;
    }
  }

  [[nodiscard]] Truth compared_floats() const {
    const auto a = float_value(0);
    const auto b = float_value(1);
    if (!a || !b) return std::nullopt;
    // One bit each: less, equal, greater, unordered.
    const unsigned is = std::isnan(*a) || std::isnan(*b) ? 8U : *a < *b ? 1U : *a == *b ? 2U : 4U;
    return (c_.code & is) != 0;
  }

  [[nodiscard]] std::array<Truth, 2> combined(Truth compared) const {
    const Truth other = values_.predicate(c_.predicates[0]);
    const auto with = [&](Truth value) -> Truth {
      if (c_.combine == 0) return both(value, other);
      if (c_.combine == 1) return any(value, other);
      return c_.combine == 2 && value && other ? Truth(*value != *other) : std::nullopt;
    };
    return {with(compared), with(no(compared))};
  }

  [[nodiscard]] Word halves() const {
    const auto is_zero = [](const Operand& operand) {
      return operand.kind == Operand::Kind::thread && operand.value == zero_register;
    };
    const bool only = c_.code == 1 && is_zero(c_.operands[0]) && is_zero(c_.operands[1]);
    return only && c_.operands[2].kind == Operand::Kind::immediate ? Word(c_.operands[2].value) : std::nullopt;
  }

  [[nodiscard]] Results loaded() const {
    const Operand& place = c_.operands[1];
    const Word index = unsigned_value(c_.operands[0]);
    constexpr std::uint32_t negative = 0x8000;
    if (!index || place.bank != 0 || c_.high || (*index != 0 && place.value >= negative)) return {};
    const std::uint64_t at = std::uint64_t{*index} + place.value;
    const auto extended = [](Word word, unsigned bits) {
      return map(word, [=](std::uint32_t value) {
        const std::uint32_t sign = 1U << (bits - 1);
        return (value ^ sign) - sign;
      });
    };
    switch (c_.code) {
      case 0:
        return {{bank_.value(at, 1)}};
      case 1:
        return {{extended(bank_.value(at, 1), 8)}};
      case 2:
        return {{bank_.value(at, 2)}};
      case 3:
        return {{extended(bank_.value(at, 2), 16)}};
      case 4:
        return {{bank_.value(at, 4)}};
      case 5:
        return {{bank_.value(at, 4), bank_.value(at + 4, 4)}};
      default:
        return {};
    }
  }

  /// The result is known if it is the same whatever the unknown operands hold.
  [[nodiscard]] Results logic() const {
    std::uint32_t can_be_set = 0;
    std::uint32_t can_be_clear = 0;
    for (unsigned row = 0; row < 8; ++row) {
      std::uint32_t possible = ~0U;
      for (unsigned i = 0; i < 3; ++i) {
        const Word word = plain(i);
        if (word) possible &= (row & 4U >> i) != 0 ? *word : ~*word;
      }
      ((c_.code >> row & 1) != 0 ? can_be_set : can_be_clear) |= possible;
    }
    Results results;
    if ((can_be_set & can_be_clear) == 0) results.words[0] = can_be_set;
    const Truth is_any = can_be_set == 0 ? Truth(false) : can_be_clear != ~0U ? Truth(true) : std::nullopt;
    const Truth other = values_.predicate(c_.predicates[0]);
    results.predicates[0] = c_.all_true ? both(is_any, other) : any(is_any, other);
    return results;
  }

  [[nodiscard]] Truth logic_of_predicates(unsigned table) const {
    bool can_be_true = false;
    bool can_be_false = false;
    for (unsigned row = 0; row < 8; ++row) {
      bool possible = true;
      for (unsigned i = 0; i < 3; ++i) {
        const Truth truth = values_.predicate(c_.predicates[i]);
        possible = possible && (!truth || *truth == ((row & 4U >> i) != 0));
      }
      if (possible) ((table >> row & 1) != 0 ? can_be_true : can_be_false) = true;
    }
    return can_be_true && can_be_false ? std::nullopt : Truth(can_be_true);
  }

  [[nodiscard]] Word minimum() const {
    const Word a = plain(0);
    const Word b = plain(1);
    const Truth least = values_.predicate(c_.predicates[0]);
    if (!least || c_.code != 0) return std::nullopt;
    if (!c_.is_signed && *least && (a == 0U || b == 0U)) return 0;
    if (!a || !b) return std::nullopt;
    const bool less = c_.is_signed ? static_cast<std::int32_t>(*a) < static_cast<std::int32_t>(*b) : *a < *b;
    return less == *least ? a : b;
  }

  /// The product of the first two operands. It is not known if one of them is not, unless the other is 0.
  [[nodiscard]] std::optional<std::uint64_t> product() const {
    const Word a = plain(0);
    const Word b = plain(1);
    if (a == 0U || b == 0U) return 0;
    if (!a || !b) return std::nullopt;
    if (!c_.is_signed) return std::uint64_t{*a} * *b;
    return static_cast<std::uint64_t>(std::int64_t{static_cast<std::int32_t>(*a)} * static_cast<std::int32_t>(*b));
  }

  [[nodiscard]] Word multiplied() const {
    const auto times = product();
    const auto more = term(2);
    const auto carried = carry(0);
    if (!times || !more || !carried) return std::nullopt;
    return static_cast<std::uint32_t>(*times + *more + *carried);
  }

  [[nodiscard]] std::array<Word, 2> multiplied_wide() const {
    const auto times = product();
    const auto carried = carry(0);
    const Operand& more = c_.operands[2];
    Operand upper = more;
    if (more.kind == Operand::Kind::constant) {
      upper.value += sizeof(std::uint32_t);
    } else if (more.value != (more.kind == Operand::Kind::uniform ? zero_uniform : zero_register)) {
      ++upper.value;
    }
    if (!times || !carried || more.minus || more.absolute || more.kind == Operand::Kind::immediate) return {};
    const Word low = unsigned_value(more);
    const Word high = unsigned_value(upper);
    if (!low) return {};
    const std::uint64_t sum = *times + (std::uint64_t{high.value_or(0)} << 32U | *low) + *carried;
    return {static_cast<std::uint32_t>(sum), high ? Word(static_cast<std::uint32_t>(sum >> 32U)) : std::nullopt};
  }

  /// Shifts two words side by side; the third operand is the upper one.
  [[nodiscard]] Word shifted() const {
    Word by = plain(1);
    if (!by) return std::nullopt;
    const std::uint32_t bits = c_.wide ? 64 : 32;
    if (c_.wraps) by = *by % bits;
    if (c_.wide && *by >= bits) return std::nullopt;
    const std::uint32_t distance = std::min(*by, bits);
    const Word low = plain(0);
    const Word high = plain(2);
    const bool needs_low = !c_.right || !c_.high;
    const bool needs_high = c_.right || c_.high;
    if ((needs_low && !low) || (needs_high && !high)) return std::nullopt;
    std::uint64_t value = std::uint64_t{high.value_or(0)} << 32U | low.value_or(0);
    if (!c_.right) {
      value <<= distance;
    } else if (c_.is_signed) {
      value = static_cast<std::uint64_t>(static_cast<std::int64_t>(value) >> distance);
    } else {
      value >>= distance;
    }
    return static_cast<std::uint32_t>(c_.high ? value >> 32U : value);
  }

  [[nodiscard]] Results shifted_sum() const {
    const Operand& operand = c_.operands[0];
    const Word low = unsigned_value(operand);
    const auto more = term(1);
    const auto carried = carry(0);
    if (!low || !more || !carried || operand.absolute || (operand.minus && (c_.high || c_.extended))) return {};
    std::uint64_t value = *low;
    if (c_.high) {
      const std::uint32_t sign = (*low >> 31U) != 0 ? ~0U : 0U;
      const Word high = plain(2);
      if (!c_.is_signed && !high) return {};
      value = (value | std::uint64_t{c_.is_signed ? sign : *high} << 32U) << c_.code >> 32U;
    } else {
      value = static_cast<std::uint32_t>(value << c_.code);
    }
    const bool subtracts = operand.minus || c_.operands[1].minus;
    if (operand.minus) value = 0 - value;
    const std::uint64_t all = value + *more + *carried;
    Results results{{static_cast<std::uint32_t>(all)}};
    if (!c_.high && !subtracts) results.predicates[0] = all >> 32U != 0;
    return results;
  }

  [[nodiscard]] Results special() const {
    constexpr unsigned thread_x = 0x21;
    constexpr unsigned block_x = 0x25;
    constexpr unsigned zero = 0xff;
    if (c_.code == zero) return {{0U, c_.wide ? Word(0) : std::nullopt}};
    const auto is_only = [&](unsigned first, const std::array<std::uint32_t, 3>& of) {
      return c_.code >= first && c_.code < first + of.size() && of[c_.code - first] == 1;
    };
    if (const auto& place = bank_.launch().place) {
      if (c_.code >= thread_x && c_.code < thread_x + place->thread.size())
        return {{place->thread[c_.code - thread_x]}};
      if (c_.code >= block_x && c_.code < block_x + place->block.size()) return {{place->block[c_.code - block_x]}};
    }
    if (is_only(thread_x, bank_.launch().block) || is_only(block_x, bank_.launch().grid)) return {{0U}};
    return {};
  }
};

}  // namespace

Results results_of(const Computation& computation, const KnownValues& values, const ConstantBank& bank) {
  return Evaluation(computation, values, bank).results();
}

}  // namespace gpumem::program
