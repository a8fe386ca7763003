// Facts of a sweep of accesses, from outcomes of the probes that have them.

#include "probes/listed_values.hpp"
#include "probes/sweep_facts.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_sweep_facts {

using Numbers = std::vector<std::uint64_t>;

namespace {

/// Outcomes of a probe of global memory, each with its own value of the first axis.
struct Builder {
  std::string probe = "offset";
  std::string op = "copy";
  std::vector<Outcome> outcomes = {};

  Outcome& add(Value place, double gb_per_s, double sectors, std::optional<double> predicted = {}) {
    const std::string& swept = find_probe(probe)->axes.front().parameter;
    Outcome outcome = test::outcome(probe, {{swept, std::move(place)}, {"op", op}}, gb_per_s);
    outcome.predicted = predicted;
    outcome.share_of_peak = gb_per_s / 5000;
    if (sectors > 0 && op != "write") outcome.sectors.load = sectors;
    if (sectors > 0 && op != "read") outcome.sectors.store = sectors;
    outcomes.push_back(std::move(outcome));
    return outcomes.back();
  }
  [[nodiscard]] std::vector<Fact> facts() const { return test::conclusion(outcomes).facts; }
  [[nodiscard]] std::string said() const { return test::advice(outcomes); }
};

}  // namespace

TEST_CASE("Two classes: who costs more, and what it costs, measured and predicted") {
  Builder b;
  for (std::uint64_t x = 0; x <= 32; ++x) {
    const bool aligned = x % 8 == 0;
    b.add(x, aligned ? 4000 : x % 2 == 0 ? 3480 : 3560, aligned ? 4 : 5, aligned ? 4000 : 3200);
  }
  CHECK(b.said() ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. Offsets that are no multiple of 8 touch 5 sectors per "
        "request instead of 4 and take 1.12 x to 1.15 x (predicted 1.25 x) as long.");
  const std::vector<Fact> facts = b.facts();
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{0});
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes.size() == 29);
}

TEST_CASE("One case against another is singular, and two alike are named") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4);
  b.add(std::uint64_t{1}, 3000, 5);
  CHECK(b.said() ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. Offset 1 touches 5 sectors per request instead of 4 and "
        "takes 1.33 x as long.");
  b.outcomes[1].headline = 3990;
  b.outcomes[1].sectors = b.outcomes[0].sectors;
  CHECK(b.said() == "Copies reach 4000 GB/s (80 % of peak) at offsets 0 and 1.");
  b.outcomes.pop_back();
  CHECK(b.said() == "Copies reach 4000 GB/s (80 % of peak) at offset 0.");
}

TEST_CASE("Loads and stores that cost differently are both named") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4);
  b.add(std::uint64_t{1}, 3000, 4).sectors.load = 5;
  CHECK(b.said() ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. Offset 1 touches 5 sectors per load and 4 per store "
        "request instead of 4 and takes 1.33 x as long.");
}

TEST_CASE("No difference is said, even where the sectors differ") {
  Builder b{.op = "read"};
  for (std::uint64_t x = 0; x < 16; ++x) b.add(x, x % 8 == 0 ? 4500 : 4490, x % 8 == 0 ? 4 : 5);
  CHECK(b.said() ==
        "Reads reach 4500 GB/s (90 % of peak) at all 16 offsets from 0 to 15, although sectors per request range from "
        "4 to 5.");
  CHECK(b.facts().front().kind == FactKind::as_fast_as);
}

TEST_CASE("A difference within the intervals, or of less than three in a hundred, is none") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 4).interval = {3000, 5000};
  b.add(std::uint64_t{1}, 3500, 5);
  CHECK(b.facts().front().kind == FactKind::as_fast_as);
  b.outcomes[0].interval = {3950, 4050};
  CHECK(b.facts().size() == 2);
  b.outcomes[1].headline = 3900;
  CHECK(b.facts().front().kind == FactKind::as_fast_as);
}

TEST_CASE("A falling sweep: both ends, where the sectors stop growing, and what follows") {
  Builder b{.probe = "stride", .op = "read"};
  const double rates[] = {4580, 2247, 1148, 583, 293, 248};
  for (unsigned i = 0; i < 6; ++i) {
    b.add(std::uint64_t{1} << i, rates[i], std::min(32.0, 4.0 * (1U << i)), rates[i]).limit =
        i < 4 ? "dram" : "warp_drive";
  }
  CHECK(b.said() ==
        "Reads reach 4580 GB/s (92 % of peak) at stride 1, with 4 sectors per request. At stride 32 reads take 18 x "
        "(predicted 18 x) as long: 248 GB/s. Sectors per request grow from 4 to 32 at stride 8 and stay there; from "
        "there on the time still grows, to 2.35 x (predicted 2.35 x). The predicted limit is device memory at stride 1 "
        "and warp_drive at stride 32.");
  CHECK(b.facts().back().kind == FactKind::limit);
}

TEST_CASE("Many classes of bank conflicts form a ladder, the less the better") {
  std::vector<Outcome> outcomes;
  for (const std::uint64_t stride : {1U, 3U, 2U, 4U, 6U}) {
    const double wavefronts = stride % 4 == 0 ? 4 : stride % 2 == 0 ? 2 : 1;
    Outcome outcome = test::outcome("bank", {{"stride_words", stride}}, wavefronts);
    outcome.wavefronts.load = wavefronts;
    outcomes.push_back(outcome);
  }
  CHECK(test::advice(outcomes) ==
        "Shared-memory reads take 1.00 cycles per request at bank stride 1, with 1 wavefront per request. 2 and 4 "
        "wavefronts per request take 2.00 x and 4.00 x as long.");
}

TEST_CASE("What the sectors do not explain is not explained by them") {
  Builder b;
  b.add(std::uint64_t{0}, 2000, 4);
  b.add(std::uint64_t{1}, 4000, 5);
  b.add(std::uint64_t{2}, 3000, 5);
  CHECK(b.said() ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 1. At offset 0 copies take 2.00 x as long: 2000 GB/s. Sectors "
        "per request range from 4 to 5, which alone does not explain it.");
}

TEST_CASE("Equal sectors do not hide a difference, and named values are named") {
  Builder b{.probe = "coalesced"};
  b.add("aligned", 4000, 4);
  b.add("permuted", 3990, 4);
  Outcome& subset = b.add("subset", 2000, 4);
  CHECK(
      b.said() ==
      "Copies reach 4000 GB/s (80 % of peak) at lanes aligned. At lanes subset copies take 2.00 x as long: 2000 GB/s. "
      "All touch 4 sectors per request.");
  subset.sectors = {8, 8};
  b.add("reversed", 2000, 8);
  CHECK(
      b.said().ends_with("Lanes subset and reversed touch 8 sectors per request instead of 4 and take 2.00 x as "
                         "long."));
}

TEST_CASE("Costs that are not known are not said") {
  Builder b;
  b.add(std::uint64_t{0}, 4000, 0);
  b.add(std::uint64_t{1}, 3000, 0);
  CHECK(b.said() ==
        "Copies reach 4000 GB/s (80 % of peak) at offset 0. At offset 1 copies take 1.33 x as long: 3000 GB/s.");
}

TEST_CASE("Common factors are found only where they are the only explanation") {
  Numbers all;
  for (std::uint64_t i = 0; i <= 32; ++i) all.push_back(i);
  CHECK(common_factor(all, Numbers{0, 8, 16, 24, 32}) == 8U);
  CHECK_FALSE(common_factor(all, Numbers{0, 8, 16, 24}));
  CHECK_FALSE(common_factor(all, Numbers{0}));
  CHECK_FALSE(common_factor(all, all));
  CHECK_FALSE(common_factor(Numbers{0, 1, 8}, Numbers{0, 8}));  // of 2, 4 or 8?
  CHECK_FALSE(common_factor(all, Numbers{}));
}

TEST_CASE("Values are listed as runs") {
  const Numbers all = {1, 2, 4, 8, 16, 32};
  CHECK(listed(all, Numbers{8, 16, 32}) == "8 to 32");
  CHECK(listed(all, Numbers{1, 4, 8}) == "1, 4 and 8");
  Numbers many;
  Numbers odd;
  for (std::uint64_t i = 0; i < 20; ++i) {
    many.push_back(i);
    if (i % 2 == 1) odd.push_back(i);
  }
  CHECK(listed(many, odd).empty());
}

}  // namespace gpumem::test_sweep_facts
