#include "program/machine_code/known_values.hpp"

#include <type_traits>

namespace gpumem::program {

std::optional<std::uint32_t> KnownValues::thread(unsigned number) const {
  if (number == zero_register) return 0;
  return known_[number] ? std::optional(values_[number]) : std::nullopt;
}

std::optional<std::uint32_t> KnownValues::uniform(unsigned number) const {
  if (number == zero_uniform) return 0;
  return known_[threads + number] ? std::optional(values_[threads + number]) : std::nullopt;
}

std::optional<bool> KnownValues::predicate(const PredicateOperand& operand) const {
  if (operand.number == true_predicate) return !operand.inverted;
  const unsigned place = threads + uniforms + (operand.uniform ? predicates : 0) + operand.number;
  if (!known_[place]) return std::nullopt;
  return (values_[place] != 0) != operand.inverted;
}

void KnownValues::set(const PredicateOperand& operand, std::optional<bool> value) {
  if (operand.number == true_predicate) return;
  const unsigned place = threads + uniforms + (operand.uniform ? predicates : 0) + operand.number;
  write(place, value ? std::optional<std::uint32_t>(*value != operand.inverted ? 1 : 0) : std::nullopt);
}

void KnownValues::write(unsigned place, std::optional<std::uint32_t> value) {
  values_[place] = value.value_or(0);
  known_[place] = value.has_value();
}

void KnownValues::run(const Computation& computation, const ConstantBank& bank) {
  if (computation.operation == Operation::nothing) return;
  const std::optional<bool> runs = predicate(computation.guard);
  if (runs == false) return;
  if (computation.operation == Operation::forget) return forget();
  if (computation.operation == Operation::predicates) {
    for (unsigned i = 0; i < true_predicate; ++i) set({.number = i}, std::nullopt);
    return;
  }
  const Results results = results_of(computation, *this, bank);
  // If it is not known that the instruction runs, a value stays known only if it would be the same either way.
  const auto either = [&](const auto& before, const auto& after) {
    return runs || before == after ? after : std::remove_cvref_t<decltype(after)>();
  };
  const unsigned last = computation.uniform ? zero_uniform : zero_register;
  for (unsigned i = 0; i < computation.width && computation.destination + i < last; ++i) {
    const unsigned number = computation.destination + i;
    const auto after = i < results.words.size() ? results.words[i] : std::nullopt;
    const auto before = computation.uniform ? uniform(number) : thread(number);
    write((computation.uniform ? threads : 0) + number, either(before, after));
  }
  for (unsigned i = 0; i < results.predicates.size(); ++i) {
    const PredicateOperand to{.number = computation.destination_predicates[i],
                              .uniform = computation.uniform_predicates};
    if (to.number != true_predicate) set(to, either(predicate(to), results.predicates[i]));
  }
}

void KnownValues::lose(const Computation& computation) {
  if (computation.operation == Operation::nothing) return;
  if (computation.operation == Operation::forget || computation.operation == Operation::leads_anywhere) return forget();
  if (computation.operation == Operation::predicates) {
    for (unsigned i = 0; i < true_predicate; ++i) set({.number = i}, std::nullopt);
    return;
  }
  const unsigned last = computation.uniform ? zero_uniform : zero_register;
  for (unsigned i = 0; i < computation.width && computation.destination + i < last; ++i) {
    write((computation.uniform ? threads : 0) + computation.destination + i, std::nullopt);
  }
  for (const unsigned number : computation.destination_predicates) {
    set({.number = number, .uniform = computation.uniform_predicates}, std::nullopt);
  }
}

bool KnownValues::keep_common(const KnownValues& other) {
  bool lost = false;
  for (unsigned i = 0; i < values_.size(); ++i) {
    if (!known_[i] || (other.known_[i] && other.values_[i] == values_[i])) continue;
    write(i, std::nullopt);
    lost = true;
  }
  return lost;
}

}  // namespace gpumem::program
