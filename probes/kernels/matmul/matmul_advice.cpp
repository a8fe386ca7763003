#include "probes/kernels/matmul/matmul_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/kernels/gain_words.hpp"

namespace gpumem::kernels {

namespace {

/// Variants closer than this are called the same.
constexpr double same_within = 0.03;

std::string rate(double gflop_per_s) {
  if (gflop_per_s < 1000) return significant(gflop_per_s, 3) + " GFLOP/s";
  return significant(gflop_per_s / 1000, 3) + " TFLOP/s";
}

std::string shape_words(const Case& one) {
  const std::uint64_t n = one.number("product_n");
  const auto or_n = [&](const char* parameter) {
    const std::uint64_t given = one.number(parameter);
    return given == 0 ? n : given;
  };
  return fmt::format("{} x {} x {} in {}", or_n("product_m"), n, or_n("product_k"), one.name("type"));
}

/// The variants that ran of one size.
class Steps {
 public:
  explicit Steps(std::span<const Outcome> outcomes) {
    std::uint64_t largest = 0;
    for (const Outcome& outcome : outcomes) largest = std::max(largest, outcome.one.number("product_n"));
    for (const Outcome& outcome : outcomes) {
      if (outcome.one.number("product_n") == largest && outcome.headline > 0) ran_.push_back(&outcome);
    }
  }

  [[nodiscard]] const Outcome* find(std::string_view name) const {
    const auto found =
        std::ranges::find_if(ran_, [&](const Outcome* outcome) { return outcome->one.name("matmul") == name; });
    return found == ran_.end() ? nullptr : *found;
  }
  [[nodiscard]] const Outcome* best_by_hand() const {
    const Outcome* best = nullptr;
    for (const Outcome* outcome : ran_) {
      if (outcome->one.name("matmul") == "cublas") continue;
      if (best == nullptr || outcome->headline > best->headline) best = outcome;
    }
    return best;
  }

 private:
  std::vector<const Outcome*> ran_;
};

std::string mapping(const Steps& steps) {
  const Outcome* const row = steps.find("row");
  const Outcome* const column = steps.find("column");
  if (row == nullptr || column == nullptr) return "";
  const double slower = row->headline / column->headline;
  if (slower < 1 + same_within) {
    return fmt::format(
        "Down columns is no slower than along rows here, {} and {}: the caches hold what is used of each "
        "sector until the rest of it is.",
        rate(column->headline), rate(row->headline));
  }
  return fmt::format(
      "With one thread per element, x down the column of C takes {} as long as x along the row ({} "
      "instead of {}{}): each load of A and store of C touches 32 rows instead of coalescing.",
      times_words(slower), rate(column->headline), rate(row->headline), predicted_gain_words(*column, *row));
}

/// What one step gains over another, and why; `else_why` where it gains nothing.
std::string step(const Outcome* from, const Outcome* to, std::string_view what, std::string_view why,
                 std::string_view else_why) {
  if (from == nullptr || to == nullptr) return "";
  const double gain = to->headline / from->headline;
  const bool gains = gain > 1 + same_within;
  const std::string& before = from->one.name("matmul");
  if (gains) {
    return fmt::format("{} reach {}, {} the rate of {}: {}.", what, rate(to->headline), gain_words(*from, *to), before,
                       why);
  }
  return fmt::format("{} gain nothing over {} ({} instead of {}{}): {}.", what, before, rate(to->headline),
                     rate(from->headline), predicted_gain_words(*from, *to), else_why);
}

std::string against_library(const Steps& steps) {
  const Outcome* const best = steps.best_by_hand();
  const Outcome* const library = steps.find("cublas");
  if (best == nullptr || library == nullptr) return "";
  return fmt::format(
      "The best written by hand, {}, reaches {} % of cuBLAS {} ({} of {}).", best->one.name("matmul"),
      fixed(100 * best->headline / library->headline, 0),
      library->one.name("type") == "float" ? "without tensor cores" : "with what tensor cores do in double",
      rate(best->headline), rate(library->headline));
}

}  // namespace

Conclusion conclude_matmul(std::span<const Outcome> outcomes) {
  const Steps steps(outcomes);
  const Outcome* const row = steps.find("row");
  const Outcome* const tile_16 = steps.find("tile-16");
  const Outcome* const tile_32 = steps.find("tile-32");
  const Outcome* const outputs_2 = steps.find("outputs-2");
  const Outcome* const tile = tile_32 != nullptr ? tile_32 : tile_16;
  std::vector<std::string> sentences = {
      mapping(steps),
      step(row, steps.find("rows-in-shared"), "Whole rows of A in shared memory",
           "a row is read from global memory once per 32 columns of C instead of once for every multiplication",
           "all lanes of a warp want the same element of A, which L1 serves as well, and every column of B is still "
           "read for every row"),
      step(row, tile_16, "Tiles of 16 x 16 in shared memory",
           "each element of A and B is read from global memory once per 16 outputs",
           "L1 serves the same elements again as fast as shared memory does"),
      step(tile_16 != nullptr ? tile_16 : row, tile_32, "Tiles of 32 x 32",
           tile_16 != nullptr ? "half the reads of global memory, and no two rows of threads in a warp"
                              : "each element of A and B is read from global memory once per 32 outputs",
           "what limits them are reads of shared memory, one of B and a part of one of A for every multiplication"),
      step(tile, outputs_2, "Two outputs a thread",
           "an element of B read from shared memory serves two multiplications",
           "the reads of shared memory that they save are not what limits them"),
      step(outputs_2 != nullptr ? outputs_2
           : tile != nullptr    ? tile
                                : row,
           steps.find("outputs-64"), "8 x 8 outputs a thread",
           "16 elements from shared memory make 64 multiplications, and the next tiles are on their way meanwhile",
           "the product is too small to give every multiprocessor blocks of 128 x 128"),
      against_library(steps)};
  std::string advice = paragraph(sentences);
  const Outcome* const best = steps.best_by_hand();
  if (best == nullptr) return {.advice = std::move(advice)};
  if (advice.empty())
    advice = fmt::format("{} reaches {}.", capitalised(best->one.name("matmul")), rate(best->headline));
  return {.advice = fmt::format("{}: {}", shape_words(best->one), advice)};
}

}  // namespace gpumem::kernels
