#include "tests/report/examples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>

#include "report/explain/explain.hpp"
#include "report/record/fields.hpp"
#include "report/record/sweep.hpp"
#include "tests/report/example_parts.hpp"

namespace gpumem::report::examples {

namespace {

constexpr double peak_gb_per_s = 4814.3;

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

}  // namespace

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

}  // namespace gpumem::report::examples
