#pragma once
// Kinds of members in a report's JSON other than plain values, for the lists in fields.hpp.

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "probes/fact.hpp"

namespace gpumem::report {

/// A quantity that cannot be zero, or a text that cannot be empty: zero and empty mean that it is not known, and are
/// null.
template <class T>
struct NullIfUnknown {
  T& value;
};
template <class T>
[[nodiscard]] NullIfUnknown<T> known(T& value) {
  return {value};
}

/// A number that may be negative: a point in time, or a number that a probe makes of its readings. All other numbers
/// are amounts.
template <class T>
struct Signed {
  T& value;
};
template <class T>
[[nodiscard]] Signed<T> either_sign(T& value) {
  return {value};
}

/// The values of a fact, as three objects: the values themselves, the model's predictions of them, and their units,
/// which follow from the names.
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
