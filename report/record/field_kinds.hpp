#pragma once
// What members of a report's JSON may be besides values of their type, for the lists in fields.hpp.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probes/fact.hpp"

namespace gpumem::report {

/// Of quantities that cannot be zero, texts that cannot be empty: those stand for what is not known.
template <class T>
struct Known {
  T& value;
};
template <class T>
[[nodiscard]] Known<T> known(T& value) {
  return {value};
}

/// A number that may be negative: a place in time, or what a probe makes of its readings. Any other is an amount.
template <class T>
struct Signed {
  T& value;
};
template <class T>
[[nodiscard]] Signed<T> either_sign(T& value) {
  return {value};
}

/// The values of a fact, which are three objects: what they are, what the model says of them, and their units, which
/// follow from the names.
struct FactItems {
  std::vector<FactValue>& values;
};
struct FactPredictions {
  std::vector<FactValue>& values;
};
struct FactUnits {
  const std::vector<FactValue>& values;
};

/// Members that stand in an object of their own.
template <class Archive, std::invocable<Archive&> Members>
void fields(Archive& archive, Members& members) {
  members(archive);
}

/// Numbers by names that only the report knows.
using NamedValues = std::vector<std::pair<std::string, std::optional<double>>>;
using NamedCounts = std::vector<std::pair<std::string, std::uint64_t>>;

}  // namespace gpumem::report
