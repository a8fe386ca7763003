// Loaded latency: how long a load takes while the memory is busy. One multiprocessor chases, all others move traffic at
// a share of what they reach. It follows the Mess benchmark for processors (Esmaili-Dokht and others, A Mess of Memory
// System Benchmarking, Simulation and Application Profiling, MICRO 2024).

#include <algorithm>
#include <cmath>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/cuda.hpp"
#include "probes/hierarchy/loaded_latency/loaded_latency.hpp"
#include "probes/hierarchy/loaded_latency/traffic.cuh"
#include "probes/hierarchy/memory_chase.hpp"

namespace gpumem::hierarchy {

/// A level that is kept busy. Sizes are in sixteenths of L2.
struct BusyLevel {
  const char* level;          ///< as model::latency_levels() calls it
  unsigned chase_sixteenths;  ///< that the nodes span
  unsigned array_sixteenths;  ///< of the array that traffic reads, and of the one that it writes
};

namespace axis {
constexpr Choice<BusyLevel> busy_level{"busy_level", {{"memory", {"memory", 64, 128}}, {"l2", {"l2", 1, 3}}}};
}  // namespace axis

namespace {

constexpr std::uint64_t all_percent = 100;
/// Traffic ends by itself after this time. Else it would never end if the chase, which ends it, ran after it and not
/// beside it.
constexpr std::uint64_t longest_traffic_ns = 1'000'000'000;
/// Duration of the measurement of what unthrottled traffic reaches.
constexpr std::uint64_t reach_ns = 2'000'000;

MemoryWalk loaded_walk(const Case& tested, const Device& device) {
  constexpr std::uint64_t least_bytes = std::uint64_t{1} << 20U;
  const std::uint64_t bytes = device.l2_bytes * tested[axis::busy_level].chase_sixteenths / 16;
  return {std::max(bytes, least_bytes), everything, access::line_bytes, timed_steps};
}

/// The traffic of a whole launch, unthrottled.
PacedTraffic traffic_of(const Case& tested, const Device& device) {
  const std::uint32_t warps = (std::max(device.multiprocessors, 2U) - 1) * traffic_warps;
  const std::uint64_t bytes = device.l2_bytes * tested[axis::busy_level].array_sixteenths / 16;
  return {.chunks = std::max(static_cast<std::uint32_t>(bytes / traffic_chunk_bytes), warps + 1),
          .warps = warps,
          .written_percent = tested[axis::written_percent],
          .longest_ns = longest_traffic_ns};
}

bool has_traffic(const Case& tested) { return tested[axis::traffic_percent] > 0; }

Workload describe_loaded_latency(const Case& decided, const Device& device) {
  Workload workload;
  describe_memory_chase(workload, loaded_walk(decided, device), access::Space::global);
  const std::uint64_t traffic_percent = decided[axis::traffic_percent];
  Chase chase{.level = decided[axis::busy_level].level};
  workload.subject = chase;
  if (!has_traffic(decided)) return workload;
  const PacedTraffic traffic = traffic_of(decided, device);
  workload.allocated_bytes +=
      2 * traffic.chunks * traffic_chunk_bytes + traffic.warps * (access::warp_lanes + 1) * sizeof(std::uint32_t);
  if (traffic_percent == all_percent) {
    workload.subject = {};
    workload.unmodelled = "the model does not know how long unthrottled traffic makes its own queues";
    return workload;
  }
  const auto share = [](std::uint64_t percent) { return static_cast<double>(percent) / all_percent; };
  chase.traffic_share = share(traffic_percent);
  chase.written_share = share(decided[axis::written_percent]);
  workload.subject = chase;
  return workload;
}

class LoadedChase final : public DeviceChase {
 public:
  LoadedChase(const Case& decided, measure::Session& session)
      : DeviceChase(loaded_walk(decided, session.device()), session),
        traffic_(traffic_of(decided, session.device())),
        share_(static_cast<double>(decided[axis::traffic_percent]) / all_percent),
        mismatches_(session) {
    if (!has_traffic(decided)) return;
    const std::uint64_t words = traffic_.chunks * traffic_chunk_bytes / sizeof(std::uint32_t);
    source_ = reinterpret_cast<const uint4*>(session.random_source(words));
    target_ = reinterpret_cast<uint4*>(session.target(words));
    state_ = measure::DeviceBuffer(sizeof(TrafficState));
    chunks_ = measure::DeviceBuffer(traffic_.warps * sizeof(std::uint32_t));
    sums_ = measure::DeviceBuffer(std::size_t{traffic_.warps} * access::warp_lanes * sizeof(std::uint32_t));
    times_ = measure::DeviceBuffer(blocks() * sizeof(TrafficTime));
    // Enough to keep a multiprocessor from holding two blocks of traffic, or one of them and the chase.
    shared_bytes_ = static_cast<unsigned>(session.device().shared_bytes_per_block) - sizeof(std::uint32_t) * 32;
    measure::allow_all_shared_memory(reinterpret_cast<const void*>(move_traffic));
    // CUDA loads a kernel only when no other runs: the first traffic would not be ended, and would time out.
    measure::load_now(reinterpret_cast<const void*>(end_traffic));
    if (share_ < 1) set_pace();
  }

  [[nodiscard]] std::size_t queued_commands() const override { return 8; }

  /// Launches the chase alone: counters are of one kernel at a time.
  void launch_kernel(cudaStream_t stream) override {
    const double share = std::exchange(share_, 0);
    launch(stream);
    share_ = share;
  }

  measure::Verification verify(cudaStream_t stream) override {
    const measure::Verification of_chase = DeviceChase::verify(stream);
    if (of_chase.mismatches > 0 || share_ == 0) return of_chase;
    mismatches_.reset(stream);
    check_traffic<<<blocks(), traffic_threads, 0, stream>>>(traffic_, target_, chunks_.as<std::uint32_t>(),
                                                            sums_.as<std::uint32_t>(), mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .what = "threads of the traffic"};
  }

  std::vector<std::pair<std::string, double>> metrics(cudaStream_t stream, measure::Seconds per_launch) override {
    auto all = DeviceChase::metrics(stream, per_launch);
    if (share_ == 0 || sampled_ > 0) all.emplace_back(traffic_gb_per_s, share_ == 0 ? 0 : bytes_per_ns_ / sampled_);
    return all;
  }

 protected:
  std::uint64_t run(std::uint64_t* result, cudaStream_t stream) override {
    if (share_ == 0) return DeviceChase::run(result, stream);
    begin(stream);
    const std::uint64_t place = DeviceChase::run(result, stream);
    end_traffic<<<1, 1, 0, stream>>>(state_.as<TrafficState>());
    measure::order_streams(beside_.get(), stream, ended_);
    return place;
  }

  void sampled(double nanoseconds) override {
    if (share_ == 0) return;
    const Moved moved = read_moved();
    // The end of the chase ends the traffic, so the traffic must have lasted at least as long.
    if (moved.timed_out || moved.nanoseconds < nanoseconds) {
      throw probe_error(
          "the traffic did not run beside the chase: something runs kernels one after another, as "
          "CUDA_LAUNCH_BLOCKING=1 and some tools do");
    }
    bytes_per_ns_ += moved.bytes_per_ns;
    ++sampled_;
  }

 private:
  /// The traffic of all blocks of a launch.
  struct Moved {
    double bytes_per_cycle = 0;
    double bytes_per_ns = 0;
    double nanoseconds = 0;  ///< of the block that was there longest
    bool timed_out = false;
  };

  [[nodiscard]] unsigned blocks() const { return traffic_.warps / traffic_warps; }

  void begin(cudaStream_t stream) {
    measure::check(cudaMemsetAsync(state_.data(), 0, state_.bytes(), stream), "ready the traffic");
    measure::order_streams(stream, beside_.get(), started_);
    move_traffic<<<blocks(), traffic_threads, shared_bytes_, beside_.get()>>>(
        traffic_, source_, target_, state_.as<TrafficState>(), chunks_.as<std::uint32_t>(), sums_.as<std::uint32_t>(),
        times_.as<TrafficTime>());
    measure::check(cudaGetLastError(), "launch the traffic");
  }

  [[nodiscard]] Moved read_moved() const {
    std::vector<std::uint32_t> chunks(traffic_.warps);
    std::vector<TrafficTime> times(blocks());
    TrafficState state;
    const auto read = [](void* to, const measure::DeviceBuffer& from) {
      measure::check(cudaMemcpy(to, from.data(), from.bytes(), cudaMemcpyDefault), "read what the traffic left");
    };
    read(chunks.data(), chunks_);
    read(times.data(), times_);
    read(&state, state_);
    Moved moved{.timed_out = state.timed_out != 0};
    for (unsigned block = 0; block < blocks(); ++block) {
      double bytes = 0;
      for (unsigned warp = 0; warp < traffic_warps; ++warp) {
        bytes += static_cast<double>(chunks[block * traffic_warps + warp]) * traffic_chunk_bytes;
      }
      const TrafficTime& time = times[block];
      if (time.cycles == 0 || time.nanoseconds == 0) continue;
      moved.bytes_per_cycle += bytes / static_cast<double>(time.cycles);
      moved.bytes_per_ns += bytes / static_cast<double>(time.nanoseconds);
      moved.nanoseconds = std::max(moved.nanoseconds, static_cast<double>(time.nanoseconds));
    }
    return moved;
  }

  /// Measures what the traffic reaches unthrottled, then sets the interval between a warp's chunks so that it moves the
  /// share `share_` of that.
  void set_pace() {
    traffic_.longest_ns = reach_ns;
    begin(beside_.get());
    beside_.synchronize();
    traffic_.longest_ns = longest_traffic_ns;
    const double reached = read_moved().bytes_per_cycle;
    if (!(reached > 0)) throw probe_error("the traffic moved nothing");
    traffic_.interval_cycles =
        static_cast<std::uint64_t>(std::llround(traffic_.warps * double{traffic_chunk_bytes} / (share_ * reached)));
  }

  PacedTraffic traffic_;
  double share_;  ///< of what unthrottled traffic reaches; 0: no traffic
  unsigned shared_bytes_ = 0;
  const uint4* source_ = nullptr;
  uint4* target_ = nullptr;
  measure::Stream beside_;
  measure::Event started_;
  measure::Event ended_;
  measure::DeviceBuffer state_;
  measure::DeviceBuffer chunks_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer times_;
  measure::MismatchCount mismatches_;
  double bytes_per_ns_ = 0;  ///< over all that were sampled
  unsigned sampled_ = 0;
};

}  // namespace

static Probe loaded_latency_probe() {
  Probe probe;
  probe.name = "loaded-latency";
  probe.purpose = "time of a load while the memory is busy";
  probe.family = Family::hierarchy;
  probe.axes = {
      axis::traffic_percent({.flag = "traffic",
                             .unit = "percent",
                             .purpose = "traffic of the other multiprocessors at the same time, of the most they "
                                        "reach; 100 does not hold them back",
                             .defaults = "0,20,40,60,70,80,85,90,95,100",
                             .quick = "0,80,95",
                             .maximum = all_percent}),
      axis::written_percent({.flag = "written",
                             .unit = "percent",
                             .purpose = "share of stores in the traffic",
                             .defaults = "0,50,100",
                             .quick = "0",
                             .maximum = all_percent}),
      axis::busy_level({.flag = "busy-level",
                        .purpose = "memory that traffic and chase go to: device memory, or data that L2 holds",
                        .quick = "memory"})};
  probe.compared = axis::written_percent.name;
  probe.baseline = std::uint64_t{0};
  probe.drawn_over = traffic_gb_per_s;
  probe.headline = latency_headline();
  probe.metrics = {
      latency_ns(),
      {.quantity = {traffic_gb_per_s, "bandwidth of the traffic, loads and stores together", Better::neither},
       .essential = true}};
  probe.describe = describe_loaded_latency;
  probe.prepare = prepared<LoadedChase>;
  probe.conclude = conclude_loaded_latency;
  return probe;
}

GPUMEM_PROBE(loaded_latency_probe);

}  // namespace gpumem::hierarchy
