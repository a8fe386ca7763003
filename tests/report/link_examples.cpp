// Examples of copies: over the host link, with kernels beside them, and between GPUs.

#include <algorithm>
#include <cmath>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/text/text.hpp"
#include "tests/report/example_parts.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::examples {

namespace {

/// As measured roughly: a fixed cost and a rate for page-locked memory; pageable memory is staged, and falls behind.
double transfer_seconds(const std::string& host_memory, const std::string& direction, double bytes) {
  const bool to_device = direction == "to-device";
  if (host_memory != "pageable") return (to_device ? 2.6e-6 : 1.8e-6) + bytes / (to_device ? 55.5e9 : 55.4e9);
  return 7e-6 + bytes / (to_device ? 16e9 : 17.5e9) + (bytes > 1e8 ? bytes / 15e9 : 0);
}

Record transfer_case(const std::string& host_memory, const std::string& direction, std::uint64_t bytes) {
  Record record;
  record.probe = "transfer";
  record.swept = "size_bytes";
  record.compared = "host_memory";
  record.baseline = "pageable";
  record.parameters = {{"size_bytes", bytes}, {"host_memory", host_memory}, {"direction", direction}};
  record.verified = true;
  record.useful_bytes_read = bytes;
  const auto gb = static_cast<double>(bytes) / 1e9;
  const double seconds = transfer_seconds(host_memory, direction, static_cast<double>(bytes));
  record.time = time_record(seconds, 20);
  record.headline.measured = gb / seconds;
  record.headline.predicted = gb / (seconds * (host_memory == "pageable" ? 1.05 : 0.98) + 1e-7);
  record.headline.peak = link_gb_per_s;
  record.fraction_of_peak = *record.headline.measured / link_gb_per_s;
  record.bottleneck = Bottleneck{host_memory == "pageable" ? "host_copy" : bytes < 65536 ? "copies" : "pcie", {}};
  record.metrics = {{"to_device_gb_per_s", {}, {}},
                    {"to_host_gb_per_s", {}, {}},
                    {"round_trip_us", seconds * 1e6 + 5, {}},
                    {"setup_us", {}, {}}};
  if (host_memory != "pageable") record.metrics[3].measured = 30 + gb * 3e5;
  return record;
}

/// Chunks that each stream copies in, computes on and copies out. Copies of one direction and kernels each run one at a
/// time; pageable copies keep everything else waiting.
std::vector<measure::StageSpan> overlap_spans(unsigned streams, bool pageable, unsigned chunks) {
  const double copy_s = (pageable ? 28e-3 : 4.84e-3) / chunks;
  const double kernel_s = 6.05e-3 / chunks;
  std::vector<double> stream_free(streams, 0.0);
  double in_free = 0;
  double kernel_free = 0;
  double out_free = 0;
  std::vector<measure::StageSpan> spans;
  const auto run = [&](const std::string& stage, unsigned stream, double& engine, double seconds) {
    const double start = std::max(engine, stream_free[stream]);
    engine = stream_free[stream] = start + seconds;
    spans.push_back({stage, stream, std::round(start * 1e9) / 1e9, std::round(engine * 1e9) / 1e9});
  };
  for (unsigned chunk = 0; chunk < chunks; ++chunk) {
    const unsigned stream = chunk % streams;
    if (pageable) in_free = std::max(in_free, out_free);
    run("copy in", stream, in_free, copy_s);
    run("kernel", stream, kernel_free, kernel_s);
    run("copy out", stream, out_free, copy_s / (pageable ? 2 : 1));
  }
  return spans;
}

Record overlap_case(const std::string& overlap, unsigned streams, unsigned chunks) {
  constexpr std::uint64_t bytes = std::uint64_t{256} << 20U;
  Record record;
  record.probe = "overlap";
  record.swept = "streams";
  record.compared = "overlap";
  record.baseline = "pageable";
  record.parameters = {{"streams", std::uint64_t{streams}},
                       {"overlap", overlap},
                       {"kernel_percent", std::uint64_t{125}},
                       {"chunks", std::uint64_t{chunks}},
                       {"size_bytes", bytes}};
  record.useful_bytes_read = record.useful_bytes_written = bytes;
  record.timeline = overlap_spans(streams, overlap == "pageable", streams == 1 ? 1 : chunks);
  const double seconds = record.timeline.back().end_s;
  record.headline.predicted = 2 * static_cast<double>(bytes) / seconds / 1e9;
  record.headline.peak = 2 * link_gb_per_s;
  record.bottleneck = Bottleneck{overlap == "pageable" ? "host_copy" : "kernel", {}};
  const double sequential = overlap_spans(1, overlap == "pageable", 1).back().end_s;
  const double bound = overlap == "pageable" ? 42e-3 : 6.05e-3;
  record.metrics = {{"speedup", {}, sequential / seconds},
                    {"bound_speedup", {}, sequential / bound},
                    {"share_of_bound", {}, bound / seconds}};
  return record;
}

void measure_overlap(Record& record) {
  record.verified = true;
  record.time = time_record(record.timeline.back().end_s, 20);
  record.headline.measured = *record.headline.predicted;
  *record.headline.predicted *= 1.03;
  record.fraction_of_peak = *record.headline.measured / *record.headline.peak;
}

/// The slowest and the fastest of some outcomes.
auto extremes(std::span<const Outcome> outcomes) { return std::ranges::minmax(outcomes, {}, &Outcome::headline); }

/// A copy or a kernel's reads from one GPU to another. Every pair is as fast as the hash of its numbers says, within a
/// percent.
Record peer_case(std::uint64_t source, std::uint64_t target, const std::string& via, double predicted_gb_per_s) {
  constexpr std::uint64_t bytes = std::uint64_t{256} << 20U;
  Record record;
  record.probe = "peer";
  record.swept = "source";
  record.compared = "via";
  record.across = "target";
  record.baseline = "copy-engine";
  record.parameters = {{"source", source},       {"target", target}, {"via", via},
                       {"direction", "one-way"}, {"at_once", "no"},  {"size_bytes", bytes}};
  record.verified = true;
  record.useful_bytes_read = bytes;
  const double gb_per_s = predicted_gb_per_s * (0.98 + 0.001 * static_cast<double>((source * 7 + target * 3) % 8));
  record.time = time_record(static_cast<double>(bytes) / gb_per_s / 1e9, 20);
  record.headline.measured = gb_per_s;
  record.headline.predicted = predicted_gb_per_s;
  record.headline.peak = predicted_gb_per_s > 100 ? 450 : link_gb_per_s;
  record.fraction_of_peak = gb_per_s / *record.headline.peak;
  record.bottleneck = Bottleneck{predicted_gb_per_s > 100 ? "nvlink" : "pcie", {}};
  if (via == "kernel-read") record.metrics = {{"latency_ns", 1000 + static_cast<double>(source + target), {}}};
  return record;
}

void slow_down(Record& record, double factor) {
  record.time = time_record(record.time->summary.median.count() / factor, 20);
  *record.headline.measured *= factor;
  *record.fraction_of_peak *= factor;
}

void fail(Record& record, Status status, const std::string& reason) {
  record.status = status;
  record.reason = reason;
  record.verified.reset();
  record.time.reset();
  record.headline.measured = record.fraction_of_peak = std::nullopt;
  record.metrics.clear();
}

/// The pairs of the GPUs, of each via, predicted as the function of both says.
template <class Predicted>
Report pairs(std::uint64_t gpus, const std::vector<std::string>& vias, const Predicted& predicted) {
  Report report = frame("cuda");
  report.command = {"gpumem", "probe", "--peer", join(vias, ",")};
  report.parameter_columns = {"source", "target", "via", "direction", "at_once", "size_bytes"};
  report.metric_columns = {"latency_ns"};
  add_devices(report, gpus);
  for (const std::string& via : vias) {
    for (std::uint64_t source = 0; source < gpus; ++source) {
      for (std::uint64_t target = 0; target < gpus; ++target) {
        if (source == target) continue;
        report.results.push_back(peer_case(source, target, via, predicted(via, source, target)));
      }
    }
  }
  return report;
}

Record& pair_of(Report& report, const std::string& via, std::uint64_t source, std::uint64_t target) {
  return *std::ranges::find_if(report.results, [&](const Record& record) {
    return record.parameters[0].value == Value(source) && record.parameters[1].value == Value(target) &&
           record.parameters[2].value == Value(via);
  });
}

}  // namespace

Conclusion conclude_transfer(std::span<const Outcome> outcomes) {
  const auto [slowest, fastest] = extremes(outcomes);
  Conclusion conclusion;
  conclusion.facts = {{FactKind::fastest,
                       {fastest.index, slowest.index},
                       "Use {memory} memory: {rate_gb_per_s} at best, {gain_ratio} as fast as {other} at worst.",
                       {{"memory", fastest.tested.name("host_memory")},
                        {"rate_gb_per_s", fastest.headline},
                        {"gain_ratio", fastest.headline / slowest.headline},
                        {"other", slowest.tested.name("host_memory")}}}};
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    const bool pageable = outcomes[i].tested.name("host_memory") == "pageable";
    conclusion.quantities.push_back({"fixed_cost_us", pageable ? 7.0 : 2.6, {i}});
  }
  return conclusion;
}

Conclusion conclude_overlap(std::span<const Outcome> outcomes) {
  const auto [slowest, fastest] = extremes(outcomes);
  return {.facts = {{FactKind::fastest,
                     {fastest.index, slowest.index},
                     "Use {streams} streams, {overlap}: {best_ms} instead of {worst_ms}.",
                     {{"streams", static_cast<double>(fastest.tested.number("streams"))},
                      {"overlap", fastest.tested.name("overlap")},
                      {"best_ms", fastest.seconds * 1e3},
                      {"worst_ms", slowest.seconds * 1e3}}}}};
}

Report transfers() {
  Report report = frame("cuda");
  report.device->numa_node = 0;
  report.host_placement = HostPlacement{0, "bound to the GPU's node"};
  report.command = {"gpumem", "probe", "--transfer", "--direction", "to-device,to-host"};
  report.parameter_columns = {"size_bytes", "host_memory", "direction"};
  report.metric_columns = {"to_device_gb_per_s", "to_host_gb_per_s", "round_trip_us", "setup_us", "fixed_cost_us"};
  for (const std::string host_memory : {"pageable", "pinned", "write-combined"}) {
    for (const std::string direction : {"to-device", "to-host"}) {
      for (std::uint64_t bytes = 4096; bytes <= std::uint64_t{1} << 28U; bytes *= 16) {
        report.results.push_back(transfer_case(host_memory, direction, bytes));
      }
    }
  }
  Record& skipped = report.results.back();
  skipped.status = Status::skipped;
  skipped.reason = "out of memory: needs 256 MiB of page-locked host memory";
  skipped.time.reset();
  skipped.headline.measured = skipped.fraction_of_peak = std::nullopt;
  for (MetricRecord& metric : skipped.metrics) metric.measured.reset();
  finish(report);
  return report;
}

Report overlap() {
  Report report = frame("cuda");
  report.host_placement = HostPlacement{std::nullopt, "one node only"};
  report.command = {"gpumem", "probe", "--overlap", "staged,pageable", "--chunks", "16"};
  report.parameter_columns = {"streams", "overlap", "kernel_percent", "chunks", "size_bytes"};
  report.metric_columns = {"speedup", "bound_speedup", "share_of_bound"};
  for (const std::string overlap : {"staged", "pageable"}) {
    for (const unsigned streams : {1U, 2U, 4U}) {
      report.results.push_back(overlap_case(overlap, streams, 16));
      measure_overlap(report.results.back());
    }
  }
  finish(report);
  return report;
}

Report node() {
  Report report = pairs(8, {"copy-engine", "kernel-read"}, [](const std::string& via, std::uint64_t, std::uint64_t) {
    return via == "copy-engine" ? 385.0 : 360.0;
  });
  for (const std::string via : {"copy-engine", "kernel-read"}) {
    slow_down(pair_of(report, via, 2, 5), 0.55);
    slow_down(pair_of(report, via, 5, 2), 0.56);
  }
  const std::string no_access = "no peer access from GPU 6 to GPU 7: the driver forbids it; use --peer staged";
  fail(pair_of(report, "kernel-read", 6, 7), Status::skipped, no_access);
  fail(pair_of(report, "kernel-read", 7, 6), Status::skipped, no_access);
  pair_of(report, "copy-engine", 4, 0).verified = false;
  pair_of(report, "copy-engine", 1, 3).flags = {"throttled"};
  finish(report);
  return report;
}

Report islands() {
  Report report = pairs(8, {"copy-engine"}, [](const std::string&, std::uint64_t source, std::uint64_t target) {
    return source / 4 == target / 4 ? 385.0 : 51.2;
  });
  finish(report);
  return report;
}

Report even_node(std::uint64_t gpus) {
  Report report = pairs(gpus, {"copy-engine"}, [](const std::string&, std::uint64_t, std::uint64_t) { return 385.0; });
  finish(report);
  return report;
}

Report predicted_overlap() {
  Report report = frame("model");
  report.device->pcie_generation = 5;
  report.device->pcie_width = 16;
  report.command = {"gpumem", "probe", "--streams", "1,4", "--chunks", "8", "--backend", "model", "--gpu", "h200"};
  report.parameter_columns = {"streams", "overlap", "kernel_percent", "chunks", "size_bytes"};
  report.metric_columns = {"speedup", "bound_speedup", "share_of_bound"};
  for (const unsigned streams : {1U, 4U}) {
    report.results.push_back(overlap_case("staged", streams, 8));
    Record& record = report.results.back();
    record.fraction_of_peak = *record.headline.predicted / *record.headline.peak;
  }
  finish(report);
  return report;
}

}  // namespace gpumem::report::examples
