#include "probes/kernels/grayscale/grayscale_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/kernels/gain_words.hpp"

namespace gpumem::kernels {

namespace {

/// Ways closer than this are called equally fast.
constexpr double alike = 1.05;

std::string us(double value) { return significant(value, 2); }

/// "2048 x 2048 packed pixels: expected 18 us memory + 2.0 us compute + 3.0 us launch, taken 27 us = 74 %"
std::string light_words(const Outcome& outcome) {
  const auto memory = outcome.metric("memory_us");
  const auto compute = outcome.metric("compute_us");
  const auto launch = outcome.metric("launch_us");
  const auto share = outcome.metric("of_expected_percent");
  if (!memory || !compute || !launch || !share) return {};
  const std::uint64_t side = outcome.one.number("image");
  return fmt::format(
      "{0} x {0} pixels, {1}: expected {2} us memory + {3} us compute + {4} us launch, taken {5} = {6:.0f} %.", side,
      outcome.one.name("pixels"), us(*memory), us(*compute), us(*launch), duration_words(outcome.seconds, 2), *share);
}

}  // namespace

Conclusion conclude_grayscale(std::span<const Outcome> outcomes) {
  // Of every image the fastest way, smallest image first.
  std::vector<const Outcome*> ordered;
  for (const Outcome& outcome : outcomes) {
    if (outcome.seconds > 0) ordered.push_back(&outcome);
  }
  if (ordered.empty()) return {};
  const auto side = [](const Outcome* outcome) { return outcome->one.number("image"); };
  std::ranges::sort(ordered, [&](const Outcome* a, const Outcome* b) {
    return std::pair(side(a), a->seconds) < std::pair(side(b), b->seconds);
  });
  std::vector<std::string> sentences;
  for (std::size_t i = 0; i < ordered.size(); ++i) {
    const bool first_of_image = i == 0 || side(ordered[i - 1]) != side(ordered[i]);
    if (first_of_image) sentences.push_back(light_words(*ordered[i]));
  }
  const auto largest = std::ranges::find(ordered, side(ordered.back()), side);
  const double ratio = ordered.back()->seconds / (*largest)->seconds;
  if (ratio > alike) {
    sentences.push_back(fmt::format("At {} the pixels are best {}: {} as fast as {}.", side(*largest),
                                    (*largest)->one.name("pixels"), gain_words(*ordered.back(), **largest),
                                    ordered.back()->one.name("pixels")));
  } else if (ordered.end() - largest > 1) {
    sentences.push_back(fmt::format("At {} all ways are equally fast.", side(*largest)));
  }
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::kernels
