// The backend that predicts for a node: whose link a case is about, and which GPUs the run has used.

#include "app/run/backend.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/predictions/cases.hpp"

namespace gpumem::app::test_model_backend {

namespace {

/// A probe whose cases are timed by the GPU of their first parameter, and which describes what that one is told of
/// itself: its NUMA node, as useful bytes.
Probe timed_by_any() {
  Probe probe;
  probe.name = "far";
  probe.axes = {{.flag = "source", .parameter = "source", .purpose = "the GPU", .defaults = "0"}};
  probe.baseline = std::uint64_t{0};
  probe.gpus = [](const Case& tested) { return std::vector{tested.number("source")}; };
  probe.describe = [](const Case&, const Device& device) {
    Workload workload;
    workload.blocks = 1;
    workload.block_threads = 32;
    workload.useful_bytes_read = 100 + device.numa_node.value_or(99);
    return workload;
  };
  return probe;
}

Case from(const Probe& probe, std::uint64_t gpu) { return {.probe = &probe, .parameters = {{"source", gpu}}}; }

}  // namespace

TEST_CASE("model backend: cases of a node are described with the GPU that times them", "[backend]") {
  const Probe probe = timed_by_any();
  const auto backend = make_model_backend(model::load_profile("h200x8"));
  CHECK(backend->device().links.size() == 8);
  CHECK(backend->profile() == "h200x8");
  CHECK(backend->profile_source() == "shipped");
  CHECK(backend->devices().size() == 1);
  CHECK(backend->run(from(probe, 1)).useful_bytes_read == 100);
  CHECK(backend->run(from(probe, 7)).useful_bytes_read == 101);
  CHECK(backend->devices().size() == 8);
  // One that is not there is for the description to refuse.
  CHECK(backend->run(from(probe, 8)).useful_bytes_read == 100);
}

TEST_CASE("model backend: trials look at the GPU that times them", "[backend]") {
  const Probe probe = timed_by_any();
  const auto backend = make_model_backend(model::load_profile("h200x8"));
  const std::vector<Case> shapes = {from(probe, 0), from(probe, 7)};
  const double near = backend->trial(shapes[0]);
  const double far = backend->trial(shapes[1]);
  CHECK(near < far);  // it moves more in the same time
  const auto estimates = backend->estimates(shapes);
  REQUIRE(estimates.size() == 2);
  CHECK(estimates[0] == near);
  CHECK(estimates[1] == far);
  CHECK(backend->trial(shapes[0]) == near);
}

TEST_CASE("model backend: what concerns one GPU uses one, of a node too", "[backend]") {
  const auto backend = make_model_backend(model::load_profile("h200x8"));
  const Case tested = model::test::global_case("offset", std::uint64_t{0}, "copy");
  const report::Record record = backend->run(tested);
  CHECK(record.status == report::Status::ok);
  CHECK(record.predicted_s == make_model_backend(model::load_profile("h200"))->run(tested).predicted_s);
  CHECK(backend->devices().size() == 1);
}

TEST_CASE("model backend: a GPU alone has a link to itself", "[backend]") {
  const auto backend = make_model_backend(model::load_profile("h200"));
  REQUIRE(backend->device().links.size() == 1);
  CHECK(backend->device().links[0].path == PeerLink::Path::itself);
  const Probe probe = timed_by_any();
  static_cast<void>(backend->run(from(probe, 0)));
  CHECK(backend->devices().size() == 1);
}

}  // namespace gpumem::app::test_model_backend
