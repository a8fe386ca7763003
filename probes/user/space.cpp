#include "probes/user/space.hpp"

namespace gpumem {

namespace {

constexpr TypedParameter space_parameter{"space"};

}  // namespace

Axis space_axis(const std::string& space, const std::string& purpose) {
  return space_parameter(
      {.flag = "space", .purpose = purpose, .defaults = space, .names = {space}, .zero_follows = true});
}

}  // namespace gpumem
