// The probes of the host link on a real GPU: what more than one stream does at once, and what does not fit.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"
#include "engine/measure/host_memory.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"

using namespace gpumem;
using measure::StageSpan;

namespace {

constexpr std::uint64_t mib = 1U << 20U;
constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

std::unique_ptr<app::Backend> quick_backend() {
  app::MeasureOptions options;
  options.stopping.time_budget = measure::Seconds(0);
  return app::make_cuda_backend(options);
}

Case overlap_case(const std::string& how, std::uint64_t streams, std::uint64_t chunks) {
  return {find_probe("overlap"),
          {{"streams", streams},
           {"overlap", how},
           {"kernel_percent", std::uint64_t{125}},
           {"chunks", chunks},
           {"size_bytes", 64 * mib}}};
}

Case transfer_case(const std::string& memory, std::uint64_t bytes) {
  return {find_probe("transfer"),
          {{"size_bytes", bytes}, {"host_memory", memory}, {"direction", std::string("to-device")}}};
}

report::Record run(app::Backend& backend, const Case& tested) {
  report::Record record = backend.run(tested);
  INFO(to_string(tested) << ": " << record.reason.value_or("no reason"));
  REQUIRE(record.status == report::Status::ok);
  return record;
}

/// True if no two spans with the same `key` overlap in time.
template <class Key>
bool one_at_a_time(std::vector<StageSpan> spans, const Key& key) {
  std::ranges::sort(spans, {}, &StageSpan::start_s);
  std::map<std::string, double> end_s;
  return std::ranges::all_of(spans, [&](const StageSpan& span) {
    double& before = end_s.try_emplace(key(span), 0.0).first->second;
    // Events that fire at once may be told apart by their resolution of half a microsecond.
    const bool after = span.start_s >= before - 1e-6;
    before = span.end_s;
    return after;
  });
}

double length_s(const std::vector<StageSpan>& spans) { return std::ranges::max(spans, {}, &StageSpan::end_s).end_s; }

double busy_s(const std::vector<StageSpan>& spans, const std::string& stage) {
  double seconds = 0;
  for (const StageSpan& span : spans) seconds += span.stage == stage ? span.end_s - span.start_s : 0;
  return seconds;
}

}  // namespace

TEST_CASE("a timeline shows every stage of every chunk, one after another in each stream and on each engine") {
  const auto backend = quick_backend();
  for (const std::string how : {"staged", "pageable", "host-work"}) {
    for (const std::uint64_t streams : {1U, 3U}) {
      INFO(how << " in " << streams << " streams");
      const report::Record record = run(*backend, overlap_case(how, streams, 8));
      const std::vector<StageSpan>& spans = record.timeline;
      const std::size_t chunks = streams == 1 ? 1 : 8;
      REQUIRE(spans.size() == 3 * chunks + (how == "host-work" ? 1 : 0));
      for (const std::string stage : {"copy in", "kernel", "copy out"}) {
        CHECK(static_cast<std::size_t>(std::ranges::count(spans, stage, &StageSpan::stage)) == chunks);
      }
      for (const StageSpan& span : spans) {
        CHECK(span.start_s >= 0);
        CHECK(span.end_s >= span.start_s);
      }
      CHECK(one_at_a_time(spans, [](const StageSpan& span) { return std::to_string(span.stream); }));
      CHECK(one_at_a_time(spans, [](const StageSpan& span) { return span.stage; }));
      // It is a run like the timed ones, give or take what recording it costs.
      REQUIRE(record.time);
      const double median_s = record.time->summary.median.count();
      CHECK(length_s(spans) > median_s / 2);
      CHECK(length_s(spans) < median_s * 3);
    }
  }
}

TEST_CASE("streams overlap pinned copies, the kernel and the host's work, and one stream overlaps nothing") {
  const auto backend = quick_backend();
  if (backend->device().copy_engines < 2) {
    WARN("this GPU cannot copy both ways at once");
    return;
  }
  for (const std::string how : {"staged", "host-work"}) {
    INFO(how);
    const auto together = [&](std::uint64_t streams) {
      const std::vector<StageSpan> spans = run(*backend, overlap_case(how, streams, 16)).timeline;
      double sum = 0;
      for (const char* stage : {"copy in", "kernel", "copy out", "host work"}) sum += busy_s(spans, stage);
      return sum / length_s(spans);
    };
    CHECK(together(1) < 1.05);
    CHECK(together(4) > 1.3);
  }
}

TEST_CASE("overlap reports its parts, and a speed-up that its bound limits") {
  const auto backend = quick_backend();
  const report::Record record = run(*backend, overlap_case("host-work", 4, 16));
  const auto metric = [&](std::string_view name) {
    const auto found = std::ranges::find(record.metrics, name, &report::MetricRecord::name);
    REQUIRE(found != record.metrics.end());
    return found->measured.value_or(-1);
  };
  for (const char* name : {"copy_in_ms", "kernel_ms", "copy_out_ms", "host_work_ms"}) CHECK(metric(name) > 0);
  // Calibrated to 125 % of copying in, alone and from the same memory; how well is no matter of a test.
  CHECK(metric("kernel_ms") > metric("copy_in_ms"));
  CHECK(metric("host_work_ms") > 0.5 * metric("copy_in_ms"));
  CHECK(metric("share_of_bound") == Approx(metric("speedup") / metric("bound_speedup")));
  CHECK(metric("share_of_bound") < 1.1);
}

TEST_CASE("a transfer bigger than the device's memory fails alone, saying so") {
  const auto backend = quick_backend();
  for (const std::string memory : {"pageable", "pinned"}) {
    const report::Record record = backend->run(transfer_case(memory, backend->device().memory_bytes / 4 * 4 + gib));
    CHECK(record.status == report::Status::failed);
    const std::string reason = record.reason.value_or("");
    INFO(reason);
    CHECK(reason.find("out of memory") != std::string::npos);
    CHECK(reason.find("smaller --size") != std::string::npos);
    CHECK_FALSE(backend->lost());
    CHECK(run(*backend, transfer_case(memory, mib)).verified == true);
  }
}

TEST_CASE("more pinned memory than the host has is refused before any is locked") {
  const auto backend = quick_backend();
  const std::uint64_t before = available_host_bytes();
  REQUIRE(before > 0);
  for (const host::Memory memory : {host::Memory::pinned, host::Memory::registered, host::Memory::write_combined}) {
    INFO(host::to_string(memory));
    CHECK_THROWS_AS(host::Buffer(memory, before + 4 * gib), Error);
  }
  CHECK(available_host_bytes() > before - gib);

  // Small enough for the device, and with its gaps too big for the host.
  const std::uint64_t bytes = (before / 2 + 2 * gib) / mib * mib;
  if (bytes < backend->device().memory_bytes) {
    const Case batching{find_probe("batching"),
                        {{"copies", std::uint64_t{1}},
                         {"batching", std::string("separate")},
                         {"direction", std::string("to-device")},
                         {"size_bytes", bytes}}};
    const report::Record record = backend->run(batching);
    CHECK(record.status == report::Status::failed);
    const std::string reason = record.reason.value_or("");
    INFO(reason);
    CHECK(reason.find("host memory") != std::string::npos);
    CHECK(reason.find("available") != std::string::npos);
    CHECK(available_host_bytes() > before - gib);
  }
  CHECK(run(*backend, transfer_case("pinned", mib)).verified == true);
}
