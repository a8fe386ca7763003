// Concludes what each variant of a matrix product gains, and why.

#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/kernels/matmul/matmul_sites.hpp"

namespace gpumem::kernels {

namespace {

/// Adds the gain of `to` over `from`, if both ran.
void add_gain(std::vector<Fact>& facts, const Outcome* from, const Outcome* to, const char* gains,
              const char* no_gain) {
  if (from == nullptr || to == nullptr) return;
  facts.push_back(gain_fact(*from, *to, gains, no_gain,
                            {headline_value("rate_gflop_per_s", *to),
                             gain_value("gain_ratio", *from, *to),
                             {"from", from->tested.name(axis::matmul)}}));
}

/// The fastest variant by hand, compared with the library if that ran.
Fact best_fact(const Outcome& best, const Outcome* library) {
  const ProductShape shape = product_shape(best.tested);
  Fact fact{FactKind::fastest,
            {best.index},
            "{m} x {n} x {k} in {type} is fastest with {variant}: {rate_gflop_per_s}.",
            {{"m", shape.m},
             {"n", shape.n},
             {"k", shape.k},
             {"type", best.tested.name(axis::real_bytes)},
             {"variant", best.tested.name(axis::matmul)},
             headline_value("rate_gflop_per_s", best)}};
  if (library == nullptr) return fact;
  fact.outcomes.push_back(library->index);
  fact.values.emplace_back("library_percent", 100 * gain(*library, best));
  fact.values.push_back(headline_value("library_gflop_per_s", *library));
  fact.says =
      best.tested[axis::real_bytes] == sizeof(float)
          ? "{m} x {n} x {k} in {type} is fastest by hand with {variant}: {rate_gflop_per_s}, {library_percent} "
            "of cuBLAS without tensor cores ({library_gflop_per_s})."
          : "{m} x {n} x {k} in {type} is fastest by hand with {variant}: {rate_gflop_per_s}, {library_percent} "
            "of cuBLAS, which may take tensor cores ({library_gflop_per_s}).";
  return fact;
}

}  // namespace

Conclusion conclude_matmul(std::span<const Outcome> outcomes) {
  const std::vector<Outcome> largest = largest_of(outcomes, axis::product_n);
  std::vector<Outcome> by_hand;
  const Outcome* library = nullptr;
  for (const Outcome& outcome : largest) {
    if (outcome.headline <= 0) continue;
    if (outcome.tested[axis::matmul] == ProductBy::library) {
      library = &outcome;
    } else {
      by_hand.push_back(outcome);
    }
  }
  if (by_hand.empty()) return {};
  const auto find = [&](ProductBy variant) { return find_outcome(by_hand, axis::matmul, variant); };
  const Outcome* const row = find(ProductBy::row);
  const Outcome* const column = find(ProductBy::column);
  const Outcome* const tile_16 = find(ProductBy::tile_16);
  const Outcome* const tile_32 = find(ProductBy::tile_32);
  const Outcome* const outputs_2 = find(ProductBy::outputs_2);
  const Outcome* const tile = tile_32 != nullptr ? tile_32 : tile_16;
  std::vector<Fact> facts = {best_fact(best_of(by_hand), library)};
  add_gain(
      facts,
      outputs_2 != nullptr ? outputs_2
      : tile != nullptr    ? tile
                           : row,
      find(ProductBy::outputs_64),
      "8 x 8 outputs a thread reach {rate_gflop_per_s}, {gain_ratio} the rate of {from}: 16 elements from shared "
      "memory make 64 multiplications.",
      "8 x 8 outputs a thread gain nothing over {from}, with {gain_ratio} its rate: the product has too few blocks "
      "of 128 x 128.");
  if (row != nullptr && column != nullptr) {
    facts.push_back(cost_fact(*column, *row,
                              "Threads along the columns of C take {slowdown_ratio} as long as threads along its rows: "
                              "each access touches 32 rows instead of coalescing.",
                              "Threads along the columns of C take no longer than threads along its rows: caches hold "
                              "each sector until all of it is used.",
                              {gain_value("slowdown_ratio", *column, *row)}));
  }
  add_gain(
      facts, row, find(ProductBy::rows_in_shared),
      "Whole rows of A in shared memory reach {rate_gflop_per_s}, {gain_ratio} the rate of {from}: a row is loaded "
      "once per 32 columns of C.",
      "Whole rows of A in shared memory gain nothing over {from}, with {gain_ratio} its rate: L1 serves an element "
      "of A to all lanes as well.");
  add_gain(facts, row, tile_16,
           "Tiles of 16 x 16 in shared memory reach {rate_gflop_per_s}, {gain_ratio} the rate of {from}: each element "
           "is loaded once per 16 outputs.",
           "Tiles of 16 x 16 in shared memory gain nothing over {from}, with {gain_ratio} its rate: L1 serves the same "
           "elements as fast.");
  add_gain(
      facts, tile_16 != nullptr ? tile_16 : row, tile_32,
      "Tiles of 32 x 32 reach {rate_gflop_per_s}, {gain_ratio} the rate of {from}: each element is loaded once per "
      "32 outputs.",
      "Tiles of 32 x 32 gain nothing over {from}, with {gain_ratio} its rate: reads of shared memory limit them.");
  add_gain(
      facts, tile, outputs_2,
      "Two outputs a thread reach {rate_gflop_per_s}, {gain_ratio} the rate of {from}: an element of B from shared "
      "memory serves both.",
      "Two outputs a thread gain nothing over {from}, with {gain_ratio} its rate: the reads of shared memory that "
      "they save are not the limit.");
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::kernels
