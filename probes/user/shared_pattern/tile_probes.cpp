// The probes of tiles in shared memory, by what a user brings: an expression or an index array.

#include <memory>
#include <optional>
#include <string>

#include "engine/access/exact.hpp"
#include "engine/base/error.hpp"
#include "engine/model/profile.hpp"
#include "probes/shared/words_probe.hpp"
#include "probes/user/indices/index_axes.hpp"
#include "probes/user/shared_pattern/shared_pattern.hpp"
#include "probes/user/shared_pattern/tile_axes.hpp"
#include "probes/user/shared_pattern/tile_list.hpp"

namespace gpumem::shared_pattern {

namespace {

std::optional<double> predicted_cycles(const Workload& workload, const model::Prediction& /*prediction*/,
                                       const model::Profile& profile) {
  return workload.sites.front().summary->cost.wavefronts_per_request * *workload.cycles_per_wavefront /
         profile.rates.shared.wavefronts_per_cycle;
}

/// Wavefronts that bank conflicts add to a request of the tile.
std::optional<double> conflict_wavefronts(const Workload& workload, const model::Prediction& /*prediction*/,
                                          const model::Profile& /*profile*/) {
  const access::Site& site = workload.sites.front();
  return site.summary->cost.wavefronts_per_request - shared::least_wavefronts(site);
}

Probe tile_probe(const TileCases& cases) {
  Probe probe;
  probe.family = Family::user;
  probe.on_request = true;  // what it shows is about the user's tile
  probe.compared = axis::swizzle;
  probe.baseline = "none";
  probe.headline = shared::words_headline();
  probe.headline.predict = predicted_cycles;
  probe.metrics = {
      {.quantity = {"conflicts_per_request", "wavefronts that bank conflicts add to a request", Better::less},
       .predict = conflict_wavefronts,
       .essential = true},
      shared::rate_of_multiprocessor()};
  probe.validate = [cases](const Case& chosen) { static_cast<void>(cases.get(chosen)); };
  probe.size = [cases](std::span<Case> sweep, const Device& device) {
    for (Case& tested : sweep) {
      const TileCase tile = cases.get(tested);
      if (tested.is_auto(axis::op)) tested.set(axis::op, axis::op.name_of(tile.op));
      static_cast<void>(requests_of(tile, most_shared_bytes(device)));
    }
  };
  probe.conclude = [cases](std::span<const Outcome> outcomes) { return conclude_tiles(outcomes, cases); };
  probe.conflict_cure = [cases](const Case& tested) {
    const std::optional<TileCase> tile = cases.known(tested);
    return tile ? conflict_cure(*tile) : std::string();
  };
  probe.bank_grid = [cases](const Case& tested) { return bank_grid_of(cases.get(tested)); };
  return probe;
}

/// The tile of a case; nullopt if it is refused.
template <class Get>
std::optional<TileCase> unless_refused(const Case& tested, const Get& get) {
  try {
    return get(tested);
  } catch (const Error&) {
    return std::nullopt;
  }
}

}  // namespace

TileCases expression_cases() {
  return {.get = tile_of_expression,
          .known = [](const Case& tested) { return unless_refused(tested, tile_of_expression); }};
}

TileCases list_cases() {
  const auto files = std::make_shared<global::IndexFiles>();
  const auto get = [files](const Case& tested) { return tile_of_list(tested, *files); };
  const auto known = [files, get](const Case& tested) {
    const bool has = files->has(tested[global::axis::indices], global::index_options_of(tested));
    return has ? unless_refused(tested, get) : std::nullopt;
  };
  return {.get = get, .known = known};
}

Probe tile_pattern_probe(const TileCases& cases) {
  Probe probe = tile_probe(cases);
  probe.name = "shared-pattern";
  probe.purpose = "any pattern of a tile in shared memory, as an expression";
  probe.variant_of = "pattern";
  probe.axes = expression_axes();
  return probe;
}

Probe tile_indices_probe(const TileCases& cases) {
  Probe probe = tile_probe(cases);
  probe.name = "shared-indices";
  probe.purpose = "index arrays of your own, of elements in shared memory";
  probe.variant_of = "indices";
  probe.axes = list_axes();
  probe.reads_files = true;
  return probe;
}

}  // namespace gpumem::shared_pattern
