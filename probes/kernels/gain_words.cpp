#include "probes/kernels/gain_words.hpp"

#include <optional>

#include "engine/base/words.hpp"

namespace gpumem::kernels {

static std::optional<double> predicted_gain(const Outcome& from, const Outcome& to) {
  if (!from.predicted || !to.predicted) return std::nullopt;
  return *to.predicted / *from.predicted;
}

std::string gain_words(const Outcome& from, const Outcome& to) {
  const std::string gain = times_words(to.headline / from.headline);
  const auto predicted = predicted_gain(from, to);
  return predicted ? "predicted " + times_words(*predicted) + ", measured " + gain : gain;
}

std::string predicted_gain_words(const Outcome& from, const Outcome& to) {
  const auto predicted = predicted_gain(from, to);
  return predicted ? ", predicted " + times_words(*predicted) : "";
}

}  // namespace gpumem::kernels
