// The probe `peer` on a real GPU. With one GPU its every way is taken from that GPU to itself, which no user can ask
// for: other streams, other buffers, the same calls. With several, pairs are run as a user runs them.

#include <algorithm>
#include <memory>
#include <string>

#include "app/run/backend.hpp"
#include "engine/machine/devices.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/timing.hpp"
#include "probes/peer/far_chase.hpp"
#include "probes/peer/peer_case.hpp"
#include "tests/catch.hpp"

using namespace gpumem;

namespace {

Case peer_case(std::uint64_t target, const std::string& via, const std::string& direction, const std::string& at_once,
               std::uint64_t bytes) {
  return {find_probe("peer"),
          {{"source", std::uint64_t{0}},
           {"target", target},
           {"via", via},
           {"direction", direction},
           {"at_once", at_once},
           {"size_bytes", bytes}}};
}

template <class Visitor>
void for_each_way(std::uint64_t target, const Visitor& visit) {
  for (const std::string& via : peer::axis::via.names()) {
    for (const char* direction : {"one-way", "both"}) {
      for (const char* at_once : {"no", "yes"}) {
        for (const std::uint64_t bytes : {std::uint64_t{16}, std::uint64_t{660'000}, std::uint64_t{33} << 20U}) {
          const Case tested = peer_case(target, std::string(via), direction, at_once, bytes);
          INFO(to_string(tested));
          visit(tested);
        }
      }
    }
  }
}

/// That runs each case once. Null, and says so, where this machine has no two.
std::unique_ptr<app::Backend> backend_of_two_gpus(app::MeasureOptions options) {
  if (measure::query_devices().size() < 2) {
    WARN("skipped: it takes two GPUs, and this machine has one");
    return nullptr;
  }
  options.stopping.time_budget = measure::Seconds(0);
  options.links = true;
  return app::make_cuda_backend(options);
}

}  // namespace

TEST_CASE("every way between GPUs moves the right data, from a GPU to itself") {
  measure::Session session(0);
  for_each_way(0, [&](const Case& tested) {
    const auto experiment = tested.probe->prepare(tested, session);
    const measure::Verification found = experiment->verify(session.stream().get());
    CHECK(found.mismatches == 0);
    CHECK(measure::estimate_launch(*experiment, session, measure::Clock::device).count() > 0);
    if (tested.name("at_once") == "yes") {
      CHECK(experiment->sample() > 0);
      CHECK(experiment->metrics(session.stream().get(), {}).front().second > 0);
    }
  });
}

TEST_CASE("a chase ends where it should, from a GPU through its own memory") {
  measure::Session session(0);
  CHECK(peer::far_latency_ns(session, session) > 0);
}

TEST_CASE("every way between two GPUs moves the right data, and is timed") {
  const auto backend = backend_of_two_gpus({});
  if (!backend) return;
  for_each_way(1, [&](const Case& tested) {
    const report::Record record = backend->run(tested);
    INFO(record.reason.value_or("no reason"));
    if (record.status == report::Status::skipped) return;  // no access
    CHECK(record.verified == true);
    CHECK(record.headline.measured.value_or(0) > 0);
  });
}

TEST_CASE("what kernels move between two GPUs is counted, where this machine lets them") {
  app::MeasureOptions options;
  options.counting = measure::Counting::if_possible;
  const auto backend = backend_of_two_gpus(options);
  if (!backend) return;
  for (const char* via : {"kernel-read", "kernel-write"}) {
    const Case tested = peer_case(1, via, "one-way", "no", std::uint64_t{32} << 20U);
    report::Record record = backend->run(tested);
    if (record.status == report::Status::skipped) return;  // no access
    const auto problem = backend->count({&tested, 1}, {&record, 1});
    if (problem) {
      WARN("not counted: " << *problem);
      CHECK(problem->find("need two of them") == std::string::npos);  // whatever else the reason is
      return;
    }
    REQUIRE(record.counters);
    CHECK(std::ranges::find(record.flags, "counts_differ") == record.flags.end());
    const auto bytes = tested.name("via") == "kernel-read" ? record.counters->nvlink_received_bytes
                                                           : record.counters->nvlink_sent_bytes;
    if (backend->device().links.at(1).nvlinks > 0 && bytes)
      CHECK(*bytes == Approx(record.useful_bytes()).epsilon(0.02));
  }
}
