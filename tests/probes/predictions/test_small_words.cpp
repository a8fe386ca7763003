// Predictions of words of 1, 2 and 32 bytes, beside what an H100 reached (configs/reference/h100/words.json,
// words-stride.json).

#include <string>

#include "engine/base/error.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::model::test_small_words {

namespace {

using test::global_case;

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

Prediction predict(const char* gpu, const Case& tested) { return test::predict(tested, load_profile(gpu)); }

Prediction offset(const char* gpu, const std::string& op, std::uint64_t word_bytes, std::uint64_t elements) {
  return predict(gpu, global_case("offset", std::uint64_t{0}, op,
                                  {.word_bytes = word_bytes, .elements_per_thread = elements, .buffer_bytes = gib}));
}

/// Writes over the link that wait for each other, in millions.
double waiting_writes(std::uint64_t word_bytes, std::uint64_t stride) {
  Case tested = gpumem::test::any_case("zero-copy", {{"placement", std::string("mapped")},
                                                     {"op", std::string("write")},
                                                     {"passes", std::uint64_t{1}},
                                                     {"offset_elements", std::uint64_t{0}},
                                                     {"stride_elements", stride},
                                                     {"word_bytes", word_bytes},
                                                     {"buffer_bytes", std::uint64_t{16} << 20U}});
  return predict("h100", tested).demand.link.partial_writes / 1e6;
}

}  // namespace

TEST_CASE("the instructions of small words are predicted as they were measured", "[predict][words]") {
  struct Example {
    const char* op;
    std::uint64_t word_bytes, elements;
    double gb_per_s;
  };
  for (const auto& [op, word_bytes, elements, measured] :
       {Example{"read", 1, 8, 1702}, Example{"read", 1, 4, 1398}, Example{"read", 2, 8, 3113},
        Example{"read", 1, 1, 424}, Example{"write", 1, 8, 1044}, Example{"write", 1, 4, 1012},
        Example{"write", 2, 8, 2080}, Example{"write", 2, 4, 2009}, Example{"copy", 1, 8, 1852},
        Example{"copy", 1, 4, 1821}, Example{"copy", 2, 8, 2902}, Example{"copy", 2, 4, 2771}}) {
    INFO(op << " of " << word_bytes << " bytes, " << elements << " each");
    CHECK(test::gb_per_s(offset("h100", op, word_bytes, elements)) == Approx(measured).epsilon(0.1));
  }
}

TEST_CASE("only small words wait for their instructions", "[predict][words]") {
  CHECK(test::has_stage(offset("h100", "write", 1, 8), "addresses"));
  CHECK(offset("h100", "write", 1, 8).bottleneck == "addresses");
  CHECK_FALSE(test::has_stage(offset("h100", "write", 4, 8), "addresses"));
}

TEST_CASE("device memory reads the sectors that bytes leave incomplete", "[predict][words]") {
  // Counted: 2.14 GB read and 2.16 GB written for 1.07 GB useful.
  const Demand demand = predict("h100", global_case("stride", std::uint64_t{2}, "write",
                                                    {.word_bytes = 1, .elements_per_thread = 4, .buffer_bytes = gib}))
                            .demand;
  CHECK(demand.dram.read_bytes == Approx(2.14e9).epsilon(0.01));
  CHECK(demand.dram.write_bytes == Approx(2.16e9).epsilon(0.01));
}

TEST_CASE("words of one 8-byte block are one write over the link", "[predict][words]") {
  const double blocks = 16 * 1.048576 / 4;  // of 16 MiB at stride 2
  CHECK(waiting_writes(4, 2) == Approx(blocks));
  CHECK(waiting_writes(2, 2) == Approx(blocks));
  CHECK(waiting_writes(1, 2) == Approx(blocks));
  CHECK(waiting_writes(1, 16) == Approx(16 * 1.048576));  // a block each
}

TEST_CASE("words of 32 bytes are predicted where a GPU has them", "[predict][words]") {
  const Prediction wide = offset("b200", "read", 32, 2);
  CHECK(test::gb_per_s(wide) == Approx(test::gb_per_s(offset("b200", "read", 16, 4))).epsilon(0.1));
  CHECK(wide.demand.dram.read_bytes == gib);
  CHECK_THROWS_AS(offset("h100", "read", 32, 2), Error);
}

}  // namespace gpumem::model::test_small_words
