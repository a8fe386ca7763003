// Layouts of structures: where each field lies, what a request for it costs, and what is concluded.

#include "probes/global/layout/layout.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_layout {

using namespace gpumem::global::test;

namespace {

Case layout_case(const std::string& layout, std::uint64_t bytes, const std::string& fields = "all",
                 const std::string& op = "read") {
  return case_of("layout", {{"layout", layout}, {"structure_bytes", bytes}, {"fields", fields}, {"op", op}});
}

double sectors(const Case& tested) { return sectors_per_request(describe(tested).sites.front()); }

}  // namespace

TEST_CASE("layout: every layout accesses each which of every structure once", "[layout]") {
  for (const std::string& name : axis::layout.names()) {
    for (std::uint32_t bytes = 4; bytes <= 32; bytes += 4) {
      for (const bool one_field : {false, true}) {
        for (const std::uint64_t structures : {1U, 32U, 100U, 1024U}) {
          INFO(name << " " << bytes << " " << one_field << " " << structures);
          const LayoutPlacement placement = layout_placement(axis::layout.value_of(name), bytes, one_field, structures);
          elements_of(placement);
          CHECK(placement.useful_bytes == structures * (one_field ? 4 : bytes));
        }
      }
    }
  }
}

TEST_CASE("layout: fields lie where their layout says", "[layout]") {
  CHECK(layout_placement(Layout::aos, 12, false, 100)(40, 2) == 40 * 3 + 2);
  CHECK(layout_placement(Layout::soa, 12, false, 100)(40, 2) == 2 * 128 + 40);  // arrays of whole tiles
  CHECK(layout_placement(Layout::aosoa, 12, false, 100)(40, 2) == 96 + 2 * 32 + 8);
  CHECK(layout_placement(Layout::aos, 12, true, 100)(40, 0) == 40 * 3);
  CHECK(layout_placement(Layout::aosoa, 12, true, 100)(40, 0) == 96 + 8);
}

TEST_CASE("layout: aligned structures are accessed in as few and wide words as their size allows", "[layout]") {
  const auto words = [](std::uint32_t bytes) {
    const LayoutPlacement placement = layout_placement(Layout::aligned, bytes, false, 64);
    return std::pair(placement.word_bytes(), placement.elements_per_thread());
  };
  CHECK(words(4) == std::pair(4U, 1U));
  CHECK(words(8) == std::pair(8U, 1U));
  CHECK(words(12) == std::pair(16U, 1U));
  CHECK(words(16) == std::pair(16U, 1U));
  CHECK(words(20) == std::pair(16U, 2U));
  CHECK(words(32) == std::pair(16U, 2U));
  const LayoutPlacement one_field = layout_placement(Layout::aligned, 12, true, 64);
  CHECK(one_field.word_bytes() == 4);
  CHECK(one_field(5, 0) == 5 * 4);  // padded to 16 bytes
}

TEST_CASE("layout: an aligned structure of 8 or 16 bytes is one request, an unaligned one several", "[layout]") {
  const access::Site aligned = describe(layout_case("aligned", 8)).sites.front();
  const access::Site unaligned = describe(layout_case("aos", 8)).sites.front();
  CHECK(unaligned.requests == 2 * aligned.requests);
  CHECK(sectors(layout_case("aligned", 8)) == 8);
  CHECK(sectors(layout_case("aos", 8)) == 8);  // of either request
  CHECK(sectors(layout_case("aligned", 16)) == 16);
  CHECK(sectors(layout_case("aos", 16)) == 16);
  CHECK(describe(layout_case("aos", 16)).sites.front().requests ==
        4 * describe(layout_case("aligned", 16)).sites.front().requests);
}

TEST_CASE("layout: fields side by side always coalesce, structures side by side do not", "[layout]") {
  for (std::uint64_t bytes = 4; bytes <= 32; bytes += 4) {
    for (const char* fields : {"all", "one"}) {
      INFO(bytes << " " << fields);
      CHECK(sectors(layout_case("soa", bytes, fields)) == 4);
      CHECK(sectors(layout_case("aosoa", bytes, fields)) == 4);
      CHECK(sectors(layout_case("aos", bytes, fields)) == static_cast<double>(bytes));
    }
  }
}

TEST_CASE("layout: padding is no use, and what the model does not reach is said", "[layout]") {
  const Workload padded = describe(layout_case("aligned", 12, "all", "copy"));
  constexpr std::uint64_t structures = (1 << 20) / 12 / 1024 * 1024;
  CHECK(padded.useful_bytes_read == structures * 12);
  CHECK(padded.useful_bytes_written == structures * 12);
  CHECK(padded.allocated_bytes == 2 * structures * 16);
  CHECK(padded.modelled());
  CHECK(describe(layout_case("soa", 32, "all", "write")).modelled());
  CHECK(describe(layout_case("aos", 32, "one", "write")).modelled());
  CHECK(describe(layout_case("aos", 16, "all", "read")).modelled());
  CHECK(describe(layout_case("aos", 16, "all", "read")).sites.front().fill == nullptr);
  CHECK(describe(layout_case("aos", 20, "all", "read")).sites.front().fill != nullptr);
  CHECK_FALSE(describe(layout_case("aos", 8, "all", "write")).modelled());
}

TEST_CASE("layout: a buffer smaller than a structure is refused", "[layout]") {
  Case small = layout_case("aos", 32);
  small.set("buffer_bytes", std::uint64_t{20});
  CHECK(refusal_of(small) == "--buffer 20 has no room for a structure of 32 bytes; use at least 32");
}

TEST_CASE("layout: conclusions name the layouts that cost nothing, and the one that costs most", "[layout]") {
  const std::vector<Outcome> outcomes = {
      outcome_of(layout_case("aos", 8), 4400),     outcome_of(layout_case("aos", 12), 2000),
      outcome_of(layout_case("aligned", 8), 4500), outcome_of(layout_case("aligned", 12), 3300),
      outcome_of(layout_case("soa", 8), 4500),     outcome_of(layout_case("soa", 12), 4500)};
  CHECK(advice(outcomes) ==
        "For reading structures no layout is faster than soa at any size. At 12 bytes aos takes 2.25 x as long as soa: "
        "2000 GB/s instead of 4500 GB/s. No layout is faster than aos at 8 bytes. No layout is faster than aligned at "
        "8 bytes.");
  // Only what ran counts: where the model does not reach a layout it is not as fast as any.
  CHECK(advice({outcomes[0], outcomes[3], outcomes[4], outcomes[5]}) ==
        "For reading structures no layout is faster than soa at any size. At 12 bytes aligned takes 1.36 x as long as "
        "soa: 3300 GB/s instead of 4500 GB/s. No layout is faster than aos at 8 bytes.");
  CHECK(advice({outcomes[0], outcomes[2]}) == "Reading structures is as fast in any of these layouts: 4500 GB/s.");
  CHECK(advice({outcomes[1], outcome_of(layout_case("aosoa", 12), 4480), outcomes[5]}) ==
        "Reading structures of 12 bytes is fastest laid out as soa: 4500 GB/s. At 12 bytes aos takes 2.25 x as long as "
        "soa: 2000 GB/s instead of 4500 GB/s. No layout is faster than aosoa at 12 bytes.");
  CHECK(advice({outcome_of(layout_case("aos", 12, "one"), 1500)}) ==
        "Reading one field of structures of 12 bytes laid out as aos reaches 1500 GB/s. Add another --layout to see "
        "what this one costs.");
}

TEST_CASE("layout: facts hold the sizes at which a layout is as fast as any", "[layout]") {
  std::vector<Outcome> outcomes = {outcome_of(layout_case("aos", 4), 4500),  outcome_of(layout_case("soa", 4), 4500),
                                   outcome_of(layout_case("aos", 8), 4400),  outcome_of(layout_case("soa", 8), 4500),
                                   outcome_of(layout_case("aos", 12), 2000), outcome_of(layout_case("soa", 12), 4000)};
  const Conclusion concluded = conclusion(outcomes);
  REQUIRE(kinds_of(concluded) == std::vector{FactKind::fastest, FactKind::costs, FactKind::as_fast_as});
  CHECK(concluded.facts[0].outcomes == std::vector<std::size_t>{1, 3, 5});
  CHECK(concluded.facts[1].outcomes == std::vector<std::size_t>{4, 5});
  CHECK(numbers_of(concluded.facts[1], "slowdown_ratio") == std::vector{2.0});
  CHECK(concluded.facts[2].outcomes == std::vector<std::size_t>{0, 2});
  CHECK(numbers_of(concluded.facts[2], "structure_bytes") == std::vector{4.0, 8.0});
  CHECK(report::say(concluded.facts[2]) == "No layout is faster than aos at 4 bytes and 8 bytes.");

  outcomes[4] = within(outcomes[4], 1500, 4100);
  outcomes[5] = within(outcomes[5], 3900, 4100);
  CHECK(kinds_of(conclusion(outcomes)) == std::vector{FactKind::as_fast_as});
}

}  // namespace gpumem::global::test_layout
