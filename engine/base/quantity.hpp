#pragma once
// A number that a report may hold: what it says, and which way is better. Units and titles follow from the name.

#include <string>
#include <string_view>

namespace gpumem {

enum class Better { more, less, neither };

[[nodiscard]] constexpr std::string_view to_string(Better better) {
  return better == Better::more ? "more" : better == Better::less ? "less" : "neither";
}

struct Quantity {
  std::string name;     ///< ends in its unit: "cycles_per_request"
  std::string purpose;  ///< one line
  Better better = Better::neither;
};

inline constexpr double per_giga = 1e-9;  ///< bytes/s in GB/s, flops/s in GFLOP/s
inline constexpr std::string_view bandwidth_name = "bandwidth_gb_per_s";

}  // namespace gpumem
