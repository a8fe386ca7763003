#include "probes/global/random/random_advice.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "engine/base/words.hpp"
#include "probes/global/advice.hpp"

namespace gpumem::global {

namespace {

constexpr const char* footprint = "footprint_bytes";

std::string size_of(const Outcome& outcome) { return size_in_words(outcome.one.number(footprint)); }

double giga_elements_per_s(const Outcome& outcome) {
  const double moved = outcome.one.name("op") == "update" ? 2 : 1;  // an update reads and writes
  return outcome.bytes_per_s / (moved * static_cast<double>(outcome.one.number("word_bytes"))) * per_giga;
}

/// The largest footprint up to which none is less than half as fast as the fastest; null if the smallest is.
const Outcome* last_of_half_rate(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, const Outcome*> by_footprint;
  for (const Outcome& outcome : outcomes) by_footprint[outcome.one.number(footprint)] = &outcome;
  const double half = fastest_of(outcomes).bytes_per_s / 2;
  const Outcome* last = nullptr;
  for (const auto& [bytes, outcome] : by_footprint) {
    if (outcome->bytes_per_s < half) break;
    last = outcome;
  }
  return last;
}

std::string rate_sentence(const Outcome& outcome) {
  const std::string& op = outcome.one.name("op");
  const auto* const what = op == "gather" ? "gathers" : op == "scatter" ? "scatters" : "updates";
  return fmt::format("Within {} the GPU {} {} x 10^9 elements of {} bytes a second", size_of(outcome), what,
                     significant(giga_elements_per_s(outcome), 3), outcome.one.number("word_bytes"));
}

}  // namespace

Conclusion conclude_random(std::span<const Outcome> outcomes) {
  const Outcome& fastest = fastest_of(outcomes);
  const Outcome& slowest = slowest_of(outcomes);
  const Outcome* kept = last_of_half_rate(outcomes);
  const bool same = slowest.bytes_per_s >= fastest.bytes_per_s / 2;
  if (same || kept == nullptr) {
    const std::string others = outcomes.size() == 1 ? ""
                                                    : fmt::format(", and within {} {}", size_of(slowest),
                                                                  significant(giga_elements_per_s(slowest), 3));
    return {.advice = rate_sentence(fastest) + others + "."};
  }
  return {
      .advice = fmt::format("{}, and within {} {}, {} as long each: keep what is accessed in random order within {}.",
                            rate_sentence(fastest), size_of(slowest), significant(giga_elements_per_s(slowest), 3),
                            times_words(fastest.bytes_per_s / slowest.bytes_per_s), size_of(*kept)),
      .found = {{"half_rate_footprint_bytes", static_cast<double>(kept->one.number(footprint)), all_of(outcomes)}}};
}

}  // namespace gpumem::global
