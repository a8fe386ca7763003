// The gate that holds launches back, and the timing behind it.

#include "engine/base/error.hpp"
#include "engine/measure/timing.hpp"
#include "tests/catch.hpp"

using namespace gpumem::measure;

namespace {

class CountingExperiment final : public Experiment {
 public:
  void launch(cudaStream_t stream) override {
    check(cudaMemsetAsync(buffer_.data(), 0, buffer_.bytes(), stream), "launch");
    ++launches;
  }
  Verification verify(cudaStream_t /*stream*/) override { return {}; }

  int launches = 0;

 private:
  DeviceBuffer buffer_{1 << 20};
};

}  // namespace

TEST_CASE("work behind a closed gate waits until it opens") {
  const Session session(0);
  Gate gate;
  Event done;
  gate.close(session.stream());
  done.record(session.stream());
  CHECK_FALSE(done.reached());
  gate.open();
  done.synchronize();
  CHECK(done.reached());
  CHECK_FALSE(gate.timed_out());
}

TEST_CASE("a gate nobody opens ends by itself and stays open from then on") {
  const Session session(0);
  Gate gate;
  gate.close(session.stream());
  session.stream().synchronize();
  CHECK(gate.timed_out());
  gate.close(session.stream());
  session.stream().synchronize();
  CHECK_FALSE(gate.timed_out());
}

TEST_CASE("timing batches short launches and keeps every sample") {
  Session session(0);
  Gate gate;
  CountingExperiment experiment;
  StoppingRule rule;
  rule.ci_width = 0;  // never converges
  rule.maximum_samples = 40;
  const Timing timing =
      time_launches(experiment, session, gate, gpumem::measure::Clock::device, rule, [] { return false; });
  CHECK(timing.samples.size() >= 40);
  CHECK(timing.summary.count == timing.samples.size());
  CHECK(timing.launches_per_sample > 1);
  CHECK(static_cast<std::size_t>(experiment.launches) >= timing.samples.size() * timing.launches_per_sample);
  CHECK(timing.summary.min <= timing.summary.median);
}

TEST_CASE("an interrupt ends a measurement between two groups of samples") {
  Session session(0);
  Gate gate;
  CountingExperiment experiment;
  CHECK_THROWS_AS(time_launches(experiment, session, gate, gpumem::measure::Clock::device, {}, [] { return true; }),
                  gpumem::Interrupted);
}
