// When operations run, worked out by hand on a device whose rates are round.

#include <algorithm>
#include <map>
#include <random>

#include "engine/model/schedule.hpp"
#include "tests/catch.hpp"
#include "tests/engine/model/operations.hpp"

namespace gpumem::model::test_schedule {

namespace {

using Work = Operation::Work;

/// One byte a second each way and 1.5 while both run. Calls, fixed costs and waiting take no time unless a test says
/// so.
Profile round_profile() {
  Profile profile;
  profile.device.copy_engines = 2;
  Rates& rates = profile.rates;
  rates.link.to_device_bytes_per_s = 1;
  rates.link.to_host_bytes_per_s = 1;
  rates.link.both_ways_bytes_per_s = 1.5;
  rates.host.staging_to_device_bytes_per_s = 0.25;
  rates.host.staging_cached_to_device_bytes_per_s = 0.5;
  rates.host.staging_to_host_bytes_per_s = 0.5;
  rates.host.cache_bytes = 16;
  rates.host.copy_bytes_per_s = 2;
  return profile;
}

Profile without_contention() {
  Profile profile = round_profile();
  profile.rates.link.both_ways_bytes_per_s = 2;
  return profile;
}

Schedule simulate(std::vector<Operation> operations, const Profile& profile, double launch_seconds = 0) {
  return schedule(test::workload_of(std::move(operations)), profile, launch_seconds);
}

double stage(const Schedule& simulated, std::string_view name) {
  const auto found = std::ranges::find(simulated.stages, name, &StageTime::stage);
  return found == simulated.stages.end() ? 0 : found->seconds;
}

/// Copy in, compute and copy out, in chunks that take turns on the streams.
std::vector<Operation> chunked(std::uint64_t bytes, std::uint64_t chunks, unsigned streams, bool pageable = false) {
  std::vector<Operation> operations;
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    const unsigned stream = chunk % streams;
    const std::uint64_t part = bytes / chunks;
    operations.push_back({Work::copy_to_device, "copy in", stream, part, 1, pageable});
    operations.push_back({Work::busy_kernel, "kernel", stream, part});
    operations.push_back({Work::copy_to_host, "copy out", stream, part, 1, pageable});
  }
  return operations;
}

}  // namespace

TEST_CASE("in one stream times add up", "[schedule]") {
  Profile profile = round_profile();
  profile.rates.copy.to_device_s = 0.5;
  profile.rates.copy.to_host_s = 0.25;
  profile.rates.launch.fixed_s = 1;
  profile.rates.copy.to_device_call_s = profile.rates.copy.to_host_call_s = 100;  // before the clock starts
  profile.rates.host.wait_s = 100;                                                // after it has stopped
  const Schedule simulated = simulate({{Work::copy_to_device, "copy in", 3, 8},
                                       {Work::busy_kernel, "busy", 3, 4},
                                       {Work::launch, "kernel", 3},
                                       {Work::copy_to_host, "copy out", 3, 2}},
                                      profile, 7);
  CHECK(simulated.seconds == Approx(8.5 + 5 + 7 + 2.25));
  REQUIRE(simulated.timeline.size() == 4);
  double start = 0;
  const std::vector<std::pair<std::string, double>> ends = {
      {"copy in", 8.5}, {"busy", 13.5}, {"kernel", 20.5}, {"copy out", 22.75}};
  for (std::size_t i = 0; i < ends.size(); ++i) {
    CHECK(simulated.timeline[i].stage == ends[i].first);
    CHECK(simulated.timeline[i].stream == 3);
    CHECK(simulated.timeline[i].start_s == Approx(start));
    CHECK(simulated.timeline[i].end_s == Approx(ends[i].second));
    start = ends[i].second;
  }
  CHECK(stage(simulated, "pcie") == Approx(8));      // the longer way
  CHECK(stage(simulated, "copies") == Approx(0.5));  // on that way
  CHECK(stage(simulated, "kernel") == Approx(5));
  CHECK(simulated.stages.size() == 3);
}

TEST_CASE("chunks in many streams take the longest stage, and the first and last chunk's other stages", "[schedule]") {
  for (const std::uint64_t chunks : {1U, 2U, 4U, 16U, 64U}) {
    INFO(chunks << " chunks");
    const double part = 64.0 / static_cast<double>(chunks);
    const double expected = 64 + 2 * part;
    CHECK(simulate(chunked(64, chunks, static_cast<unsigned>(chunks)), without_contention()).seconds ==
          Approx(expected));
    if (chunks < 3) continue;
    // Three stages keep three streams busy; more bring nothing.
    CHECK(simulate(chunked(64, chunks, 3), without_contention()).seconds == Approx(expected));
    // With two, each chunk waits for the one before the last: a pair of chunks every three stages.
    CHECK(simulate(chunked(64, chunks, 2), without_contention()).seconds ==
          Approx(static_cast<double>(chunks) / 2 * 3 * part + part));
    CHECK(simulate(chunked(64, chunks, 1), without_contention()).seconds == Approx(3 * 64));
  }
}

TEST_CASE("copies both ways share the link while both run", "[schedule]") {
  // Both at 0.75 until the shorter has moved its 3 bytes at 4 s; the other has 3 of 6 left.
  const std::vector<Operation> operations = {{Work::copy_to_device, "in", 0, 6}, {Work::copy_to_host, "out", 1, 3}};
  const Schedule simulated = simulate(operations, round_profile());
  CHECK(simulated.timeline[1].end_s == Approx(4));
  CHECK(simulated.timeline[0].end_s == Approx(7));
  CHECK(simulated.seconds == Approx(7));
  CHECK(stage(simulated, "pcie") == Approx(7));
  CHECK(simulate(operations, without_contention()).seconds == Approx(6));

  // A fixed cost is not on the link: the copy to the device starts alone, after 2 s of its own.
  Profile profile = round_profile();
  profile.rates.copy.to_device_s = 2;
  const Schedule later = simulate(operations, profile);
  CHECK(later.timeline[1].end_s == Approx(2 + 1 / 0.75));
  CHECK(later.timeline[0].end_s == Approx(2 + 1 / 0.75 + 5));
}

TEST_CASE("with one copy engine both ways take turns, with none kernels wait too", "[schedule]") {
  const std::vector<Operation> operations = {
      {Work::copy_to_device, "in", 0, 6}, {Work::copy_to_host, "out", 1, 3}, {Work::busy_kernel, "kernel", 2, 8}};
  Profile profile = round_profile();
  CHECK(simulate(operations, profile).seconds == Approx(8));
  profile.device.copy_engines = 1;
  CHECK(simulate(operations, profile).seconds == Approx(9));
  CHECK(stage(simulate(operations, profile), "pcie") == Approx(9));
  profile.device.copy_engines = 0;
  CHECK(simulate(operations, profile).seconds == Approx(17));
  profile.device.copy_engines = 7;
  CHECK(simulate(operations, profile).seconds == Approx(8));
}

TEST_CASE("an engine serves first who comes first", "[schedule]") {
  // Stream 1's kernel is ready at 1 s, stream 0's at 5 s although it was issued before.
  const Schedule simulated = simulate({{Work::copy_to_device, "in", 1, 1},
                                       {Work::copy_to_device, "in", 0, 4},
                                       {Work::busy_kernel, "first issued", 0, 10},
                                       {Work::busy_kernel, "first ready", 1, 10}},
                                      round_profile());
  CHECK(simulated.timeline[3].start_s == Approx(1));
  CHECK(simulated.timeline[2].start_s == Approx(11));
  CHECK(simulated.seconds == Approx(21));
}

TEST_CASE("copies of pageable memory hold the host, so that nothing overlaps", "[schedule]") {
  Profile profile = without_contention();
  profile.rates.copy.pageable_s = 0.25;
  profile.rates.host.wait_s = 3;
  // A copy of one byte stages it for 2 s, moves it in 1 s and costs 0.25 s.
  const Schedule simulated = simulate(chunked(8, 8, 8, true), profile);
  CHECK(simulated.seconds == Approx(8 * (3.25 + 1 + 3.25) + 3));
  CHECK(stage(simulated, "host_copy") == Approx(2 * 8 * 2));
  CHECK(stage(simulated, "copies") == Approx(8 * 0.25));
  CHECK(stage(simulated, "pcie") == Approx(8));

  // A kernel that was launched before goes on beside the copy.
  const Schedule beside =
      simulate({{Work::busy_kernel, "kernel", 0, 10}, {Work::copy_to_device, "in", 1, 2, 1, true}}, profile);
  CHECK(beside.timeline[1].end_s == Approx(6.25));
  CHECK(beside.seconds == Approx(10 + 3));
}

TEST_CASE("pageable memory beyond the host's caches is staged more slowly", "[schedule]") {
  Workload workload;
  workload.operations = {{Work::copy_to_device, "in", 0, 16, 1, true}};
  CHECK(schedule(workload, round_profile(), 0).seconds == Approx(16 / 0.5 + 16));
  workload.host_bytes = 32;  // chunk by chunk, say
  CHECK(schedule(workload, round_profile(), 0).seconds == Approx(16 / 0.25 + 16));
  workload.operations.front().work = Work::copy_to_host;
  CHECK(schedule(workload, round_profile(), 0).seconds == Approx(16 / 0.5 + 16));
}

TEST_CASE("many small copies are limited by what takes longest of each", "[schedule]") {
  Profile profile = round_profile();
  profile.rates.copy.to_device_s = 0.5;
  profile.rates.host.wait_s = 3;
  const auto seconds = [&](double call_s, std::uint64_t bytes, bool one_call = false) {
    profile.rates.copy.to_device_call_s = call_s;
    return simulate({{Work::copy_to_device, "copies", 0, bytes, 100, false, one_call}}, profile);
  };
  // The host: a call each, then the last copy.
  CHECK(seconds(2, 100).seconds == Approx(100 * 2 + 1.5 + 3));
  CHECK(stage(seconds(2, 100), "copies") == Approx(200));
  // The engine: the first call, then all copies.
  CHECK(seconds(1, 100).seconds == Approx(1 + 100 * 1.5 + 3));
  CHECK(stage(seconds(1, 100), "pcie") == Approx(100));
  CHECK(seconds(1, 500).seconds == Approx(1 + 100 * 5.5 + 3));
  CHECK(seconds(1, 500).timeline.size() == 1);
  CHECK(seconds(1, 500).timeline.front().start_s == Approx(1));
  CHECK(seconds(1, 500).timeline.front().end_s == Approx(551));
  // All in one call: each after the first costs what a batched copy does.
  profile.rates.copy.batched_s = 0.125;
  CHECK(seconds(2, 100, true).seconds == Approx(2 + 0.5 + 99 * 0.125 + 100 + 3));
}

TEST_CASE("packing comes before its copy and scattering after it", "[schedule]") {
  Profile profile = round_profile();
  profile.rates.host.copy_piece_s = 0.25;
  const Schedule in = simulate({{Work::pack, "pack", 0, 8, 4}, {Work::copy_to_device, "in", 0, 8}}, profile);
  CHECK(in.timeline[0].end_s == Approx(8 / 2.0 + 4 * 0.25));
  CHECK(in.seconds == Approx(5 + 8));
  CHECK(stage(in, "host_copy") == Approx(5));
  const Schedule out = simulate({{Work::copy_to_host, "out", 0, 8}, {Work::pack, "scatter", 0, 8, 4}}, profile);
  CHECK(out.timeline[1].start_s == Approx(8));
  CHECK(out.seconds == Approx(8 + 5));
}

TEST_CASE("the host computes beside the device unless it waits for a stream", "[schedule]") {
  const auto seconds = [](unsigned stream) {
    return simulate({{Work::copy_to_device, "in", 0, 6}, {Work::busy_host, "host", stream, 5}}, round_profile());
  };
  CHECK(seconds(1).seconds == Approx(6));
  CHECK(seconds(0).seconds == Approx(11));
  CHECK(stage(seconds(1), "host") == Approx(5));
  // A copy that is issued after the host's work waits for that work.
  CHECK(simulate({{Work::busy_host, "host", 1, 5}, {Work::copy_to_device, "in", 0, 6}}, round_profile()).seconds ==
        Approx(11));
}

TEST_CASE("several streams on the device's clock are started from one and joined", "[schedule]") {
  Profile profile = without_contention();
  profile.rates.host.streams_join_s = 2;
  const Operation in{Work::copy_to_device, "in", 0, 6};
  const Operation out{Work::copy_to_host, "out", 1, 6};
  CHECK(simulate({in}, profile).seconds == Approx(6));
  CHECK(simulate({in, out}, profile).seconds == Approx(6 + 2));
  Workload by_host = test::workload_of({in, out});
  by_host.clock = measure::Clock::host;  // which starts each itself
  CHECK(schedule(by_host, profile, 0).seconds == Approx(6));
}

TEST_CASE("any operations end, in order, no sooner than their engines can and no later than one by one", "[schedule]") {
  std::mt19937 random(1);
  const auto up_to = [&](unsigned most) { return static_cast<unsigned>(random() % (most + 1)); };
  Profile profile = round_profile();
  Rates& rates = profile.rates;
  rates.copy.to_device_s = 0.3;
  rates.copy.to_host_s = 0.2;
  rates.copy.batched_s = 0.1;
  rates.copy.to_device_call_s = 0.25;
  rates.copy.to_host_call_s = 0.15;
  rates.launch.fixed_s = 0.1;
  rates.copy.pageable_s = 0.7;
  rates.host.wait_s = 0.5;
  rates.host.copy_piece_s = 0.01;
  for (int round = 0; round < 500; ++round) {
    profile.device.copy_engines = up_to(3);
    std::vector<Operation> operations(1 + up_to(30));
    double one_by_one = rates.host.wait_s;
    for (Operation& operation : operations) {
      operation = {static_cast<Work>(up_to(5)), "", up_to(4), up_to(20), 1 + up_to(3), up_to(4) == 0, up_to(4) == 0};
      // Alone on the host's clock, its calls included; what two of them share of the link is at worst a quarter.
      one_by_one += simulate({operation, {Work::busy_host, "", 0, 0}}, profile, 2).seconds / 0.75;
    }
    operations.push_back({Work::busy_host, "", 0, 0});
    const Schedule simulated = simulate(operations, profile, 2);
    INFO("round " << round);
    CHECK(simulated.seconds <= one_by_one);
    for (const StageTime& busy : simulated.stages) {
      // Staging is done by two engines, the host's packing by a third.
      CHECK(busy.seconds <= simulated.seconds * (busy.stage == "host_copy" ? 3 : 1) * (1 + 1e-9));
    }
    std::map<unsigned, double> end_of_stream;
    for (const measure::StageSpan& span : simulated.timeline) {
      CHECK(span.start_s >= end_of_stream[span.stream] - 1e-9);
      CHECK(span.end_s >= span.start_s);
      CHECK(span.end_s <= simulated.seconds);
      end_of_stream[span.stream] = span.end_s;
    }
  }
}

}  // namespace gpumem::model::test_schedule
