#include "engine/pattern/spatter.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_spatter_json {

namespace {

std::vector<SpatterRun> read(const std::string& text) { return parse_spatter_json(text, "s.json"); }

std::string error(const std::string& text) {
  return error_of([&] { static_cast<void>(read(text)); });
}

using Kernel = SpatterRun::Kernel;

}  // namespace

TEST_CASE("Spatter's files describe gathers and scatters", "[spatter]") {
  const std::vector<SpatterRun> runs = read(R"([
    {"name": "first", "kernel": "Gather", "pattern": [5, 0, 9], "delta": 2, "count": 2},
    {"kernel": "SCATTER", "pattern": "UNIFORM:4:2:NR", "count": 2, "wrap": 3},
    {"pattern": "0,1"}
  ])");
  REQUIRE(runs.size() == 3);
  CHECK(runs[0].name == "first");
  CHECK(runs[0].kernel == Kernel::gather);
  CHECK(all_of(runs[0].gather.value()) == Indices{5, 0, 9, 7, 2, 11});
  CHECK_FALSE(runs[0].scatter);
  CHECK(runs[0].wrap == 1);
  CHECK(runs[1].name.empty());
  CHECK(runs[1].kernel == Kernel::scatter);
  CHECK(all_of(runs[1].scatter.value()) == Indices{0, 2, 4, 6, 8, 10, 12, 14});
  CHECK_FALSE(runs[1].gather);
  CHECK(runs[1].wrap == 3);
  // Spatter's defaults.
  CHECK(runs[2].kernel == Kernel::gather);
  CHECK(runs[2].gather->shifts().growth() == 8);
  CHECK(runs[2].gather->shifts().repeats() == 1024);
}

TEST_CASE("a gather and a scatter at once have a pattern and a delta each", "[spatter]") {
  const SpatterRun run = read(R"([{"kernel": "GS", "pattern-gather": [0, 2], "pattern-scatter": "1,0",
                                   "delta": 100, "delta-gather": 4, "delta-scatter": 3, "count": 2}])")
                             .at(0);
  CHECK(run.kernel == Kernel::gather_scatter);
  CHECK(all_of(run.gather.value()) == Indices{0, 2, 4, 6});
  CHECK(all_of(run.scatter.value()) == Indices{1, 0, 4, 3});
}

TEST_CASE("a multi-kernel finds its indices by indices", "[spatter]") {
  const std::vector<SpatterRun> runs = read(R"([
    {"kernel": "MultiGather", "pattern": [10, 20, 30], "pattern-gather": [2, 0, 0, 1], "delta": 1, "count": 2},
    {"kernel": "MultiScatter", "pattern": "UNIFORM:3:5:NR", "pattern-scatter": [2, 1], "count": 2}])");
  CHECK(runs.at(0).indirect);
  CHECK(all_of(runs[0].gather.value()) == Indices{30, 10, 10, 20, 31, 11, 11, 21});
  CHECK(runs.at(1).kernel == Kernel::scatter);
  CHECK(all_of(runs[1].scatter.value()) == Indices{10, 5, 25, 20});
  CHECK(error(R"([{"kernel": "MultiGather", "pattern": [1, 2], "pattern-gather": [0, 2]}])") ==
        "s.json: /0/pattern-gather: has 2, but the pattern that it indexes has 2 offsets; expected numbers below that");
}

TEST_CASE("Spatter's patterns are shortened, then folded", "[spatter]") {
  const SpatterRun run =
      read(R"([{"pattern": [7, 8, 9, 100], "pattern-size": 3, "boundary": 8, "delta": 0, "count": 1}])").at(0);
  CHECK(all_of(run.gather.value()) == Indices{7, 0, 1});
  CHECK(all_of(read(R"([{"pattern": [7, 100], "boundary": 0, "count": 1}])").at(0).gather.value()) == Indices{7, 100});
  CHECK(error(R"([{"pattern": [7, 8], "pattern-size": 3}])") ==
        "s.json: /0/pattern-size: expected a whole number from 1 to 2");
}

TEST_CASE("a delta in the notation goes before the member, as in Spatter", "[spatter]") {
  CHECK(read(R"([{"pattern": "UNIFORM:8:2:NR", "delta": 3}])").at(0).gather->shifts().growth() == 16);
  CHECK(read(R"([{"pattern": "LAPLACIAN:2:1:9", "delta": 3}])").at(0).gather->shifts().growth() == 1);
  CHECK(read(R"([{"pattern": "MS1:8:4:5", "delta": 3}])").at(0).gather->shifts().growth() == 3);
}

TEST_CASE("deltas may go down, and take turns", "[spatter]") {
  CHECK(all_of(read(R"([{"pattern": [0, 24], "delta": -4, "count": 3}])").at(0).gather.value()) ==
        Indices{8, 32, 4, 28, 0, 24});
  CHECK(all_of(read(R"([{"pattern": [0], "delta": [8, -2], "count": 4}])").at(0).gather.value()) ==
        Indices{0, 8, 6, 14});
}

TEST_CASE("a configuration that cannot be run leaves the others alone", "[spatter]") {
  const std::vector<SpatterRun> runs = read(R"([
    {"pattern": [0, 1], "count": 1},
    {"kernel": "SG", "pattern": [0, 1]},
    {"kernel": "sg", "pattern-gather": [0, 1], "pattern-scatter": [1, 0], "count": 1},
    {"pattern": [3, -1]},
  ])");
  REQUIRE(runs.size() == 4);
  CHECK_FALSE(runs[0].refusal);
  CHECK(all_of(runs[0].gather.value()) == Indices{0, 1});
  CHECK(runs[1].refusal == "s.json: /1/pattern-gather: expected this member, which is missing");
  CHECK(runs[2].kernel == Kernel::gather_scatter);
  CHECK(runs[3].refusal == "s.json: /3/pattern/1: expected a whole number from 0 to 9223372036854775807");
}

TEST_CASE("a comma behind the last item does no harm", "[spatter]") {
  CHECK(read("[{\"pattern\": [0, 1,], \"count\": 1 , \n},\n]").size() == 1);
  CHECK(read(R"([{"pattern": [0], "name": "a,]\",}"}])").at(0).name == "a,]\",}");
  for (const char* text : {"[,]", "[{\"pattern\": [0]},,]", "[{\"pattern\": [0]},", "[{,}]"}) {
    CHECK_THAT(error(text), Catch::Matchers::StartsWith("s.json: "));
  }
}

TEST_CASE("members that say nothing of accesses are ignored and named", "[spatter]") {
  const SpatterRun run =
      read(R"([{"pattern": "0,1", "nruns": 5, "seed": 3, "local-work-size": 1024, "comment": {}}])").at(0);
  CHECK(run.ignored == std::vector<std::string>{"nruns", "seed", "local-work-size", "comment"});
  CHECK(error(R"([{"pattern": "0,1", "detla": 1}])") ==
        "s.json: /0/detla: there is no such member; did you mean 'delta'?");
}

TEST_CASE("what Spatter would not run is refused where it stands", "[spatter]") {
  CHECK(error("{}") == "s.json: /: expected an array of Spatter's configurations");
  CHECK(error("[]") == "s.json: /: expected at least one configuration");
  CHECK(error("[") == "s.json: not valid JSON at line 1, column 2, where it ends");
  CHECK(error("[3]") ==
        "s.json: /0: expected an object, such as {\"kernel\": \"Gather\", \"pattern\": \"UNIFORM:8:1:NR\"}");
  CHECK(error("[{}]") == "s.json: /0/pattern: expected this member, which is missing");
  CHECK(error(R"([{"kernel": "GS", "pattern": [1]}])") ==
        "s.json: /0/pattern-gather: expected this member, which is missing");
  CHECK(error(R"([{"kernel": "GS", "pattern-gather": [1], "pattern-scatter": [1, 2]}])") ==
        "s.json: /0/pattern-scatter: expected as many offsets as pattern-gather has, 1");
  CHECK(error(R"([{"kernel": "Copy", "pattern": [1]}])") ==
        "s.json: /0/kernel: expected Gather, Scatter, GS (or SG), MultiGather or MultiScatter");
  CHECK(error(R"([{"pattern": []}])") == "s.json: /0/pattern: expected at least one offset");
  CHECK(error(R"([{"pattern": 3}])") ==
        "s.json: /0/pattern: expected a notation such as \"UNIFORM:8:1:NR\", or an array of offsets");
  CHECK(error(R"([{"pattern": [0, -1]}, {"pattern": []}])") ==
        "s.json: /0/pattern/1: expected a whole number from 0 to 9223372036854775807");
  CHECK(error(R"([{"pattern": [1.5]}])") ==
        "s.json: /0/pattern/0: expected a whole number from 0 to 9223372036854775807");
  CHECK(error(R"([{"pattern": "UNIFORM:8"}])") ==
        "s.json: /0/pattern: its notation: character 10: expected ':' before STRIDE; it is written "
        "UNIFORM:LENGTH:STRIDE, :DELTA or :NR after it, such as UNIFORM:8:4:NR");
  CHECK(error(R"([{"pattern": [1], "count": 0}])") ==
        "s.json: /0/count: expected a whole number from 1 to 9223372036854775807");
  CHECK(error(R"([{"pattern": [1], "delta": "8"}])") ==
        "s.json: /0/delta: expected a whole number from -9007199254740992 to 9223372036854775807, or a list of them");
  CHECK_THAT(error(R"([{"pattern": [1], "delta": [4, 0.5]}])"), Catch::Matchers::StartsWith("s.json: /0/delta/1: "));
  CHECK(error(R"([{"pattern": [1], "delta": []}])") == "s.json: /0/delta: expected at least one delta");
  CHECK_THAT(error(R"([{"pattern": [1], "delta": 9223372036854775807, "count": 3}])"),
             Catch::Matchers::StartsWith("s.json: /0: its accesses: 3 repeats, each 9223372036854775807 elements"));
}

}  // namespace gpumem::pattern::test::test_spatter_json
