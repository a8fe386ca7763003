#include "probes/kernels/transpose/transpose_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/units.hpp"
#include "engine/base/words.hpp"
#include "probes/global/advice.hpp"
#include "probes/kernels/gain_words.hpp"
#include "probes/kernels/transpose/transpose.hpp"

namespace gpumem::kernels::transpose {

namespace {

using global::about_as_fast;

double times(const Outcome& one, const Outcome& other) { return one.bytes_per_s / other.bytes_per_s; }

/// Wavefronts of a load that takes a column of a tile.
unsigned column_wavefronts(TileLayout layout, std::uint32_t element_bytes) {
  access::WarpRequest request{.active = ~std::uint32_t{0}, .word_bytes = element_bytes};
  for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
    request.address[lane] = std::uint64_t{tile_pattern(layout).word(lane, 0)} * element_bytes;
  }
  return access::shared_wavefronts(request, access::Op::load);
}

/// The ways of one matrix; null where one is missing.
struct Ways {
  const Outcome* copy;
  const Outcome* strided_write;
  const Outcome* strided_read;
  const Outcome* tile;
  const Outcome* padded;
  const Outcome* swizzled;
  const Outcome* wide;

  explicit Ways(std::span<const Outcome> outcomes)
      : copy(find(outcomes, "copy")),
        strided_write(find(outcomes, "strided-write")),
        strided_read(find(outcomes, "strided-read")),
        tile(find(outcomes, "tile")),
        padded(find(outcomes, "padded")),
        swizzled(find(outcomes, "swizzled")),
        wide(find(outcomes, "wide")) {}

 private:
  static const Outcome* find(std::span<const Outcome> outcomes, const char* name) {
    return global::find_outcome(outcomes, "transpose", std::string(name));
  }
};

std::string strided_words(const Outcome* strided, const Outcome* copy, std::string_view doing) {
  if (strided == nullptr || copy == nullptr) return "";
  if (about_as_fast(*strided, *copy)) return fmt::format("{} columns is as fast.", doing);
  return fmt::format("{} columns takes {}.", doing, global::as_long_words(*strided, *copy));
}

std::string tile_words(const Ways& ways) {
  if (ways.tile == nullptr) return "";
  const Outcome* strided = ways.strided_write;
  if (strided == nullptr || (ways.strided_read != nullptr && times(*ways.strided_read, *strided) > 1)) {
    strided = ways.strided_read;
  }
  if (strided == nullptr) return "";
  const std::string gain = gain_words(*strided, *ways.tile);
  const std::string& name = strided->one.name("transpose");
  if (about_as_fast(*strided, *ways.tile)) {
    return fmt::format(
        "Turned in a tile of shared memory, so that rows are loaded and stored, it is no faster than {} ({}).", name,
        gain);
  }
  return fmt::format("Turn it in a tile of shared memory, so that rows are loaded and stored: {} the rate of {}.", gain,
                     name);
}

std::string cure_words(const Ways& ways, std::uint32_t element_bytes) {
  if (ways.tile == nullptr) return "";
  const unsigned before = column_wavefronts(TileLayout::plain, element_bytes);
  const auto least = static_cast<unsigned>(access::wavefronts.least(element_bytes));
  const auto turns_into = [&](std::string_view cure, TileLayout layout, const Outcome& cured) {
    const unsigned after = column_wavefronts(layout, element_bytes);
    return fmt::format("{}: {} wavefronts become {} ({}-way bank conflicts), {}.", cure, before, after, before / least,
                       about_as_fast(*ways.tile, cured) ? "which is no faster here" : gain_words(*ways.tile, cured));
  };
  if (ways.padded == nullptr) {
    return ways.swizzled == nullptr ? "" : turns_into("Swizzle the tile", TileLayout::swizzled, *ways.swizzled);
  }
  const std::string padding = turns_into("Pad the tile by one column", TileLayout::padded, *ways.padded);
  if (ways.swizzled == nullptr) return padding;
  if (!about_as_fast(*ways.swizzled, *ways.padded)) {
    return padding + fmt::format(" Swizzling it reaches {} of that.", times_words(times(*ways.swizzled, *ways.padded)));
  }
  if (about_as_fast(*ways.padded, *ways.swizzled)) return padding + " Swizzling it does the same for no memory.";
  return padding + fmt::format(" Swizzling it gains another {}, for no memory.",
                               times_words(times(*ways.swizzled, *ways.padded)));
}

std::string vector_words(const Ways& ways) {
  const Outcome* from = ways.padded;
  if (from == nullptr || (ways.swizzled != nullptr && times(*ways.swizzled, *from) > 1)) from = ways.swizzled;
  if (from == nullptr || ways.wide == nullptr) return "";
  const std::string gain = gain_words(*from, *ways.wide);
  const std::string& name = from->one.name("transpose");
  if (about_as_fast(*from, *ways.wide)) {
    return fmt::format("Vectors in wider tiles are no faster than {} ({}).", name, gain);
  }
  return fmt::format("Move vectors in wider tiles: {} the rate of {}.", gain, name);
}

std::string best_words(std::span<const Outcome> outcomes, const Outcome* copy, const std::string& matrix) {
  const Outcome* best = nullptr;
  for (const Outcome& outcome : outcomes) {
    if (&outcome != copy && (best == nullptr || times(outcome, *best) > 1)) best = &outcome;
  }
  if (best == nullptr) return "";
  const std::string& name = best->one.name("transpose");
  if (copy == nullptr) return fmt::format("{} are best transposed by {}: {}.", matrix, name, global::rate_words(*best));
  return fmt::format("Best is {} with {}, {} the copy.", name, global::rate_words(*best),
                     times_words(times(*best, *copy)));
}

}  // namespace

Conclusion conclude_transpose(std::span<const Outcome> outcomes) {
  const auto columns = [](const Outcome& outcome) { return outcome.one.number("matrix_columns"); };
  const std::uint64_t most = columns(*std::ranges::max_element(outcomes, {}, columns));
  std::vector<Outcome> largest;
  for (const Outcome& outcome : outcomes) {
    if (columns(outcome) == most) largest.push_back(outcome);
  }
  const Case& one = largest.front().one;
  const std::uint64_t rows = one.number("matrix_rows") == 0 ? most : one.number("matrix_rows");
  const std::uint32_t element_bytes = one.name("type") == "double" ? sizeof(double) : sizeof(float);
  const std::string matrix = fmt::format("{} x {} {}s", rows, most, one.name("type"));
  const Ways ways(largest);
  const std::string copied =
      ways.copy == nullptr ? "" : fmt::format("A copy of {} reaches {}.", matrix, global::rate_words(*ways.copy));
  return {.advice = paragraph(std::vector<std::string>{copied, strided_words(ways.strided_write, ways.copy, "Storing"),
                                                       strided_words(ways.strided_read, ways.copy, "Loading"),
                                                       tile_words(ways), cure_words(ways, element_bytes),
                                                       vector_words(ways), best_words(largest, ways.copy, matrix)})};
}

}  // namespace gpumem::kernels::transpose
