// The rows of a 2-D array, walked in three ways: what a request costs where rows start within sectors, and what padding
// them is found to be worth.

#include "probes/global/pitch/pitch.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_pitch {

using namespace gpumem::global::test;

namespace {

Case rows_of(const std::string& rows, std::uint64_t width, const std::string& walk = "row",
             std::uint64_t word_bytes = 4) {
  return case_of("pitch", {{"rows", rows},
                           {"width_elements", width},
                           {"walk", walk},
                           {"op", std::string("copy")},
                           {"word_bytes", word_bytes},
                           {"buffer_bytes", std::uint64_t{4} << 20U}});
}

double sectors(const Case& tested) { return sectors_per_request(describe(tested).sites.front()); }

}  // namespace

TEST_CASE("pitch: every walk accesses each element of every row once", "[pitch]") {
  for (const Walk walk : {Walk::row, Walk::tile, Walk::column}) {
    for (const std::uint32_t width : {1U, 5U, 8U, 31U, 32U, 33U, 100U}) {
      for (const std::uint32_t pitch : {width, 128U}) {
        INFO(static_cast<int>(walk) << " " << width << " " << pitch);
        const std::uint64_t rows = 2 * row_multiple(walk);
        const std::set<std::uint64_t> elements = elements_of(RowPlacement(walk, 4, rows, width, pitch));
        CHECK(elements.size() == rows * width);
        for (const std::uint64_t element : elements) REQUIRE(element % pitch < width);
      }
    }
  }
}

TEST_CASE("pitch: a warp takes what its walk says", "[pitch]") {
  constexpr std::uint32_t pitch = 1000;
  const RowPlacement row(Walk::row, 4, 128, 100, pitch);
  CHECK(row(5, 0) == 5);
  CHECK(row(5, 1) == pitch + 5);
  CHECK(row(32, 0) == 32);
  CHECK(row(4 * 32, 0) == 4 * pitch);  // 4 warps to a row of 100
  const RowPlacement tile(Walk::tile, 4, 128, 100, pitch);
  CHECK(tile(8 + 3, 0) == pitch + 3);
  CHECK(tile(3, 1) == 4 * pitch + 3);
  CHECK(tile(32, 0) == 8);
  CHECK(tile(13 * 32, 0) == 16 * pitch);
  const RowPlacement column(Walk::column, 4, 256, 100, pitch);
  CHECK(column(5, 0) == 5 * pitch);
  CHECK(column(5, 1) == 37 * pitch);
  CHECK(column(32, 0) == 128 * pitch);
  CHECK(column(2 * 32, 0) == 1);
}

TEST_CASE("pitch: padded rows are aligned, plain ones only if their width is a multiple of a sector", "[pitch]") {
  const double full = 128;  // requests of an aligned row of 4096
  CHECK(sectors(rows_of("plain", 4096)) == 4);
  CHECK(sectors(rows_of("plain", 4104)) == Approx((4 * full + 1) / (full + 1)));
  CHECK(sectors(rows_of("pitched", 4096)) == 4);
  // Seven of eight rows start within a sector; the last warp of a row has a single element.
  CHECK(sectors(rows_of("plain", 4097)) == Approx(((7 * 5 + 4) / 8.0 * full + 1) / (full + 1)));
  CHECK(sectors(rows_of("pitched", 4097)) == Approx((4 * full + 1) / (full + 1)));
  CHECK(sectors(rows_of("pitched", 4096, "tile")) == 4);
  CHECK(sectors(rows_of("plain", 4097, "tile")) > 7);
  CHECK(sectors(rows_of("plain", 4097, "column")) == 32);
  CHECK(sectors(rows_of("pitched", 4097, "column")) == 32);
  CHECK(sectors(rows_of("plain", 4098, "row", 16)) == Approx((16 * full + 1) / (full + 1)));
}

TEST_CASE("pitch: the warps of a launch come in the order in which a block's turns follow each other", "[pitch]") {
  const RowPlacement placement(Walk::column, 4, row_multiple(Walk::column), 100, 100);
  const std::uint32_t elements = placement.elements_per_thread();
  const Launch launch{.op = Op::read, .word_bytes = 4, .tile = {placed_block_threads, 2 * elements}};
  const std::uint64_t of_block = std::uint64_t{2} * elements * placed_block_threads / 32;
  std::set<std::uint64_t> all;
  for (std::uint64_t k = 0; k < 3 * of_block; ++k) all.insert(in_order_of_warps(launch, placement, k));
  CHECK(all.size() == 3 * of_block);
  CHECK(*all.rbegin() == 3 * of_block - 1);
  CHECK(in_order_of_warps(launch, placement, 1) == elements);  // the second warp's first
  CHECK(in_order_of_warps(launch, placement, of_block) == of_block);
}

TEST_CASE("pitch: rows are padded to 512 bytes, and only what is in them is useful", "[pitch]") {
  const Workload plain = describe(rows_of("plain", 1000));
  const Workload pitched = describe(rows_of("pitched", 1000));
  constexpr std::uint64_t rows = (4 << 20) / 4000 / 32 * 32;
  CHECK(plain.useful_bytes_read == rows * 4000);
  CHECK(pitched.useful_bytes_written == rows * 4000);
  CHECK(plain.allocated_bytes == 2 * rows * 4000);
  CHECK(pitched.allocated_bytes == 2 * rows * 4096);
  CHECK(plain.modelled());
  CHECK(describe(rows_of("plain", 1000, "column")).modelled());
}

TEST_CASE("pitch: buffers without room for the rows of a walk are refused", "[pitch]") {
  Case few = rows_of("plain", 4096);
  few.set("buffer_bytes", std::uint64_t{1000});
  CHECK(refusal_of(few) ==
        "--buffer 1000 is less than 32 rows of 4096 4-byte elements; use at least 524288, or a smaller --width");
  Case many = rows_of("plain", 1);
  many.set("buffer_bytes", std::uint64_t{1} << 34U);
  CHECK(refusal_of(many) ==
        "--buffer 17179869184 is more than 2147483647 rows of 1 4-byte elements; use a larger --width");
  CHECK(refusal_of(rows_of("plain", 4096)).empty());
}

TEST_CASE("pitch: conclusions say at which widths padding pays", "[pitch]") {
  const Outcome aligned = outcome_of(rows_of("plain", 4096), 4000);
  const Outcome aligned_padded = outcome_of(rows_of("pitched", 4096), 4010);
  const Outcome odd = outcome_of(rows_of("plain", 4097), 3200);
  const Outcome odd_padded = outcome_of(rows_of("pitched", 4097), 4000);
  CHECK(advice({aligned, aligned_padded, odd, odd_padded}) ==
        "Pad the rows, as cudaMallocPitch does: at a width of 4097 copying is 1.25 x as fast, 4000 GB/s instead of "
        "3200 GB/s. Padding gains nothing at a width of 4096.");
  CHECK(advice({aligned, aligned_padded}) ==
        "Padding the rows gains nothing here: copying plain rows reaches 4000 GB/s.");
  CHECK(advice({odd_padded, outcome_of(rows_of("plain", 4097), 5000)}) ==
        "Padding the rows gains nothing here: copying plain rows reaches 5000 GB/s. At a width of 4097 padding loses: "
        "copying takes 1.25 x as long, 4000 GB/s instead of 5000 GB/s.");
  CHECK(advice({aligned, odd}) ==
        "Copying plain rows of 4096 elements reaches 4000 GB/s. Add the other --rows to see what padding gains. "
        "At a width of 4097 copying takes 1.25 x as long: 3200 GB/s.");
  CHECK(advice({aligned_padded, odd_padded}) ==
        "Copying pitched rows reaches 4010 GB/s whatever their width. Add the other --rows to see what padding gains.");
  CHECK(advice({odd_padded}) ==
        "Copying pitched rows of 4097 elements reaches 4000 GB/s. Add the other --rows to see what padding gains.");
}

TEST_CASE("pitch: facts hold the widths that gain, and those that do not", "[pitch]") {
  std::vector<Outcome> outcomes = {
      outcome_of(rows_of("plain", 4096), 4000), outcome_of(rows_of("pitched", 4096), 4010),
      outcome_of(rows_of("plain", 4097), 3200), outcome_of(rows_of("pitched", 4097), 4000),
      outcome_of(rows_of("plain", 4104), 4000), outcome_of(rows_of("pitched", 4104), 3990)};
  const Conclusion concluded = conclusion(outcomes);
  REQUIRE(kinds_of(concluded) == std::vector{FactKind::fastest, FactKind::as_fast_as});
  CHECK(concluded.facts[0].outcomes == std::vector<std::size_t>{2, 3});
  CHECK(numbers_of(concluded.facts[0], "width") == std::vector{4097.0});
  CHECK(numbers_of(concluded.facts[0], "gain_ratio") == std::vector{1.25});
  CHECK(concluded.facts[1].outcomes == std::vector<std::size_t>{0, 1, 4, 5});
  CHECK(numbers_of(concluded.facts[1], "width") == std::vector{4096.0, 4104.0});
  CHECK(report::say(concluded.facts[1]) == "Padding gains nothing at a width of 4096 and 4104.");

  outcomes[2] = within(outcomes[2], 3000, 3900);
  outcomes[3] = within(outcomes[3], 3800, 4100);
  const Conclusion noisy = conclusion(outcomes);
  REQUIRE(kinds_of(noisy) == std::vector{FactKind::as_fast_as});
  CHECK(noisy.facts.front().outcomes.size() == 6);
}

}  // namespace gpumem::global::test_pitch
