#include "probes/global/stream/stream_advice.hpp"

#include <fmt/format.h>

#include "engine/base/words.hpp"
#include "probes/global/advice.hpp"

namespace gpumem::global {

Conclusion conclude_stream(std::span<const Outcome> outcomes) {
  const Outcome& fastest = fastest_of(outcomes);
  const Outcome& slowest = slowest_of(outcomes);
  const auto name = [](const Outcome& outcome) { return outcome.one.name("stream"); };
  const std::string& type = fastest.one.name("type");
  if (outcomes.size() == 1) {
    return {.advice = capitalised(fmt::format("{} in {} reaches {}.", name(fastest), type, rate_words(fastest)))};
  }
  if (about_as_fast(slowest, fastest)) {
    return {.advice = fmt::format("In {} all of them are about as fast: {}.", type, rate_words(fastest))};
  }
  return {.advice =
              fmt::format("In {} {} is the fastest; byte for byte {} takes {}. Hold a kernel of yours against the "
                          "one that reads and writes as much as it does.",
                          type, name(fastest), name(slowest), as_long_words(slowest, fastest))};
}

}  // namespace gpumem::global
