#include "probes/hierarchy/latency/ladder.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/hierarchy/chase_experiment.hpp"

namespace gpumem::hierarchy {

namespace {

/// The guide's ">>" holds from this ratio of latencies on.
constexpr double much_slower = 2;

/// A rung of the CUDA guide's ladder: `level` is this program's name of it, `name` the guide's.
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

/// The outcomes of chases within pages of `page_bytes`, the fastest first.
std::vector<Outcome> levels_in(std::span<const Outcome> outcomes, std::uint64_t page_bytes) {
  std::vector<Outcome> levels = outcomes_with(outcomes, axis::page_bytes, page_bytes);
  std::ranges::stable_sort(levels, {}, &Outcome::headline);
  return levels;
}

const Outcome* find(std::span<const Outcome> levels, std::string_view level) {
  return find_outcome(levels, axis::level, std::string(level));
}

void add_ladder(std::vector<Fact>& facts, std::span<const Outcome> levels) {
  if (levels.size() < 2) return;
  Fact fact{FactKind::fastest,
            indices_of(levels),
            "From the fastest: {level step_cycles}.",
            {{"level", std::vector<std::string>{}}, {"step_cycles", std::vector<double>{}}}};
  for (const Outcome& outcome : levels) {
    fact.values[0].items.emplace_back(outcome.tested[axis::level]);
    fact.values[1].items.emplace_back(outcome.headline);
  }
  facts.push_back(std::move(fact));
}

/// Adds how much longer a step takes in chases over the whole footprint than in chases that finish one page before the
/// next.
void add_translation(std::vector<Fact>& facts, std::span<const Outcome> random, std::span<const Outcome> paged) {
  if (paged.empty()) return;
  const FactValue page("page_bytes", chased_page);
  Fact leaving{FactKind::costs,
               {},
               "Finish a page of {page_bytes} before the next. A step that leaves it takes longer, by {added_cycles} "
               "at {level}: it misses TLBs and open DRAM rows.",
               {page, {"level", std::vector<std::string>{}}, {"added_cycles", std::vector<double>{}}}};
  for (const char* level : {"l2", "l2-far", "memory", "host"}) {
    const Outcome* everywhere = find(random, level);
    const Outcome* within = find(paged, level);
    if (everywhere == nullptr || within == nullptr || !better(*within, *everywhere)) continue;
    leaving.outcomes.insert(leaving.outcomes.end(), {everywhere->index, within->index});
    leaving.values[1].items.emplace_back(level);
    leaving.values[2].items.emplace_back(everywhere->headline - within->headline);
  }
  const Outcome* everywhere = find(random, "memory");
  const Outcome* within = find(paged, "memory");
  if (!leaving.outcomes.empty()) {
    facts.push_back(std::move(leaving));
  } else if (everywhere != nullptr && within != nullptr) {
    facts.push_back({FactKind::as_fast_as,
                     {everywhere->index, within->index},
                     "Chases within pages of {page_bytes} are no faster: TLBs reach all of these footprints.",
                     {page}});
  }
}

/// Adds whether the guide's ladder holds here. Compares each level that was measured with the next one on the ladder
/// that was.
void add_guide(std::vector<Fact>& facts, std::span<const Outcome> levels) {
  Fact fact{FactKind::costs,
            {},
            "The CUDA guide's ladder of latencies, global > local > texture >> constant > shared > register, does not "
            "hold here: {slower latency_ratio faster}.",
            {{"slower", std::vector<std::string>{}},
             {"latency_ratio", std::vector<double>{}},
             {"faster", std::vector<std::string>{}}}};
  const Outcome* slower = nullptr;
  std::string_view slower_name;
  bool much = false;
  for (const Rung& rung : guide) {
    if (const Outcome* faster = find(levels, rung.level)) {
      fact.outcomes.push_back(faster->index);
      const double ratio = slower == nullptr ? 0 : gain(*slower, *faster);
      if (slower != nullptr && (!better(*faster, *slower) || (much && ratio < much_slower))) {
        fact.values[0].items.emplace_back(std::string(slower_name));
        fact.values[1].items.emplace_back(ratio);
        fact.values[2].items.emplace_back(std::string(rung.name));
      }
      slower = faster;
      slower_name = rung.name;
      much = false;
    }
    much = much || rung.much_slower_than_next;
  }
  if (fact.outcomes.size() < 3) return;  // two levels are no ladder
  if (fact.values[0].items.empty()) {
    fact.says =
        "The CUDA guide's ladder of latencies, global > local > texture >> constant > shared > register, holds here.";
  }
  facts.push_back(std::move(fact));
}

/// Adds warnings of latencies that are a cache's: of a chase that fits a cache, and of local memory and textures, whose
/// loads hit L1.
void add_caches(std::vector<Fact>& facts, std::span<const Outcome> levels) {
  const Outcome* memory = find(levels, "memory");
  if (memory == nullptr) return;
  const Outcome* cache = find(levels, "l2") != nullptr ? find(levels, "l2") : find(levels, "l1");
  if (cache != nullptr && better(*cache, *memory)) {
    facts.push_back(
        {FactKind::capacity,
         {cache->index, memory->index},
         "A chase that fits a cache measures that cache, not memory: {cache_cycles} instead of {memory_cycles}.",
         {headline_value("cache_cycles", *cache), headline_value("memory_cycles", *memory)}});
  }
  for (const char* level : {"local", "texture"}) {
    const Outcome* cached = find(levels, level);
    if (cached == nullptr) continue;
    facts.push_back({FactKind::capacity,
                     {cached->index},
                     "Local memory and textures lie in device memory. Their loads here hit L1; a miss takes as long as "
                     "any other load.",
                     {}});
    return;
  }
}

}  // namespace

Conclusion conclude_latency(std::span<const Outcome> outcomes) {
  const std::vector<Outcome> random = levels_in(outcomes, everything);
  const std::vector<Outcome> paged = levels_in(outcomes, chased_page);
  const std::vector<Outcome>& ladder = random.empty() ? paged : random;
  Conclusion conclusion;
  add_ladder(conclusion.facts, ladder);
  add_translation(conclusion.facts, random, paged);
  add_guide(conclusion.facts, ladder);
  add_caches(conclusion.facts, ladder);
  return conclusion;
}

}  // namespace gpumem::hierarchy
