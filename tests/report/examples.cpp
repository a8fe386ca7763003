#include "tests/report/examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>

#include "report/explain/explain.hpp"
#include "report/record/fields.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report::examples {

namespace {

constexpr double peak_gb_per_s = 4814.3;

Report frame(const std::string& backend) {
  Report report;
  report.tool = {"0.1.0", "0123456789ab", "GNU 12.2.0", "NVIDIA 13.0.48", "Release"};
  report.command = {"gpumem", "probe"};
  report.started_at = "2026-11-20T21:00:00Z";
  report.backend = backend;
  report.profile = "h200";
  report.profile_source = "shipped";
  report.host = {"node1", "Debian GNU/Linux 12", "Some CPU", 540'000'000'000};
  Device device;
  device.name = "NVIDIA H200";
  device.compute_capability = "9.0";
  device.multiprocessors = 132;
  device.l2_bytes = 62'914'560;
  device.memory_bytes = 150'754'820'096;
  device.memory_bus_bits = 6016;
  device.memory_clock_hz = 3'201'000'000;
  device.sm_clock_hz = 1'980'000'000;
  device.copy_engines = 3;
  if (backend == "cuda") {
    device.uuid = "GPU-01234567-89ab-cdef-0123-456789abcdef";
    device.pci_bus_id = "00000000:01:00.0";
    device.ecc = true;
    device.mig = false;
    device.pcie_generation = 5;
    device.pcie_width = 16;
    device.driver_version = "580.65.06";
    device.runtime_version = "13.0";
  }
  report.device = device;
  report.parameter_columns = {"op",         "offset_elements",     "stride_elements", "stride_words",
                              "word_bytes", "elements_per_thread", "block_threads",   "buffer_bytes"};
  report.metric_columns = {"cycles_per_request", "gb_per_s_per_multiprocessor"};
  return report;
}

/// So many of the report's GPU.
void add_devices(Report& report, std::uint64_t gpus) {
  report.devices.assign(gpus, *report.device);
  for (std::uint64_t i = 0; i < gpus; ++i) {
    report.devices[i].uuid = fmt::format("GPU-{:08x}-89ab-cdef-0123-456789abcdef", 0x01234567 + i);
    report.devices[i].pci_bus_id = fmt::format("00000000:{:02x}:00.0", i + 1);
  }
}

Record global_case(const std::string& probe, const std::string& swept, std::uint64_t value, const std::string& op) {
  Record record;
  record.probe = probe;
  record.swept = swept;
  record.parameters = {{swept, value},
                       {"op", op},
                       {"word_bytes", std::uint64_t{4}},
                       {"elements_per_thread", std::uint64_t{4}},
                       {"block_threads", std::uint64_t{256}},
                       {"buffer_bytes", std::uint64_t{1} << 30U}};
  record.chosen = {"elements_per_thread", "block_threads", "buffer_bytes"};
  return record;
}

void set_bytes(Record& record, const std::string& op) {
  constexpr std::uint64_t bytes = std::uint64_t{1} << 30U;
  record.useful_bytes_read = op == "write" ? 0 : bytes;
  record.useful_bytes_written = op == "read" ? 0 : bytes;
}

void set_access(Record& record, const std::string& op, double sectors) {
  if (op != "write") record.access.push_back(global_site("source", "load", sectors));
  if (op != "read") record.access.push_back(global_site("target", "store", sectors));
}

void finish(Report& report) {
  if (report.devices.empty()) report.devices = {*report.device};
  for (Record& record : report.results) {  // what follows from a bandwidth
    const HeadlineRecord& headline = record.headline;
    if (headline.quantity != bandwidth_name) continue;
    name_headline(record, {headline.quantity, headline.measured, headline.predicted}, headline.peak);
  }
  relate_to_baselines(report.results);
  report.conclusions = conclusions(report.results, find_example_probe);
  report.findings = findings(report.results, report.conclusions);
}

constexpr double link_gb_per_s = 32e9 * 128 / 130 / 8 * 16 / 1e9;

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

const Probe* find_example_probe(std::string_view name) {
  static const std::vector<Probe> probes = [] {
    std::vector<Probe> known(2);
    known[0].name = "transfer";
    known[0].conclude = conclude_transfer;
    known[1].name = "overlap";
    known[1].conclude = conclude_overlap;
    return known;
  }();
  const auto found = std::ranges::find(probes, name, &Probe::name);
  if (found != probes.end()) return &*found;
  const Probe* real = find_probe(name);
  const bool sweeps = real != nullptr && (real->family == Family::global || real->family == Family::shared);
  return sweeps ? real : nullptr;
}

TimeRecord time_record(double median_seconds, std::size_t samples) {
  TimeRecord time;
  const measure::Seconds median(median_seconds);
  time.summary = {median, median * 0.999, median * 1.001, median * 0.99, median * 0.995, median * 1.02, samples};
  for (std::size_t i = 0; i < samples; ++i) {
    // Whole nanoseconds, so that the golden files do not depend on how a processor rounds.
    const double factor = 0.99 + 0.03 * static_cast<double>(i) / static_cast<double>(samples);
    time.samples.emplace_back(std::round(median_seconds * factor * 1e9) / 1e9);
  }
  return time;
}

SiteRecord global_site(const std::string& name, const std::string& op, double sectors_per_request) {
  return {name, "global", op, 4, {{sectors, {sectors_per_request, std::nullopt}}}};
}

Report measured_copy() {
  Report report = frame("cuda");
  report.command = {"gpumem", "probe", "--offset", "0..32"};
  for (std::uint64_t offset = 0; offset <= 32; ++offset) {
    Record record = global_case("offset", "offset_elements", offset, "copy");
    record.baseline = std::uint64_t{0};
    const bool aligned = offset % 8 == 0;
    set_bytes(record, "copy");
    record.headline.predicted = aligned ? 4236.0 : 3700.0;
    set_access(record, "copy", aligned ? 4 : 5);
    record.bottleneck = Bottleneck{aligned ? "dram" : "l2_sectors", std::nullopt};
    report.results.push_back(record);
    Record& added = report.results.back();
    if (offset == 5) {
      added.status = Status::failed;
      added.verified = false;
      added.reason =
          "wrong data at element 7 of the target: expected 0x12345678, got 0xdeadbeef; the copy or the memory is "
          "broken";
      continue;
    }
    added.verified = true;
    const double seconds = (aligned ? 0.000508 : 0.000576) + 1e-7 * static_cast<double>(offset % 5);
    added.time = time_record(seconds, 15 + offset % 3);
    added.headline.measured = 2.0 * static_cast<double>(std::uint64_t{1} << 30U) / seconds / 1e9;
    added.headline.peak = peak_gb_per_s;
    added.fraction_of_peak = *added.headline.measured / peak_gb_per_s;
    if (offset == 7) added.flags = {"wide_interval"};
    if (offset == 9) added.flags = {"throttled", "contended"};
  }
  finish(report);
  return report;
}

Report model() {
  Report report = frame("model");
  report.command = {"gpumem",     "probe",     "--stride", "1..32*2", "--op",
                    "read,write", "--backend", "model",    "--gpu",   "h200"};
  for (const std::string op : {"read", "write"}) {
    for (std::uint64_t stride = 1; stride <= 32; stride *= 2) {
      Record record = global_case("stride", "stride_elements", stride, op);
      record.baseline = std::uint64_t{1};
      set_bytes(record, op);
      const double sectors = std::min(32.0, 4.0 * static_cast<double>(stride));
      set_access(record, op, sectors);
      record.headline.predicted = (op == "read" ? 4580.0 : 4534.0) / static_cast<double>(stride == 32 ? 20 : stride);
      record.headline.peak = peak_gb_per_s;
      record.fraction_of_peak = *record.headline.predicted / peak_gb_per_s;
      record.bottleneck = Bottleneck{stride < 16 ? "dram" : "l2_lines", std::nullopt};
      report.results.push_back(std::move(record));
    }
  }
  finish(report);
  return report;
}

Report banks() {
  Report report = frame("cuda");
  report.profile = std::nullopt;
  report.profile_source = "attributes";
  report.command = {"gpumem", "probe", "--bank-stride", "1..32"};
  for (std::uint64_t stride = 1; stride <= 32; ++stride) {
    Record record;
    record.probe = "bank";
    record.swept = "stride_words";
    record.baseline = std::uint64_t{1};
    record.parameters = {
        {"stride_words", stride}, {"word_bytes", std::uint64_t{4}}, {"block_threads", std::uint64_t{1024}}};
    record.verified = true;
    const auto ways = static_cast<double>(std::gcd(stride, std::uint64_t{32}));
    const double cycles = ways == 1 ? 1.33 : ways;
    record.access.push_back({"tile", "shared", "load", 4, {{wavefronts, {ways, ways}}}});
    record.useful_bytes_read = 132 * 1024 * 4 * 1000;
    record.time = time_record(cycles * 32 * 1000 / 1.98e9, 30);
    record.headline = {.quantity = "cycles_per_request", .better = Better::less, .measured = cycles};
    record.headline.ci95_low = cycles * 0.999;
    record.headline.ci95_high = cycles * 1.002;
    record.headline.samples = std::vector<double>(30, cycles);
    record.headline.predicted = ways;
    record.headline.peak = 1;
    record.fraction_of_peak = 1 / cycles;
    record.bottleneck = Bottleneck{"shared_wavefronts", std::nullopt};
    record.metrics = {{"gb_per_s_per_multiprocessor", 253.4 / cycles, 253.4 / ways}};
    report.results.push_back(std::move(record));
  }
  finish(report);
  return report;
}

Report dry_run() {
  Report report = frame("cuda");
  report.device = std::nullopt;
  report.profile = std::nullopt;
  report.profile_source = "attributes";
  report.command = {"gpumem", "probe", "--offset", "0..3", "--op", "read,copy", "--dry-run"};
  for (std::uint64_t offset = 0; offset <= 3; ++offset) {
    for (const std::string op : {"read", "copy"}) {
      Record record = global_case("offset", "offset_elements", offset, op);
      record.baseline = std::uint64_t{0};
      record.chosen.clear();
      record.parameters.back().value = std::string("auto");
      record.status = Status::skipped;
      record.reason = "dry run";
      report.results.push_back(std::move(record));
    }
  }
  return report;
}

Report single_cases() {
  Report report = frame("cuda");
  report.command = {"gpumem", "probe", "--offset", "0", "--op", "read,write,copy", "--word-bytes", "4,16"};
  double gb_per_s = 4580;
  for (const std::string op : {"read", "write", "copy"}) {
    for (const std::uint64_t word_bytes : {4U, 16U}) {
      Record record = global_case("offset", "offset_elements", 0, op);
      record.baseline = std::uint64_t{0};
      record.parameters[2].value = word_bytes;
      set_bytes(record, op);
      set_access(record, op, static_cast<double>(word_bytes));
      record.headline.predicted = gb_per_s * 1.01;
      record.bottleneck = Bottleneck{"dram", std::nullopt};
      if (op == "copy" && word_bytes == 16) {
        record.status = Status::skipped;
        record.reason =
            "needs 2147483648 bytes of device memory, but only 1073741824 are free; choose a smaller --buffer";
      } else {
        record.verified = true;
        record.time = time_record(
            static_cast<double>(record.useful_bytes_read + record.useful_bytes_written) / gb_per_s / 1e9, 20);
        record.headline.measured = gb_per_s;
        record.headline.peak = peak_gb_per_s;
        record.fraction_of_peak = gb_per_s / peak_gb_per_s;
      }
      gb_per_s -= 50;
      report.results.push_back(std::move(record));
    }
  }
  finish(report);
  return report;
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

Report all_gpus() {
  Report report = frame("cuda");
  report.command = {"gpumem", "probe", "--offset", "0..8", "--device", "all"};
  report.parameter_columns.emplace_back("device");
  constexpr std::uint64_t gpus = 8;
  add_devices(report, gpus);
  for (std::uint64_t device = 0; device < gpus; ++device) {
    report.devices[device].index = static_cast<unsigned>(device);
    for (std::uint64_t offset = 0; offset <= 8; ++offset) {
      Record record = global_case("offset", "offset_elements", offset, "copy");
      record.parameters.push_back({"device", device});
      record.across = "device";
      record.baseline = std::uint64_t{0};
      record.verified = true;
      set_bytes(record, "copy");
      set_access(record, "copy", offset % 8 == 0 ? 4 : 5);
      record.headline.predicted = offset % 8 == 0 ? 4236.0 : 3700.0;
      record.headline.measured =
          *record.headline.predicted * (0.99 + 0.0005 * static_cast<double>((device + offset) % 4));
      if (device == 7) *record.headline.measured *= 0.93;
      record.time = time_record(record.useful_bytes() / *record.headline.measured / 1e9, 20);
      record.headline.peak = peak_gb_per_s;
      record.fraction_of_peak = *record.headline.measured / peak_gb_per_s;
      report.results.push_back(std::move(record));
    }
  }
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
