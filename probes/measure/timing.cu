#include <algorithm>
#include <cmath>

#include "probes/error.hpp"
#include "probes/measure/timing.hpp"

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

__global__ void hold(GateFlags* flags) {
  std::uint64_t start = 0;
  std::uint64_t now = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(start));
  while (flags->open == 0) {
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    if (now - start > gate_timeout_ns) {
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

/// Takes `count` samples of `launches` each behind one gate.
void take_samples(Experiment& experiment, const Stream& stream, Gate& gate, std::size_t count, unsigned launches,
                  std::vector<Event>& events, std::vector<Seconds>& samples) {
  while (events.size() < count + 1) events.emplace_back();
  {
    const ClosedGate closed(gate, stream);
    // Back to back, each sample's end is the next one's start.
    events[0].record(stream);
    for (std::size_t i = 0; i < count; ++i) {
      for (unsigned k = 0; k < launches; ++k) experiment.launch(stream.get());
      events[i + 1].record(stream);
    }
  }
  stream.synchronize();
  // After a time-out launches may have trickled in with gaps between them; those samples do not count.
  if (gate.timed_out()) return;
  for (std::size_t i = 0; i < count; ++i) samples.push_back(elapsed(events[i], events[i + 1]) / launches);
}

}  // namespace

Gate::Gate() : flags_(sizeof(GateFlags)) {}

void Gate::close(const Stream& stream) {
  auto* flags = flags_.as<GateFlags>();
  flags->open = 0;
  flags->timed_out = 0;
  if (disabled_) return;
  hold<<<1, 1, 0, stream.get()>>>(flags_.device_as<GateFlags>());
  check(cudaGetLastError(), "launch the kernel that holds launches back");
}

void Gate::open() { flags_.as<GateFlags>()->open = 1; }

bool Gate::timed_out() {
  if (flags_.as<GateFlags>()->timed_out == 0) return false;
  disabled_ = true;
  return true;
}

Timing time_launches(Experiment& experiment, Session& session, Gate& gate, const StoppingRule& rule,
                     const std::function<bool()>& interrupted) {
  const auto begin = std::chrono::steady_clock::now();
  const auto elapsed_time = [&] { return Seconds(std::chrono::steady_clock::now() - begin); };
  const Seconds estimate = std::max(estimate_launch(experiment, session), Seconds{1e-7});

  Timing timing;
  timing.launches_per_sample =
      static_cast<unsigned>(std::clamp(std::ceil(shortest_sample / estimate), 1.0, double{most_launches_per_sample}));
  const Seconds sample_time = estimate * timing.launches_per_sample;
  const auto affordable = static_cast<std::size_t>(std::max(queued_work / sample_time, 1.0));
  const std::size_t most_at_once = std::max<std::size_t>(
      std::min({affordable, most_queued / (timing.launches_per_sample + 1), rule.maximum_samples}), 1);

  std::vector<Event> events;
  auto decision = StoppingRule::Decision::more;
  while (decision == StoppingRule::Decision::more) {
    if (interrupted()) throw Interrupted{};
    // First as many as a decision needs, then in steps small enough not to overshoot.
    const std::size_t missing =
        timing.samples.size() < rule.minimum_samples ? rule.minimum_samples - timing.samples.size() : 5;
    take_samples(experiment, session.stream(), gate, std::min(missing, most_at_once), timing.launches_per_sample,
                 events, timing.samples);
    decision = rule.decide(timing.samples, elapsed_time());
  }
  timing.converged = decision == StoppingRule::Decision::converged;
  timing.summary = summarise(timing.samples);
  return timing;
}

Seconds estimate_launch(Experiment& experiment, Session& session) {
  constexpr int repeats = 3;
  Event start;
  Event stop;
  experiment.launch(session.stream().get());
  Seconds shortest = Seconds::max();
  for (int i = 0; i < repeats; ++i) {
    start.record(session.stream());
    experiment.launch(session.stream().get());
    stop.record(session.stream());
    shortest = std::min(shortest, Seconds(elapsed(start, stop)));
  }
  return shortest;
}

}  // namespace gpumem::measure
