#pragma once
// Facts: what several cases of a probe show together, as data. Each brings the template of the sentence that says it
// (report/explain/say.hpp fills it in), so that a probe's file needs no formatting of its own.

#include <array>
#include <concepts>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

namespace gpumem {

enum class FactKind {
  fastest,       ///< what is best
  as_fast_as,    ///< what does not differ
  costs,         ///< how much worse something is, or what it takes
  pays_from,     ///< from which size or number on something is better
  saturates_at,  ///< which size or number suffices for nearly the best
  fit,           ///< numbers fitted to readings
  capacity,      ///< what a memory holds, or keeps together
  limit          ///< what holds a rate down
};
inline constexpr std::array<std::string_view, 8> fact_kind_names = {
    "fastest", "as_fast_as", "costs", "pays_from", "saturates_at", "fit", "capacity", "limit"};
[[nodiscard]] constexpr std::string_view to_string(FactKind kind) {
  return fact_kind_names.at(static_cast<std::size_t>(kind));
}

/// The value for a place in a fact's sentence: numbers or words. The name ends in the unit, as a quantity's does
/// ("rate_gb_per_s"), or in "ratio", which is said as "2.05 x".
struct FactValue {
  using Item = std::variant<double, std::string>;

  std::string name;
  std::vector<Item> items;
  bool is_list = false;                  ///< any number of items, also one: a list for those who read the JSON
  std::optional<double> predicted = {};  ///< what the model says of a number alone

  FactValue(std::string place, double number, std::optional<double> of_model = {})
      : name(std::move(place)), items{number}, predicted(of_model) {}
  FactValue(std::string place, std::integral auto number) : FactValue(std::move(place), static_cast<double>(number)) {}
  FactValue(std::string place, std::string words) : name(std::move(place)), items{std::move(words)} {}
  FactValue(std::string place, std::string_view words) : FactValue(std::move(place), std::string(words)) {}
  FactValue(std::string place, const char* words) : FactValue(std::move(place), std::string(words)) {}
  template <class T>
  FactValue(std::string place, const std::vector<T>& list)
      : name(std::move(place)), items(list.begin(), list.end()), is_list(true) {}
};

/// One thing that cases show.
struct Fact {
  FactKind kind = FactKind::fastest;
  std::vector<std::size_t> outcomes;  ///< indices of the cases that show it (Outcome::index)
  /// The sentence, or a few: the name of a value in braces is its place. Several names in one pair of braces are lists
  /// of the same length, said item by item: "{way gain_ratio}" becomes "padded 2.05 x and swizzled 2.10 x".
  std::string says;
  std::vector<FactValue> values = {};
};

}  // namespace gpumem
