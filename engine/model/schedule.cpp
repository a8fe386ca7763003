#include "engine/model/schedule.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <limits>
#include <map>
#include <optional>
#include <utility>

namespace gpumem::model {

namespace {

using Work = Operation::Work;

enum Engine : unsigned { to_device, to_host, kernels, host, engine_count };

/// An operation as the engines see it: equal parts. Each part takes time of the engine's own, then moves bytes over the
/// link.
struct Job {
  Engine engine = host;
  unsigned stream = 0;
  std::uint64_t count = 1;
  bool holds_host = false;  ///< until it ends
  // For each part:
  double call_s = 0;      ///< the host's call that queues it
  double overhead_s = 0;  ///< fixed cost of a copy
  double work_s = 0;      ///< other work of the engine
  double link_bytes = 0;
  double link_bytes_per_s = 1;       ///< while the other direction is idle
  std::string_view work_stage = {};  ///< that `work_s` counts for
};

Engine copy_engine(bool in, const Device& device) {
  if (device.copy_engines == 0) return kernels;
  return in || device.copy_engines == 1 ? to_device : to_host;
}

/// Bytes per second that the host moves from pageable memory to memory that a copy engine can reach, or back.
double staging_bytes_per_s(bool in, const Operation& operation, const Workload& workload, const Rates& rates) {
  if (!in) return rates.host.staging_to_host_bytes_per_s;
  const auto all_host_bytes = static_cast<double>(std::max(operation.bytes, workload.host_bytes));
  return all_host_bytes <= rates.host.cache_bytes ? rates.host.staging_cached_to_device_bytes_per_s
                                                  : rates.host.staging_to_device_bytes_per_s;
}

Job copy_job(const Operation& operation, const Workload& workload, const Profile& profile) {
  const Rates& rates = profile.rates;
  const bool in = operation.work == Work::copy_to_device;
  Job job{.engine = copy_engine(in, profile.device), .count = operation.count, .holds_host = operation.pageable};
  if (operation.one_call && operation.count > 1) {
    job.count = 1;
    job.overhead_s = static_cast<double>(operation.count - 1) * rates.copy.batched_s;
  }
  job.link_bytes = static_cast<double>(operation.bytes) / static_cast<double>(std::max<std::uint64_t>(job.count, 1));
  job.link_bytes_per_s = in ? rates.link.to_device_bytes_per_s : rates.link.to_host_bytes_per_s;
  if (operation.pageable) {
    job.overhead_s += rates.copy.pageable_s;
    job.work_s = job.link_bytes / staging_bytes_per_s(in, operation, workload, rates);
    job.work_stage = "host_copy";
  } else {
    job.overhead_s += in ? rates.copy.to_device_s : rates.copy.to_host_s;
    job.call_s = in ? rates.copy.to_device_call_s : rates.copy.to_host_call_s;
  }
  return job;
}

Job job_of(const Operation& operation, const Workload& workload, const Profile& profile, double launch_seconds) {
  const Rates& rates = profile.rates;
  const auto bytes = static_cast<double>(operation.bytes);
  const auto count = static_cast<double>(operation.count);
  switch (operation.work) {
    case Work::copy_to_device:
    case Work::copy_to_host:
      return copy_job(operation, workload, profile);
    case Work::launch:
      // The host is taken to launch as fast as the device starts what is queued: no slower, or there would be no queue.
      return {.engine = kernels, .count = operation.count, .call_s = rates.launch.fixed_s, .work_s = launch_seconds};
    case Work::busy_kernel:
      return {.engine = kernels,
              .count = operation.count,
              .call_s = rates.launch.fixed_s,
              .work_s = bytes / std::max(count, 1.0) / rates.link.to_device_bytes_per_s + rates.launch.fixed_s,
              .work_stage = "kernel"};
    case Work::pack:
      return {.holds_host = true,
              .work_s = bytes / rates.host.copy_bytes_per_s + count * rates.host.copy_piece_s,
              .work_stage = "host_copy"};
    case Work::busy_host:
      break;
  }
  return {.holds_host = true, .work_s = bytes / rates.link.to_device_bytes_per_s, .work_stage = "host"};
}

/// Advances from event to event: a call of the host returns, or an engine gets to a part's bytes or to its end.
class Simulation {
 public:
  Simulation(std::vector<Job> jobs, const Rates& rates)
      : jobs_(std::move(jobs)), spans_(jobs_.size()), both_ways_share_(share_both_ways(rates)) {}

  void run() {
    while (true) {
      issue();
      // Decided before anything moves on: the end of one part changes the speed of another.
      const bool both_ways = workers_[to_device].on_link() && workers_[to_host].on_link();
      link_share_ = both_ways ? both_ways_share_ : 1;
      double step = std::numeric_limits<double>::infinity();
      if (calling_) step = call_left_;
      for (const Worker& worker : workers_) {
        if (worker.current) step = std::min(step, seconds_left(worker));
      }
      if (std::isinf(step)) return;
      advance(step);
    }
  }

  struct Span {
    std::optional<double> start_s;
    double end_s = 0;
  };
  [[nodiscard]] const std::vector<Job>& jobs() const { return jobs_; }
  [[nodiscard]] const std::vector<Span>& spans() const { return spans_; }
  [[nodiscard]] double now() const { return now_; }
  /// Seconds for which this engine had bytes on the link.
  [[nodiscard]] double link_seconds(Engine engine) const { return workers_[engine].link_seconds; }

 private:
  /// The state of an engine. Parts are identified by the index of their job.
  struct Worker {
    std::deque<std::size_t> waiting;
    std::optional<std::size_t> current;
    double own_seconds_left = 0;
    double link_bytes_left = 0;
    double link_seconds = 0;

    [[nodiscard]] bool on_link() const { return current && own_seconds_left <= 0 && link_bytes_left > 0; }
  };

  static double share_both_ways(const Rates& rates) {
    return std::min(
        1.0, rates.link.both_ways_bytes_per_s / (rates.link.to_device_bytes_per_s + rates.link.to_host_bytes_per_s));
  }

  /// Lets the host go on until a call or a job holds it. Calls that take no time return at once.
  void issue() {
    while (!calling_ && !held_by_ && next_ < jobs_.size()) {
      if (issued_ == jobs_[next_].count) {
        ++next_;
        issued_ = 0;
        continue;
      }
      calling_ = true;
      call_left_ = jobs_[next_].call_s;
      if (call_left_ <= 0) submit();
    }
  }

  /// The call returns: its part takes its place in its stream.
  void submit() {
    calling_ = false;
    ++issued_;
    if (jobs_[next_].holds_host) held_by_ = next_;
    std::deque<std::size_t>& stream = streams_[jobs_[next_].stream];
    stream.push_back(next_);
    if (stream.size() == 1) enqueue(next_);
  }

  void enqueue(std::size_t index) {
    Worker& worker = workers_[jobs_[index].engine];
    worker.waiting.push_back(index);
    if (!worker.current) start(worker);
  }

  void start(Worker& worker) {
    const std::size_t index = worker.waiting.front();
    worker.waiting.pop_front();
    worker.current = index;
    worker.own_seconds_left = jobs_[index].overhead_s + jobs_[index].work_s;
    worker.link_bytes_left = jobs_[index].link_bytes;
    if (!spans_[index].start_s) spans_[index].start_s = now_;
  }

  void finish(Worker& worker) {
    const std::size_t index = *worker.current;
    worker.current.reset();
    spans_[index].end_s = now_;
    if (held_by_ == index) held_by_.reset();
    std::deque<std::size_t>& stream = streams_[jobs_[index].stream];
    stream.pop_front();
    if (!stream.empty()) enqueue(stream.front());
    if (!worker.current && !worker.waiting.empty()) start(worker);
  }

  /// Seconds until this worker gets to its bytes or to its end.
  [[nodiscard]] double seconds_left(const Worker& worker) const {
    if (!worker.on_link()) return worker.own_seconds_left;
    return worker.link_bytes_left / (jobs_[*worker.current].link_bytes_per_s * link_share_);
  }

  void advance(double step) {
    now_ += step;
    std::array<bool, engine_count> ended{};
    for (unsigned engine = 0; engine < engine_count; ++engine) {
      Worker& worker = workers_[engine];
      if (!worker.current) continue;
      const bool due = seconds_left(worker) <= step;
      if (worker.on_link()) {
        worker.link_seconds += step;
        worker.link_bytes_left -=
            due ? worker.link_bytes_left : step * jobs_[*worker.current].link_bytes_per_s * link_share_;
      } else {
        worker.own_seconds_left -= due ? worker.own_seconds_left : step;
      }
      ended[engine] = due && !worker.on_link();
    }
    const bool returns = calling_ && call_left_ <= step;
    call_left_ -= step;
    for (unsigned engine = 0; engine < engine_count; ++engine) {
      if (ended[engine]) finish(workers_[engine]);
    }
    if (returns) submit();
  }

  std::vector<Job> jobs_;
  std::vector<Span> spans_;
  double both_ways_share_;
  double link_share_ = 1;  ///< share of its own rate that each copy gets now
  double now_ = 0;
  std::array<Worker, engine_count> workers_;
  std::map<unsigned, std::deque<std::size_t>> streams_;  ///< parts issued and not ended
  // The host:
  std::size_t next_ = 0;      ///< job it issues
  std::uint64_t issued_ = 0;  ///< parts of it
  bool calling_ = false;
  double call_left_ = 0;
  std::optional<std::size_t> held_by_;  ///< the job whose end it waits for
};

std::vector<StageTime> stages_of(const Simulation& simulation) {
  std::map<std::string_view, double> work;
  std::array<double, engine_count> overheads{};
  double copy_calls = 0;
  for (const Job& job : simulation.jobs()) {
    const auto count = static_cast<double>(job.count);
    if (!job.work_stage.empty()) work[job.work_stage] += count * job.work_s;
    overheads[job.engine] += count * job.overhead_s;
    if (job.overhead_s > 0) copy_calls += count * job.call_s;
  }
  work["copies"] = std::max(copy_calls, std::ranges::max(overheads));
  work["pcie"] = std::max(
      {simulation.link_seconds(to_device), simulation.link_seconds(to_host), simulation.link_seconds(kernels)});
  std::vector<StageTime> stages;
  for (const auto& [stage, seconds] : work) {
    if (seconds > 0) stages.push_back({stage, seconds});
  }
  return stages;
}

}  // namespace

Schedule schedule(const Workload& workload, const Profile& profile, double launch_seconds) {
  const bool host_clock = workload.clock == measure::Clock::host;
  std::vector<Job> jobs;
  for (const Operation& operation : workload.operations) {
    Job job = job_of(operation, workload, profile, launch_seconds);
    job.stream = operation.stream;
    if (!host_clock) job.call_s = 0;  // all was queued before the clock started
    jobs.push_back(job);
  }
  Simulation simulation(std::move(jobs), profile.rates);
  simulation.run();

  const bool joined = !host_clock && std::ranges::any_of(workload.operations, [&](const Operation& operation) {
    return operation.stream != workload.operations.front().stream;
  });
  Schedule result;
  result.seconds = simulation.now() + (host_clock ? profile.rates.host.wait_s : 0) +
                   (joined ? profile.rates.host.streams_join_s : 0);
  for (std::size_t i = 0; i < workload.operations.size(); ++i) {
    const auto& [start_s, end_s] = simulation.spans()[i];
    const Operation& operation = workload.operations[i];
    result.timeline.push_back({operation.stage, operation.stream, start_s.value_or(0), end_s});
  }
  result.stages = stages_of(simulation);
  return result;
}

}  // namespace gpumem::model
