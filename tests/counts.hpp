#pragma once
// Counts of which a few are known.

#include <initializer_list>
#include <utility>

#include "engine/measure/counters.hpp"

namespace gpumem::test {

inline measure::Counts counts_of(std::initializer_list<std::pair<measure::CounterField::Value, double>> known) {
  measure::Counts counts;
  for (const auto& [field, value] : known) counts.*field = value;
  return counts;
}

}  // namespace gpumem::test
