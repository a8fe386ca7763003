// The parts that pages of expected values share.

#include <algorithm>

#include "engine/base/words.hpp"
#include "report/write/expected/pages.hpp"

namespace gpumem::report {

std::vector<std::string> groups_of(std::span<const ExpectedGpu> gpus) {
  std::vector<std::string> groups;
  for (const ExpectedGpu& gpu : gpus) {
    for (const ExpectedValue& value : gpu.values) {
      if (std::ranges::find(groups, value.group) == groups.end()) groups.push_back(value.group);
    }
  }
  return groups;
}

std::vector<const ExpectedValue*> quantities_of(std::span<const ExpectedGpu> gpus, const std::string& group,
                                                OtherUnits others) {
  std::vector<const ExpectedValue*> quantities;
  for (const ExpectedGpu& gpu : gpus) {
    std::ptrdiff_t place = 0;  // behind the quantity that this GPU has before it
    for (const ExpectedValue& value : gpu.values) {
      if (value.group != group || (value.in_other_unit && others == OtherUnits::left_out)) continue;
      const auto found = std::ranges::find(quantities, value.quantity, [](const auto* one) { return one->quantity; });
      if (found != quantities.end()) {
        place = found - quantities.begin() + 1;
      } else {
        quantities.insert(quantities.begin() + place++, &value);
      }
    }
  }
  return quantities;
}

const ExpectedValue* value_of(const ExpectedGpu& gpu, const std::string& quantity) {
  const auto found = std::ranges::find(gpu.values, quantity, &ExpectedValue::quantity);
  return found == gpu.values.end() ? nullptr : &*found;
}

std::string range_words(const ExpectedValue& value) {
  constexpr int digits = 3;
  if (!value.low || !value.high) return "";
  return significant(*value.low, digits) + " to " + significant(*value.high, digits);
}

std::string gpu_words(const ExpectedGpu& gpu) {
  Report named;
  named.backend = "model";
  named.device = gpu.device;
  named.profile = gpu.profile;
  return preamble(named).front();
}

std::string words_on_marks(PageFor reader) {
  const std::string words =
      "A mark names the source of the rate that decides the value; the model computes the value from it. p: published "
      "by others, of this GPU or of one with the same part. s: scaled from another GPU. a: assumed. '-': the profile "
      "does not know it.";
  return reader == PageFor::markdown ? words : words + " --format csv names the rates.";
}

}  // namespace gpumem::report
