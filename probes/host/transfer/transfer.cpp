// Transfer: one copy between host and device, from every kind of host memory, to the device, to the host, or both ways
// at once. Page-locked memory is read by the device's copy engines; pageable memory the host has to stage first.

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/host_memory.hpp"
#include "engine/measure/timing.hpp"
#include "probes/experiment.hpp"
#include "probes/host/transfer/transfer_case.hpp"
#include "probes/host/whole_words.hpp"

namespace gpumem::host {

namespace {

using measure::Seconds;

Workload describe_transfer(const Case& decided, const Device& /*device*/) {
  const Transfer transfer(decided);
  Workload workload;
  const auto add = [&](Operation::Work work, const char* stage) {
    workload.operations.push_back({.work = work,
                                   .stage = stage,
                                   .stream = static_cast<unsigned>(workload.operations.size()),
                                   .bytes = transfer.bytes,
                                   .pageable = transfer.pageable()});
    workload.allocated_bytes += transfer.bytes;
    workload.host_bytes += transfer.bytes;
  };
  if (transfer.to_device) {
    add(Operation::Work::copy_to_device, "copy to the device");
    workload.useful_bytes_written = transfer.bytes;
  }
  if (transfer.to_host) {
    add(Operation::Work::copy_to_host, "copy to the host");
    workload.useful_bytes_read = transfer.bytes;
  }
  // Pageable copies are staged by the host, which therefore cannot queue them ahead; device events would miss the part
  // of a copy that passes before the first of them reaches the device.
  if (transfer.pageable()) workload.clock = measure::Clock::host;
  return workload;
}

/// The median of what `sample` returns, for a few runs and as long as it pays; absent when it never returns anything.
template <class Sample>
std::optional<Seconds> median_of_some(const Sample& sample) {
  constexpr int most = 15;
  constexpr int fewest = 3;
  constexpr Seconds enough{0.1};
  std::vector<Seconds> samples;
  const auto start = std::chrono::steady_clock::now();
  for (int run = 0; run < most; ++run) {
    if (run >= fewest && std::chrono::steady_clock::now() - start > enough) break;
    if (const std::optional<Seconds> sampled = sample()) samples.push_back(*sampled);
  }
  return samples.empty() ? std::nullopt : std::optional(measure::summarise(samples).median);
}

class TransferExperiment final : public measure::Experiment {
 public:
  TransferExperiment(const Case& decided, measure::Session& session) : transfer_(decided), session_(&session) {
    if (transfer_.to_device) {
      host_source_ = Buffer(transfer_.memory, transfer_.bytes);
      fill_random(host_source_.words(), transfer_.words());
      target_ = session.target(transfer_.words());
    }
    if (transfer_.to_host) {
      host_target_ = Buffer(transfer_.memory, transfer_.bytes);
      source_ = session.random_source(transfer_.words());
    }
  }

  /// With `both`: two copies, and two events recorded and waited for.
  [[nodiscard]] std::size_t queued_commands() const override { return transfer_.both() ? 6 : 1; }

  void launch(cudaStream_t stream) override {
    if (!transfer_.to_host) return copy_to_device(stream);
    if (!transfer_.to_device) return copy_to_host(stream);
    fork(stream);
    copy_to_device(stream);
    copy_to_host(back_.get());
    join(stream);
  }

  measure::Verification verify(cudaStream_t stream) override {
    if (transfer_.to_device) measure::poison(target_, transfer_.bytes, stream, "poison the target");
    if (transfer_.to_host) fill_poison(host_target_.words(), transfer_.words());
    launch(stream);
    measure::check(cudaStreamSynchronize(stream), "run the transfer");
    measure::Verification found;
    if (transfer_.to_device) {
      found =
          measure::verify_random_words(*session_, target_, transfer_.words(), 0, stream, "32-bit words on the device");
    }
    if (transfer_.to_host && found.mismatches == 0) {
      found = measure::verify_in_host_memory(*session_, host_target_, transfer_.words(), 0, stream);
    }
    return found;
  }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t stream, Seconds per_launch) override {
    std::vector<std::pair<std::string, double>> result;
    // Pageable copies are timed by the host's clock anyway.
    const Seconds round_trip = transfer_.pageable() ? per_launch : round_trip_of(stream);
    result.emplace_back("round_trip_us", round_trip.count() * 1e6);
    if (!transfer_.pageable()) {
      result.emplace_back("setup_us", (host_source_.setup_time() + host_target_.setup_time()).count() * 1e6);
    }
    if (transfer_.both()) add_each_way(result);
    return result;
  }

 private:
  Seconds round_trip_of(cudaStream_t stream) {
    const auto median = median_of_some([&]() -> std::optional<Seconds> {
      const auto start = std::chrono::steady_clock::now();
      launch(stream);
      measure::check(cudaStreamSynchronize(stream), "wait for the transfer");
      return std::chrono::steady_clock::now() - start;
    });
    return *median;
  }

  void copy_to_device(cudaStream_t stream) {
    measure::check(cudaMemcpyAsync(target_, host_source_.data(), transfer_.bytes, cudaMemcpyHostToDevice, stream),
                   "copy to the device");
  }
  void copy_to_host(cudaStream_t stream) {
    measure::check(cudaMemcpyAsync(host_target_.data(), source_, transfer_.bytes, cudaMemcpyDeviceToHost, stream),
                   "copy to the host");
  }

  /// The other stream goes on where `stream` is now.
  void fork(cudaStream_t stream) { measure::order_streams(stream, back_.get(), fork_); }
  /// `stream` goes on when the other stream has come as far as it is now.
  void join(cudaStream_t stream) { measure::order_streams(back_.get(), stream, join_); }

  /// Adds the bandwidth of each way while both run, from events around each copy.
  void add_each_way(std::vector<std::pair<std::string, double>>& result) {
    const measure::Stream& stream = session_->stream();
    measure::Gate gate;
    measure::Event start;
    measure::Event stop;
    measure::Event back_start;
    measure::Event back_stop;
    std::vector<Seconds> back_times;
    const auto to_device = median_of_some([&]() -> std::optional<Seconds> {
      // Behind a gate both copies are queued before either starts. Pageable copies would wait for it to time out.
      if (!transfer_.pageable()) gate.close(stream);
      fork(stream.get());
      start.record(stream);
      copy_to_device(stream.get());
      stop.record(stream);
      back_start.record(back_);
      copy_to_host(back_.get());
      back_stop.record(back_);
      join(stream.get());
      gate.open();
      stream.synchronize();
      if (gate.timed_out()) return std::nullopt;
      back_times.push_back(measure::elapsed(back_start, back_stop));
      return measure::elapsed(start, stop);
    });
    if (!to_device) return;
    const auto gb = static_cast<double>(transfer_.bytes) / 1e9;
    result.emplace_back("to_device_gb_per_s", gb / to_device->count());
    result.emplace_back("to_host_gb_per_s", gb / measure::summarise(back_times).median.count());
  }

  Transfer transfer_;
  measure::Session* session_;
  Buffer host_source_;
  Buffer host_target_;
  std::uint32_t* target_ = nullptr;
  const std::uint32_t* source_ = nullptr;
  measure::Stream back_;  ///< for the copies to the host when both ways are used
  measure::Event fork_;
  measure::Event join_;
};

Probe transfer_probe() {
  Probe probe;
  probe.name = "transfer";
  probe.purpose = "copies between host and device, by the kind of host memory";
  probe.family = Family::host;
  probe.axes = {
      axis::size_bytes({.flag = "size",
                        .purpose = "bytes of a copy, each way; small copies show its fixed cost, large ones the link",
                        .defaults = "4KiB..1GiB*4",
                        .quick = "64KiB,64MiB",
                        .minimum = sizeof(std::uint32_t)}),
      axis::host_memory(
          {.flag = "transfer",
           .purpose = "kind of host memory; only from page-locked memory do copy engines copy by themselves",
           .value_optional = true}),
      axis::direction({.flag = "direction",
                       .purpose = "direction of the data; both is a copy each way at once, in two streams",
                       .quick = "to-device,to-host"})};
  probe.compared = axis::host_memory.name;
  probe.baseline = std::string("pageable");
  probe.headline = bandwidth(link_peak);
  probe.metrics = {
      {{"to_device_gb_per_s", "bandwidth to the device while both ways are used", Better::more}},
      {{"to_host_gb_per_s", "bandwidth to the host while both ways are used", Better::more}},
      {{"round_trip_us", "one copy as the host sees it: the call, and the wait for its end", Better::less}},
      {{"setup_us", "time to allocate pinned memory, or to register memory that was touched", Better::less}}};
  probe.concluded = {
      {"fixed_cost_us", "fixed time of a copy, fitted over the sizes", Better::less},
      {"asymptotic_gb_per_s", "bandwidth that large copies approach, fitted over the sizes", Better::more},
      {"half_size_bytes", "size of the copy that reaches half of that bandwidth, fitted over the sizes", Better::less}};
  probe.describe = describe_transfer;
  probe.validate = [](const Case& chosen) { require_words(chosen[axis::size_bytes]); };
  probe.prepare = prepared<TransferExperiment>;
  probe.conclude = conclude_transfer;
  return probe;
}

GPUMEM_PROBE(transfer_probe);

}  // namespace

}  // namespace gpumem::host
