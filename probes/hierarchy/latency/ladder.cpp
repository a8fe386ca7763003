#include "probes/hierarchy/latency/ladder.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::hierarchy {

namespace {

/// Latencies closer than this are called the same.
constexpr double same_within = 0.02;
/// What the guide's ">>" has to be at least to be said to hold.
constexpr double much_slower = 2;

/// The guide's ladder, from its slow end. What it calls global memory is `memory`.
struct Rung {
  std::string_view level;
  std::string_view name;
  bool much_slower_than_next;
};
constexpr std::array<Rung, 6> guide = {{{"memory", "global", false},
                                        {"local", "local", false},
                                        {"texture", "texture", true},
                                        {"constant", "constant", false},
                                        {"shared", "shared", false},
                                        {"register", "register", false}}};

using Levels = std::map<std::string, const Outcome*, std::less<>>;

Levels levels_in(std::span<const Outcome> outcomes, std::string_view order) {
  Levels levels;
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("order") == order) levels[outcome.one.name("level")] = &outcome;
  }
  return levels;
}

const Outcome* find(const Levels& levels, std::string_view level) {
  const auto found = levels.find(level);
  return found == levels.end() ? nullptr : found->second;
}

std::string cycles_words(double cycles) { return significant(cycles, cycles < 10 ? 2 : 3); }

/// "shared 29.0 cycles (14.7 ns)"
std::string rung_words(const std::string& level, const Outcome& outcome) {
  const auto ns = outcome.metric("latency_ns");
  return fmt::format("{} {} cycles{}", level, cycles_words(outcome.headline),
                     ns ? fmt::format(" ({} ns)", significant(*ns, *ns < 10 ? 2 : 3)) : "");
}

std::string ladder_words(const Levels& levels) {
  if (levels.size() < 2) return {};
  std::vector<std::pair<std::string, const Outcome*>> sorted(levels.begin(), levels.end());
  std::ranges::stable_sort(sorted, {}, [](const auto& rung) { return rung.second->headline; });
  std::vector<std::string> rungs;
  for (const auto& [level, outcome] : sorted) rungs.push_back(rung_words(level, *outcome));
  return fmt::format("From the fastest: {}.", join_in_words(rungs));
}

/// Which steps of the guide's ladder do not hold, of those whose both ends were measured.
std::string guide_words(const Levels& levels) {
  std::vector<std::string> broken;
  std::size_t compared = 0;
  const Rung* slower = nullptr;
  bool much = false;
  for (const Rung& rung : guide) {
    if (find(levels, rung.level) != nullptr) {
      if (slower != nullptr) {
        ++compared;
        const double ratio = find(levels, slower->level)->headline / find(levels, rung.level)->headline;
        if (ratio < 1 - same_within) {
          broken.push_back(fmt::format("{} is faster than {}", slower->name, rung.name));
        } else if (ratio <= 1 + same_within) {
          broken.push_back(fmt::format("{} is as fast as {}", slower->name, rung.name));
        } else if (much && ratio < much_slower) {
          broken.push_back(fmt::format("{} is only {} slower than {}", slower->name, times_words(ratio), rung.name));
        }
      }
      slower = &rung;
      much = false;
    }
    much = much || rung.much_slower_than_next;
  }
  if (compared < 2) return {};
  constexpr std::string_view ladder = "global > local > texture >> constant > shared > register";
  if (broken.empty()) return fmt::format("The CUDA guide's ladder of latencies, {}, holds here.", ladder);
  return fmt::format("The CUDA guide's ladder of latencies, {}, does not hold here: {}.", ladder,
                     join_in_words(broken));
}

/// Local and texture memory lie in device memory, but the guide's ladder is of what hits.
std::string cached_words(const Levels& levels) {
  const bool cached = find(levels, "local") != nullptr || find(levels, "texture") != nullptr;
  if (!cached || find(levels, "memory") == nullptr) return {};
  return "Local memory and textures lie in device memory: those are the latencies of what L1 holds, and what it does "
         "not hold takes as long as any other load.";
}

std::string specification_words(const Levels& levels) {
  const Outcome* memory = find(levels, "memory");
  const Outcome* cache = find(levels, "l2") != nullptr ? find(levels, "l2") : find(levels, "l1");
  if (memory == nullptr || cache == nullptr || cache->headline >= memory->headline) return {};
  return fmt::format(
      "A chase that fits a cache never leaves it: {} instead of {} cycles is not memory faster than its specification.",
      cycles_words(cache->headline), cycles_words(memory->headline));
}

/// What chases over everything take more than those within a page.
std::string translation_words(const Levels& random, const Levels& paged) {
  std::vector<std::string> parts;
  for (const std::string_view level : {"l2", "l2-far", "memory", "host"}) {
    const Outcome* everywhere = find(random, level);
    const Outcome* within = find(paged, level);
    if (everywhere == nullptr || within == nullptr) continue;
    const double more = everywhere->headline - within->headline;
    if (more <= same_within * within->headline) continue;
    parts.push_back(fmt::format("{} cycles to {} ({} instead of {})", cycles_words(more), level,
                                cycles_words(everywhere->headline), cycles_words(within->headline)));
  }
  if (parts.empty()) {
    const bool both = find(random, "memory") != nullptr && find(paged, "memory") != nullptr;
    return both ? "Chases within pages of 2 MiB are no faster: TLBs reach all of these footprints." : "";
  }
  return fmt::format("Leaving the page with every step adds {}: misses of TLBs, and of DRAM rows that were open.",
                     join_in_words(parts));
}

}  // namespace

Conclusion conclude_latency(std::span<const Outcome> outcomes) {
  const Levels random = levels_in(outcomes, "random");
  const Levels paged = levels_in(outcomes, "paged");
  const Levels& ladder = random.empty() ? paged : random;
  return {.advice = paragraph(std::vector{ladder_words(ladder), guide_words(ladder), cached_words(ladder),
                                          specification_words(ladder), translation_words(random, paged)})};
}

}  // namespace gpumem::hierarchy
