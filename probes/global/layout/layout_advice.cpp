#include "probes/global/layout/layout_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/global/advice.hpp"

namespace gpumem::global {

namespace {

using BySize = std::map<std::uint64_t, std::vector<Outcome>>;

BySize by_size(std::span<const Outcome> outcomes) {
  BySize sizes;
  for (const Outcome& outcome : outcomes) sizes[outcome.one.number("structure_bytes")].push_back(outcome);
  return sizes;
}

double spread(const std::vector<Outcome>& layouts) {
  return fastest_of(layouts).bytes_per_s / slowest_of(layouts).bytes_per_s;
}

/// At which sizes a layout is as fast as any: "soa at every size", "aligned at 8 and 16 bytes", nothing if at none.
std::string as_fast_words(const std::string& layout, const BySize& sizes) {
  std::vector<std::string> as_fast;
  for (const auto& [bytes, layouts] : sizes) {
    const Outcome* one = find_outcome(layouts, "layout", layout);
    if (one != nullptr && about_as_fast(*one, fastest_of(layouts))) as_fast.push_back(std::to_string(bytes));
  }
  if (as_fast.empty()) return "";
  return layout + (as_fast.size() == sizes.size() ? " at every size" : " at " + join_in_words(as_fast) + " bytes");
}

std::string as_fast_sentence(std::span<const Outcome> outcomes, const BySize& sizes) {
  std::vector<std::string> layouts;
  std::vector<std::string> parts;
  for (const Outcome& outcome : outcomes) {
    const std::string& layout = outcome.one.name("layout");
    if (std::ranges::find(layouts, layout) != layouts.end()) continue;
    layouts.push_back(layout);
    if (std::string words = as_fast_words(layout, sizes); !words.empty()) parts.push_back(std::move(words));
  }
  return fmt::format("As fast as any: {}.", fmt::join(parts, "; "));
}

}  // namespace

Conclusion conclude_layout(std::span<const Outcome> outcomes) {
  const BySize sizes = by_size(outcomes);
  const auto& [bytes, layouts] =
      *std::ranges::max_element(sizes, {}, [](const auto& one) { return spread(one.second); });
  const Outcome& slowest = slowest_of(layouts);
  const Outcome& fastest = fastest_of(layouts);
  const auto what = doing(slowest.one);
  const auto* const fields = slowest.one.name("fields") == "one" ? "one field of " : "";
  if (layouts.size() == 1) {
    return {.advice = capitalised(fmt::format("{} {}structures of {} bytes laid out as {} reaches {}. What the layout "
                                              "costs shows only beside another one.",
                                              what, fields, bytes, slowest.one.name("layout"), rate_words(slowest)))};
  }
  if (about_as_fast(slowest, fastest)) {
    return {.advice = capitalised(fmt::format("{} {}structures is as fast in any of these layouts: {}.", what, fields,
                                              rate_words(fastest)))};
  }
  return {.advice =
              capitalised(fmt::format("{} {}structures of {} bytes laid out as {} takes {}, laid out as {}. {}", what,
                                      fields, bytes, slowest.one.name("layout"), as_long_words(slowest, fastest),
                                      fastest.one.name("layout"), as_fast_sentence(outcomes, sizes)))};
}

}  // namespace gpumem::global
