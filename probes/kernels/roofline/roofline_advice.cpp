#include "probes/kernels/roofline/roofline_advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/words.hpp"

namespace gpumem::kernels {

std::vector<Quantity> roofline_quantities() {
  return {{"ridge_flop_per_byte", "where the memory's slope meets the roof: the best flops over the best bandwidth",
           Better::neither}};
}

Conclusion conclude_roofline(std::span<const Outcome> outcomes) {
  const auto fastest = std::ranges::max_element(outcomes, {}, &Outcome::bytes_per_s);
  const auto densest = std::ranges::max_element(outcomes, {}, &Outcome::headline);
  // Without a case on either side of it nobody knows where the ridge is.
  constexpr double on_the_roof = 2;
  if (fastest->bytes_per_s <= 0 || densest->bytes_per_s * on_the_roof > fastest->bytes_per_s) return {};
  const double ridge = densest->headline / (fastest->bytes_per_s * per_giga);
  return {.advice = fmt::format(
              "In {} the slope of {} meets the roof of {} GFLOP/s at {} flops a byte: a kernel with fewer gains from "
              "moving fewer bytes, one with more from fewer operations.",
              outcomes.front().one.name("type"), rate_words(fastest->bytes_per_s * per_giga),
              significant(densest->headline, 3), significant(ridge, 3)),
          .found = {{"ridge_flop_per_byte", ridge, all_of(outcomes)}}};
}

}  // namespace gpumem::kernels
