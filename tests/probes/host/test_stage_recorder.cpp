#include "probes/host/overlap/stage_recorder.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_stage_recorder {

using measure::StageSpan;

TEST_CASE("stages of one engine follow each other; waiting for the engine is not part of a stage") {
  // Two streams whose copies were queued at once, and a kernel that runs beside the second copy.
  const std::vector<StageSpan> spans = host::one_after_another(
      {{"copy in", 1, 0.0, 2.0}, {"kernel", 0, 1.0, 1.5}, {"copy in", 0, 0.0, 1.0}, {"kernel", 1, 2.0, 2.5}});
  REQUIRE(spans.size() == 4);
  CHECK(spans[0].stage == "copy in");
  CHECK(spans[0].stream == 0);
  CHECK(spans[0].start_s == 0.0);
  CHECK(spans[1].stage == "kernel");
  CHECK(spans[1].start_s == 1.0);  // on an engine of its own
  CHECK(spans[2].stage == "copy in");
  CHECK(spans[2].start_s == 1.0);  // when the engine was free
  CHECK(spans[2].end_s == 2.0);
  CHECK(spans[3].start_s == 2.0);
}

}  // namespace gpumem::test_stage_recorder
