#include "probes/host/batching/batching_advice.hpp"

#include <fmt/format.h>

#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::host {

namespace {

/// Closer than this, two times are called equal.
constexpr double alike = 1.02;

/// An alternative's times in seconds, by number of copies.
using Times = std::map<std::uint64_t, double>;

Times times_of(std::span<const Outcome> outcomes, std::string_view alternative) {
  Times times;
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("batching") == alternative) times[outcome.one.number("copies")] = outcome.seconds;
  }
  return times;
}

/// How many times as fast one alternative is as another, at the counts that both ran with.
Times speed_against(const Times& one, const Times& other) {
  Times ratios;
  for (const auto& [copies, seconds] : one) {
    if (const auto found = other.find(copies); found != other.end()) ratios[copies] = found->second / seconds;
  }
  return ratios;
}

std::optional<std::uint64_t> pays_from(const Times& packing_speed) {
  std::optional<std::uint64_t> from;
  for (const auto& [copies, ratio] : packing_speed) {
    if (ratio <= 1) {
      from.reset();
    } else if (!from) {
      from = copies;
    }
  }
  return from;
}

/// "4096 copies", "one copy"
std::string count(std::uint64_t copies) { return copies == 1 ? "one copy" : fmt::format("{} copies", copies); }

/// Whether to pack, where that is so many times as fast as another way.
std::string on_packing(const Times& speed, std::uint64_t bytes, const std::string& other = "") {
  if (speed.empty()) return {};
  const auto& [most, ratio] = *speed.rbegin();
  const std::string faster = times_words(ratio) + " as fast" + (other.empty() ? "" : " as " + other);
  const std::string slower = times_words(1 / ratio) + " the time" + (other.empty() ? "" : " of " + other);
  const auto pieces = [&](std::uint64_t copies) {
    return (copies == 1 ? "a piece of " : "pieces of ") + size_text(bytes / copies);
  };
  const auto from = pays_from(speed);
  if (!from && speed.size() == 1) {
    return fmt::format("Do not pack {} ({}): it takes {}.", count(most), pieces(most), slower);
  }
  if (!from)
    return fmt::format("Do not pack up to {} ({} or more): {} at {}.", count(most), pieces(most), slower, most);
  if (*from == most) return fmt::format("Pack {} ({}): {}.", count(most), pieces(most), faster);
  return fmt::format("Pack from {} ({} or less) on: {} at {}.", count(*from), pieces(*from), faster, most);
}

/// What one more copy call costs: the slope between the two largest counts. Nothing where the calls do not dominate,
/// for they then hide behind the link.
std::optional<double> call_seconds(const Times& separate) {
  if (separate.size() < 2) return std::nullopt;
  const auto most = separate.rbegin();
  if (most->second < 2 * separate.begin()->second) return std::nullopt;
  const auto fewer = std::next(most);
  const double slope = (most->second - fewer->second) / static_cast<double>(most->first - fewer->first);
  return slope > 0 ? std::optional(slope) : std::nullopt;
}

std::string on_calls(const Times& separate, const Times& packed, std::uint64_t bytes) {
  const auto call = call_seconds(separate);
  if (!call) return {};
  std::string text = fmt::format("One copy call costs {} here", duration_words(*call));
  // Few copies hide their calls, so what packing adds to them is the pass over the data.
  const Times speed = speed_against(packed, separate);
  const auto fewest = speed.empty() ? std::uint64_t{0} : speed.begin()->first;
  const double packing = speed.empty() ? 0 : packed.at(fewest) - separate.at(fewest);
  if (packing > 0) {
    text += fmt::format(", so packing's {} for {} buys {} of them", duration_words(packing), size_text(bytes),
                        significant(packing / *call, 2));
  }
  return text + ".";
}

std::string on_one_call(const Times& separate, const Times& packed, const Times& batched) {
  const Times speed = speed_against(batched, separate);
  if (speed.empty()) return {};
  const auto& [copies, ratio] = *speed.rbegin();
  std::string text = fmt::format("Handing over {} in one call (cudaMemcpyBatchAsync) ", count(copies));
  if (ratio > alike) {
    text += fmt::format("is {} as fast", times_words(ratio));
  } else {
    text += ratio < 1 / alike ? fmt::format("takes {} the time", times_words(1 / ratio)) : "gains nothing";
  }
  if (packed.contains(copies)) {
    const double slower = batched.at(copies) / packed.at(copies);
    if (slower > alike) text += fmt::format(", packing {} as fast as that", times_words(slower));
    if (slower < 1 / alike) {
      text += fmt::format(", {} {} as fast as packing", ratio > alike ? "and" : "but is", times_words(1 / slower));
    }
  }
  return text + ".";
}

/// Of an alternative that there is nothing to compare with: "16 copies in one call take 350 us".
std::string on_itself(const Times& times, std::string_view one, std::string_view several) {
  if (times.empty()) return {};
  const auto& [most, seconds] = *times.rbegin();
  if (most == 1) return fmt::format("{} takes {}.", one, duration_words(seconds));
  std::string text = fmt::format("{} {} take {}", most, several, duration_words(seconds));
  if (times.size() > 1) {
    const auto& [fewest, then] = *times.begin();
    text += fmt::format(", {} the time of {}", times_words(seconds / then), fewest);
  }
  return text + ".";
}

}  // namespace

Conclusion conclude_batching(std::span<const Outcome> outcomes) {
  const Times separate = times_of(outcomes, "separate");
  const Times packed = times_of(outcomes, "packed");
  const Times batched = times_of(outcomes, "batched");
  const std::uint64_t bytes = outcomes.front().one.number("size_bytes");
  const Times packing_speed = speed_against(packed, separate);

  Conclusion conclusion;
  conclusion.advice = paragraph(std::vector{on_packing(packing_speed, bytes), on_calls(separate, packed, bytes),
                                            on_one_call(separate, packed, batched)});
  if (separate.empty()) {
    conclusion.advice =
        on_packing(speed_against(packed, batched), bytes, "handing all over in one call (cudaMemcpyBatchAsync)");
  }
  if (conclusion.advice.empty()) {
    conclusion.advice = paragraph(std::vector{on_itself(separate, "One separate copy", "separate copies"),
                                              on_itself(packed, "One piece, packed,", "pieces, packed,"),
                                              on_itself(batched, "One copy in one call", "copies in one call")});
  }
  if (const auto from = pays_from(packing_speed)) {
    conclusion.found = {{"packing_pays_from_copies", static_cast<double>(*from), all_of(outcomes)}};
  }
  return conclusion;
}

}  // namespace gpumem::host
