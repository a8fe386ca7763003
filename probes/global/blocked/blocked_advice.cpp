#include "probes/global/blocked/blocked_advice.hpp"

#include <fmt/format.h>

#include <map>
#include <string>

#include "engine/base/words.hpp"
#include "probes/global/advice.hpp"

namespace gpumem::global {

namespace {

constexpr const char* run = "run_elements";

/// The longest run up to which none is slower than interleaved threads.
std::uint64_t longest_harmless(std::span<const Outcome> outcomes, const Outcome& interleaved) {
  std::map<std::uint64_t, const Outcome*> by_run;
  for (const Outcome& outcome : outcomes) by_run[outcome.one.number(run)] = &outcome;
  std::uint64_t longest = 1;
  for (const auto& [elements, outcome] : by_run) {
    if (!about_as_fast(*outcome, interleaved)) break;
    longest = elements;
  }
  return longest;
}

std::string advice_against(const Outcome& interleaved, const Outcome& slowest, std::uint64_t harmless) {
  const auto what = doing(interleaved.one);
  if (about_as_fast(slowest, interleaved)) {
    return capitalised(
        fmt::format("{} in runs of up to {} elements per thread is as fast as interleaved threads are: {}.", what,
                    harmless, rate_words(interleaved)));
  }
  const std::string free =
      harmless == 1 ? ""
                    : fmt::format(" Runs of up to {} elements cost less than {:.0f} %.", harmless, same_within * 100);
  return fmt::format("Interleave the threads: in runs of {} elements per thread {} takes {}.{}",
                     slowest.one.number(run), what, as_long_words(slowest, interleaved), free);
}

}  // namespace

Conclusion conclude_blocked(std::span<const Outcome> outcomes) {
  const Outcome* interleaved = find_outcome(outcomes, run, std::uint64_t{1});
  const Outcome& slowest = slowest_of(outcomes);
  if (interleaved == nullptr || outcomes.size() == 1) {
    return {.advice = capitalised(fmt::format("{} with a run of {} per thread reaches {}. What runs cost shows only "
                                              "beside interleaved threads: --run 1 and longer ones.",
                                              doing(slowest.one), slowest.one.number(run), rate_words(slowest)))};
  }
  const std::uint64_t harmless = longest_harmless(outcomes, *interleaved);
  return {.advice = advice_against(*interleaved, slowest, harmless),
          .found = {{"harmless_run_elements", static_cast<double>(harmless), all_of(outcomes)}}};
}

}  // namespace gpumem::global
