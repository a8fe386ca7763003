#include "probes/global/advice.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/words.hpp"

namespace gpumem::global {

namespace {

std::string gigabytes(const Outcome& outcome) { return significant(outcome.bytes_per_s * per_giga, 3); }

}  // namespace

const Outcome* find_outcome(std::span<const Outcome> outcomes, std::string_view parameter, const Value& value) {
  const auto found =
      std::ranges::find_if(outcomes, [&](const Outcome& one) { return one.one.value(parameter) == value; });
  return found == outcomes.end() ? nullptr : &*found;
}

const Outcome& fastest_of(std::span<const Outcome> outcomes) {
  return *std::ranges::max_element(outcomes, {}, &Outcome::bytes_per_s);
}

const Outcome& slowest_of(std::span<const Outcome> outcomes) {
  return *std::ranges::min_element(outcomes, {}, &Outcome::bytes_per_s);
}

std::string_view doing(const Case& one) {
  const std::string& op = one.name("op");
  return op == "read" ? "reading" : op == "write" ? "writing" : "copying";
}

std::string rate_words(const Outcome& outcome) { return gpumem::rate_words(outcome.bytes_per_s * per_giga); }

std::string as_long_words(const Outcome& slow, const Outcome& fast) {
  return fmt::format("{} as long ({} instead of {} GB/s)", times_words(fast.bytes_per_s / slow.bytes_per_s),
                     gigabytes(slow), gigabytes(fast));
}

}  // namespace gpumem::global
