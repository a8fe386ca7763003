#include "probes/constant/constant_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"
#include "engine/statistics/straight_line.hpp"

namespace gpumem::constant {

namespace {

/// Costs closer than this are called the same.
constexpr double same_within = 0.03;
/// A line that misses a reading by more than this share of it does not describe the cost.
constexpr double largest_error = 0.2;

/// Cycles per request by the number of distinct addresses.
using Curve = std::map<std::uint64_t, double>;

Curve curve_of(std::span<const Outcome> outcomes, std::string_view space) {
  Curve curve;
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("space") == space) curve[outcome.one.number("addresses")] = outcome.headline;
  }
  return curve;
}

std::string cycles_words(double cycles) { return significant(cycles, 2); }
std::string addresses_words(std::uint64_t count) {
  return count == 1 ? "one address" : fmt::format("{} addresses", count);
}

struct Fit {
  measure::StraightLine line;
  double error = 0;  ///< the largest, as a share of the reading
};

std::optional<Fit> fit(const Curve& curve) {
  constexpr std::size_t fewest = 3;
  if (curve.size() < fewest) return std::nullopt;
  std::vector<measure::Point2D> points;
  for (const auto& [addresses, cycles] : curve) points.push_back({static_cast<double>(addresses), cycles});
  Fit fit{.line = measure::fit_straight_line(points)};
  for (const auto& [x, y] : points) fit.error = std::max(fit.error, std::abs(fit.line.at(x) / y - 1));
  return fit;
}

/// "Constant memory takes 2.1 cycles a request for one address and 64 for 32".
std::string cost_words(const Curve& constant, const std::optional<Fit>& found) {
  const auto& [fewest, least] = *constant.begin();
  std::string text =
      fmt::format("Constant memory takes {} cycles a request for {}", cycles_words(least), addresses_words(fewest));
  if (constant.size() == 1) return text + ".";
  const auto& [most, dearest] = *constant.rbegin();
  text += fmt::format(" and {} for {}", cycles_words(dearest), addresses_words(most));
  if (!found) return text + ".";
  if (found->error > largest_error) return text + ", but not in proportion to their number.";
  const std::string fixed = trimmed(found->line.at_zero, 1);
  return text + fmt::format(": {} for each distinct address and {} beside, within {} %.",
                            cycles_words(found->line.slope), found->line.at_zero < 0.05 ? "nothing" : fixed,
                            std::ceil(found->error * 100));
}

/// The smallest number of addresses from which on the other memory is faster; absent where it never is.
std::optional<std::uint64_t> faster_from(const Curve& constant, const Curve& other) {
  std::optional<std::uint64_t> from;
  for (const auto& [addresses, cycles] : std::views::reverse(constant)) {
    const auto same = other.find(addresses);
    if (same == other.end()) continue;
    if (same->second > cycles * (1 - same_within)) break;
    from = addresses;
  }
  return from;
}

/// "The same table in shared memory is faster from 2 addresses on (32 x for 32 addresses, 1.0 cycles)." `from` is what
/// faster_from() says of the two.
std::string against(const Curve& constant, const Curve& other, std::string_view name,
                    const std::optional<std::uint64_t>& from) {
  const auto last =
      std::find_if(constant.rbegin(), constant.rend(), [&](const auto& point) { return other.contains(point.first); });
  if (last == constant.rend()) return {};
  const auto& [most, cycles] = *last;
  const std::string at_most = cycles_words(other.at(most)) + " cycles";
  if (!from) {
    return capitalised(fmt::format("{} is no faster for {} ({}).", name, addresses_words(most), at_most));
  }
  const std::string gain = times_words(cycles / other.at(most));
  if (*from == most) {
    return capitalised(fmt::format("{} is faster for {} ({}, {}).", name, addresses_words(most), gain, at_most));
  }
  return capitalised(fmt::format("{} is faster from {} on ({} for {}, {}).", name, addresses_words(*from), gain,
                                 addresses_words(most), at_most));
}

}  // namespace

Conclusion conclude_constant(std::span<const Outcome> outcomes) {
  const Curve constant = curve_of(outcomes, "constant");
  if (constant.empty()) return {};
  const std::optional<Fit> found = fit(constant);
  std::vector<std::string> sentences = {cost_words(constant, found)};
  bool others_faster = false;
  for (const auto& [space, name] : {std::pair("shared", "the same table in shared memory"),
                                    std::pair("global", "one in global memory, from L1,")}) {
    const Curve other = curve_of(outcomes, space);
    const auto from = faster_from(constant, other);
    sentences.push_back(against(constant, other, name, from));
    others_faster = others_faster || from;
  }
  if (others_faster) {
    sentences.emplace_back(
        "Keep in constant memory what all lanes of a warp read alike, and elsewhere what they index.");
  }
  Conclusion conclusion{.advice = paragraph(sentences)};
  if (!found || found->error > largest_error) return conclusion;
  std::vector<std::size_t> members;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].one.name("space") == "constant") members.push_back(i);
  }
  conclusion.found = {{"fixed_cycles", found->line.at_zero, members},
                      {"cycles_per_address", found->line.slope, members}};
  return conclusion;
}

}  // namespace gpumem::constant
