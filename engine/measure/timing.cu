#include <algorithm>
#include <cmath>
#include <cstddef>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/measure/global_timer.cuh"
#include "engine/measure/timing.hpp"

namespace gpumem::measure {

namespace {

constexpr std::uint64_t gate_timeout_ns = 200'000'000;

/// Samples shorter than this are batched: the events' own cost, about a microsecond, is then lost in them.
constexpr Seconds shortest_sample{200e-6};
constexpr unsigned most_launches_per_sample = 100;
/// A full launch queue would block the host while the gate waits for it.
constexpr std::size_t most_queued = 400;
/// Work queued behind one gate; keeps interrupts and time budgets responsive.
constexpr Seconds queued_work{0.05};

struct GateFlags {
  volatile std::uint32_t open;
  volatile std::uint32_t timed_out;
};

__global__ void hold_stream(GateFlags* flags) {
  const std::uint64_t start = global_ns();
  while (flags->open == 0) {
    if (global_ns() - start > gate_timeout_ns) {
      flags->timed_out = 1;
      return;
    }
  }
}

/// Opens the gate on every way out, so that a failing launch does not leave the device spinning until the time-out.
class ClosedGate {
 public:
  ClosedGate(Gate& gate, const Stream& stream) : gate_(&gate) { gate.close(stream); }
  ~ClosedGate() { gate_->open(); }
  ClosedGate(const ClosedGate&) = delete;
  ClosedGate& operator=(const ClosedGate&) = delete;

 private:
  Gate* gate_;
};

struct Batch {
  std::size_t samples = 1;
  unsigned launches = 1;  ///< of each sample
};

/// Takes a batch of samples behind one gate, or behind none.
void take_samples(Experiment& experiment, const Stream& stream, Gate* gate, const Batch& batch,
                  std::vector<Event>& events, std::vector<Seconds>& samples) {
  while (events.size() < batch.samples + 1) events.emplace_back();
  {
    std::optional<ClosedGate> closed;
    if (gate != nullptr) closed.emplace(*gate, stream);
    // Back to back, each sample's end is the next one's start.
    events[0].record(stream);
    for (std::size_t i = 0; i < batch.samples; ++i) {
      for (unsigned k = 0; k < batch.launches; ++k) experiment.launch(stream.get());
      events[i + 1].record(stream);
    }
  }
  stream.synchronize();
  // After a time-out launches may have trickled in with gaps between them; those samples do not count.
  if (gate != nullptr && gate->timed_out()) return;
  for (std::size_t i = 0; i < batch.samples; ++i) {
    samples.push_back(elapsed(events[i], events[i + 1]) / batch.launches);
  }
}

/// By the host's clock, from the call of each launch until the stream is idle again.
Seconds time_on_host(Experiment& experiment, const Stream& stream, unsigned launches) {
  const auto start = std::chrono::steady_clock::now();
  for (unsigned k = 0; k < launches; ++k) {
    experiment.launch(stream.get());
    stream.synchronize();
  }
  return Seconds(std::chrono::steady_clock::now() - start) / launches;
}

}  // namespace

Gate::Gate() : flags_(sizeof(GateFlags)) {
  auto* flags = flags_.as<GateFlags>();
  flags->open = 1;
  flags->timed_out = 0;
}

void Gate::close(const Stream& stream) {
  auto* flags = flags_.as<GateFlags>();
  flags->open = 0;
  flags->timed_out = 0;
  if (disabled_) return;
  hold_stream<<<1, 1, 0, stream.get()>>>(flags_.device_as<GateFlags>());
  check(cudaGetLastError(), "launch the kernel that holds launches back");
}

void Gate::open() { flags_.as<GateFlags>()->open = 1; }

bool Gate::timed_out() {
  if (flags_.as<GateFlags>()->timed_out == 0) return false;
  disabled_ = true;
  return true;
}

Timing time_launches(Experiment& experiment, Session& session, Gate& gate, Clock clock, const StoppingRule& rule,
                     const std::function<bool()>& interrupted) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed_time = [&] { return Seconds(std::chrono::steady_clock::now() - begin); };
  const Seconds estimate = std::max(estimate_launch(experiment, session, clock), Seconds{1e-7});

  Timing timing;
  std::vector<Event> events;
  timing.launches_per_sample =
      static_cast<unsigned>(std::clamp(std::ceil(shortest_sample / estimate), 1.0, double{most_launches_per_sample}));
  const bool by_host = clock == Clock::host;
  const std::size_t commands = std::max<std::size_t>(experiment.queued_commands(), 1);
  const bool held = !by_host && commands < most_queued;
  if (held) {  // or one sample could overfill the queue
    timing.launches_per_sample =
        static_cast<unsigned>(std::min<std::size_t>(timing.launches_per_sample, most_queued / commands));
  }
  const Seconds sample_time = estimate * timing.launches_per_sample;
  const auto affordable = static_cast<std::size_t>(std::max(queued_work / sample_time, 1.0));
  const std::size_t most_at_once = std::max<std::size_t>(
      std::min({affordable, most_queued / (timing.launches_per_sample * commands + 1), rule.maximum_samples}), 1);

  const Stream& stream = session.stream();
  const auto take = [&](std::size_t count) {
    if (!by_host) {
      const Batch batch{.samples = count, .launches = timing.launches_per_sample};
      take_samples(experiment, stream, held ? &gate : nullptr, batch, events, timing.samples);
      return;
    }
    for (std::size_t i = 0; i < count; ++i) {
      timing.samples.push_back(time_on_host(experiment, stream, timing.launches_per_sample));
    }
  };
  auto decision = StoppingRule::Decision::more;
  while (decision == StoppingRule::Decision::more) {
    if (interrupted()) throw Interrupted{};
    // First as many as a decision needs, then in steps small enough not to overshoot.
    const std::size_t missing =
        timing.samples.size() < rule.minimum_samples ? rule.minimum_samples - timing.samples.size() : 5;
    take(std::min(missing, most_at_once));
    decision = rule.decide(timing.samples, elapsed_time());
  }
  timing.converged = decision == StoppingRule::Decision::converged;
  timing.summary = summarise(timing.samples);
  return timing;
}

Samples sample_launches(Experiment& experiment, Session& session, const StoppingRule& rule,
                        const std::function<bool()>& interrupted) {
  const auto begin = std::chrono::steady_clock::now();
  Samples samples;
  auto decision = StoppingRule::Decision::more;
  while (decision == StoppingRule::Decision::more) {
    if (interrupted()) throw Interrupted{};
    experiment.launch(session.stream().get());
    session.stream().synchronize();
    samples.values.push_back(experiment.sample());
    decision = rule.decide(samples.values, std::chrono::steady_clock::now() - begin);
  }
  samples.converged = decision == StoppingRule::Decision::converged;
  return samples;
}

Seconds estimate_launch(Experiment& experiment, Session& session, Clock clock) {
  constexpr int repeats = 3;
  const Stream& stream = session.stream();
  Event start;
  Event stop;
  const auto time_on_device = [&] {
    start.record(stream);
    experiment.launch(stream.get());
    stop.record(stream);
    return Seconds(elapsed(start, stop));
  };
  const bool by_host = clock == Clock::host;
  experiment.launch(stream.get());
  stream.synchronize();
  Seconds shortest = Seconds::max();
  for (int i = 0; i < repeats; ++i) {
    shortest = std::min(shortest, by_host ? time_on_host(experiment, stream, 1) : time_on_device());
  }
  return shortest;
}

Summary time_queued(const Stream& stream, unsigned runs, const std::function<void()>& queue) {
  std::vector<Event> marks(runs + 1);
  for (Event& mark : marks) {
    queue();
    mark.record(stream);
  }
  std::vector<Seconds> times;
  for (std::size_t i = 1; i < marks.size(); ++i) times.emplace_back(elapsed(marks[i - 1], marks[i]));
  return summarise(times);
}

double middle_cycles(const DeviceBuffer& cycles) {
  std::vector<std::uint64_t> of_blocks(cycles.bytes() / sizeof(std::uint64_t));
  check(cudaMemcpy(of_blocks.data(), cycles.data(), cycles.bytes(), cudaMemcpyDefault), "read the cycles");
  const auto middle = of_blocks.begin() + static_cast<std::ptrdiff_t>(of_blocks.size() / 2);
  std::ranges::nth_element(of_blocks, middle);
  return static_cast<double>(*middle);
}

}  // namespace gpumem::measure
