#include "report/record/counted.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>
#include <vector>

#include "engine/access/space.hpp"

namespace gpumem::report {

namespace {

using access::Op;
using access::Space;

/// The counted requests of one space and op, and the sectors or wavefronts that they took.
struct Tally {
  Space space;
  Op op;
  std::optional<double> requests;
  std::optional<double> units;
  const char* unit;
};

bool belongs(const SiteRecord& site, const Tally& tally) {
  const auto* const row = std::ranges::find(access::spaces, site.space, &access::SpaceRow::name);
  return row != std::end(access::spaces) && row->instructions_name == tally.space && site.op == to_string(tally.op);
}

}  // namespace

double add_counted_costs(Record& record, const measure::Counts& counts, std::span<const std::uint64_t> requests) {
  const auto with_copies = [](std::optional<double> stores, std::optional<double> copied) {
    return stores ? std::optional(*stores + copied.value_or(0)) : std::nullopt;
  };
  const Tally tallies[] = {
      {Space::global, Op::load, counts.global_load_requests, counts.global_load_sectors, sectors},
      {Space::global, Op::store, counts.global_store_requests, counts.global_store_sectors, sectors},
      {Space::shared, Op::load, counts.shared_load_requests, counts.shared_load_wavefronts, wavefronts},
      {Space::shared, Op::store, with_copies(counts.shared_store_requests, counts.shared_copy_requests),
       with_copies(counts.shared_store_wavefronts, counts.shared_copy_wavefronts), wavefronts},
      {Space::local, Op::load, counts.local_load_requests, counts.local_load_sectors, sectors},
      {Space::local, Op::store, counts.local_store_requests, counts.local_store_sectors, sectors},
  };
  // Both totals are whole numbers of sectors or wavefronts in a launch.
  constexpr double rounding = 0.5;
  double largest = 0;
  for (const Tally& tally : tallies) {
    if (!tally.requests || !tally.units || *tally.requests <= 0) continue;
    std::vector<Reading*> readings;
    std::optional<double> predicted = 0;  // of all of them
    double seen = 0;
    for (std::size_t i = 0; i < record.access.size(); ++i) {
      if (!belongs(record.access[i], tally)) continue;
      readings.push_back(&record.access[i].cost(tally.unit));
      const std::optional<double> each = readings.back()->predicted;
      const auto asked = static_cast<double>(requests[i]);
      seen += asked;
      predicted = predicted && each ? std::optional(*predicted + *each * asked) : std::nullopt;
    }
    if (readings.empty()) continue;
    if (readings.size() == 1) {
      // The counters of shared memory include requests without an active lane, which take no wavefront
      // (docs/counters.md).
      const bool some_are_idle = tally.space == Space::shared && seen < *tally.requests && predicted &&
                                 std::abs(*predicted - *tally.units) <= rounding;
      const double active = some_are_idle ? seen : *tally.requests;
      readings.front()->counted = *tally.units / active;
      if (readings.front()->predicted) predicted = *readings.front()->predicted * active;
    }
    if (!predicted) continue;
    const double off = std::abs(*predicted - *tally.units);
    if (off > rounding) largest = std::max(largest, off / std::max(*tally.units, 1.0));
  }
  return largest;
}

void add_counted_stages(Record& record, std::span<const model::StageTime> stages, double launches) {
  for (const model::StageTime& stage : stages) {
    const auto same = std::ranges::find(record.stages, stage.stage, &StageRecord::stage);
    if (same != record.stages.end()) {
      same->counted_s = stage.seconds * launches;
    } else {
      record.stages.push_back({std::string(stage.stage), std::nullopt, stage.seconds * launches});
    }
  }
  const auto slowest = std::ranges::max_element(record.stages, {}, [](const StageRecord& stage) {
    return stage.counted_s.value_or(stage.predicted_s.value_or(0));
  });
  if (slowest != record.stages.end() && record.bottleneck) record.bottleneck->counted = slowest->stage;
}

}  // namespace gpumem::report
