// Concludes what the variants of a transpose cost compared with copying the matrix.

#include <string>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/kernels/transpose/transpose_case.hpp"
#include "probes/requests.hpp"

namespace gpumem::kernels::transpose {

namespace {

/// Wavefronts of a load that takes a column of a tile.
unsigned column_wavefronts(TileLayout layout, std::uint32_t element_bytes) {
  const auto address = [&](unsigned lane) { return std::uint64_t{tile_pattern(layout).word(lane, 0)} * element_bytes; };
  return access::shared_wavefronts(warp_request(element_bytes, address), access::Op::load);
}

/// The elements of a type in words: "floats", "int8 elements".
std::string elements_of(const std::string& type) {
  return type == "float" || type == "double" ? type + "s" : type + " elements";
}

const std::string& variant_of(const Outcome& outcome) { return outcome.tested.name(axis::transpose); }

/// The better of two; null where both are missing.
const Outcome* better_of(const Outcome* a, const Outcome* b) {
  if (a == nullptr || b == nullptr) return a == nullptr ? b : a;
  return gain(*a, *b) > 1 ? b : a;
}

Fact best_variant(std::span<const Outcome> outcomes, const Outcome* copy, const std::string& matrix) {
  std::vector<Outcome> transposed;
  for (const Outcome& outcome : outcomes) {
    if (&outcome != copy) transposed.push_back(outcome);
  }
  if (transposed.empty()) {
    return {FactKind::fastest,
            {copy->index},
            "A copy of {matrix} reaches {copy_gb_per_s}.",
            {{"matrix", matrix}, headline_value("copy_gb_per_s", *copy)}};
  }
  const Outcome& best = best_of(transposed);
  Fact fact{FactKind::fastest,
            {best.index},
            "{matrix} are transposed best by {variant}, with {rate_gb_per_s}.",
            {{"matrix", matrix}, {"variant", variant_of(best)}, headline_value("rate_gb_per_s", best)}};
  if (copy == nullptr) return fact;
  fact.outcomes.push_back(copy->index);
  fact.says = "{matrix} are transposed best by {variant}, with {rate_gb_per_s} where a copy reaches {copy_gb_per_s}.";
  fact.values.push_back(headline_value("copy_gb_per_s", *copy));
  return fact;
}

void add_strided(std::vector<Fact>& facts, const Outcome* strided, const Outcome* copy, const char* access) {
  if (strided == nullptr || copy == nullptr) return;
  facts.push_back(cost_fact(*strided, *copy, "{access} columns takes {slowdown_ratio} as long as a copy.",
                            "{access} columns is as fast as a copy.",
                            {{"access", access}, gain_value("slowdown_ratio", *strided, *copy)}));
}

/// Adds the gain of a variant over a simpler one, if both ran.
void add_gain(std::vector<Fact>& facts, const Outcome* from, const Outcome* to, const char* gains,
              const char* no_gain) {
  if (from == nullptr || to == nullptr) return;
  facts.push_back(
      gain_fact(*from, *to, gains, no_gain, {{"from", variant_of(*from)}, gain_value("gain_ratio", *from, *to)}));
}

/// Adds the gain of padding or swizzling a tile, which removes its bank conflicts.
void add_cure(std::vector<Fact>& facts, const Outcome* tile, const Outcome* padded, const Outcome* swizzled) {
  const bool pads = padded != nullptr;
  const Outcome* cured = pads ? padded : swizzled;
  if (tile == nullptr || cured == nullptr) return;
  const std::uint32_t element_bytes = tile->tested[axis::element_bytes];
  const unsigned before = column_wavefronts(TileLayout::plain, element_bytes);
  const unsigned after = column_wavefronts(pads ? TileLayout::padded : TileLayout::swizzled, element_bytes);
  Fact fact{FactKind::costs,
            {tile->index, cured->index},
            better(*cured, *tile) ? "{cure}: its bank conflicts cost {gain_ratio}, {before} wavefronts become {after}."
                                  : "{cure}, and {before} wavefronts become {after}, which is no faster here.",
            {{"cure", pads ? "Pad the tile by one column" : "Swizzle the tile"},
             gain_value("gain_ratio", *tile, *cured),
             {"before", before},
             {"after", after}}};
  if (pads && swizzled != nullptr) {
    fact.outcomes.push_back(swizzled->index);
    fact.values.push_back(gain_value("swizzled_ratio", *padded, *swizzled));
    fact.says += better(*padded, *swizzled)   ? " Swizzling it reaches {swizzled_ratio} of that."
                 : better(*swizzled, *padded) ? " Swizzling it gains another {swizzled_ratio}."
                                              : " Swizzling it does the same for no memory.";
  }
  facts.push_back(std::move(fact));
}

}  // namespace

Conclusion conclude_transpose(std::span<const Outcome> outcomes) {
  const std::vector<Outcome> largest = largest_of(outcomes, axis::matrix_columns);
  const Case& first = largest.front().tested;
  const std::uint32_t columns = first[axis::matrix_columns];
  const std::uint32_t rows = first[axis::matrix_rows] == 0 ? columns : first[axis::matrix_rows];
  const std::string matrix =
      std::to_string(rows) + " x " + std::to_string(columns) + " " + elements_of(first.name(axis::element_bytes));
  const auto find = [&](Variant variant) { return find_outcome(largest, axis::transpose, variant); };
  const Outcome* const copy = find(Variant::copy);
  const Outcome* const strided_write = find(Variant::strided_write);
  const Outcome* const strided_read = find(Variant::strided_read);
  const Outcome* const tile = find(Variant::tile);
  const Outcome* const padded = find(Variant::padded);
  const Outcome* const swizzled = find(Variant::swizzled);
  std::vector<Fact> facts = {best_variant(largest, copy, matrix)};
  add_gain(facts, better_of(strided_write, strided_read), tile,
           "Turn it in a tile of shared memory, so that rows are loaded and stored: {gain_ratio} the rate of {from}.",
           "Turned in a tile of shared memory it is no faster, with {gain_ratio} the rate of {from}.");
  add_cure(facts, tile, padded, swizzled);
  add_gain(facts, better_of(padded, swizzled), find(Variant::wide),
           "Move vectors in wider tiles: {gain_ratio} the rate of {from}.",
           "Vectors in wider tiles are no faster, with {gain_ratio} the rate of {from}.");
  add_strided(facts, strided_write, copy, "Storing");
  add_strided(facts, strided_read, copy, "Loading");
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::kernels::transpose
