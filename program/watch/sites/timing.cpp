#include "program/watch/sites/timing.hpp"

#include <algorithm>
#include <array>

#include "program/watch/driver.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

constexpr double ns_per_ms = 1e6;
constexpr std::size_t most_waiting = 4096;  // launches; what comes while so many wait is not timed

/// A kernel takes so much longer between two events than by CUPTI's records, beyond the time of two events with nothing
/// in between (1.28 and 2.91 us on two H100s, driver 580): 1.0 us if it only computes, 1.5 if it writes tens of
/// megabytes. Without a gate before it, even an open one, it is 0.7 us more.
constexpr double launch_ns = 1200;

bool make_events(EventPair& events) {
  return driver().cuEventCreate(&events.start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
         driver().cuEventCreate(&events.stop, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
}

std::optional<double> between_ns(CUevent start, CUevent stop) {
  float milliseconds = 0;
  if (driver().cuEventElapsedTime(&milliseconds, start, stop) != CUDA_SUCCESS) return std::nullopt;
  return static_cast<double>(milliseconds) * ns_per_ms;
}

}  // namespace

/// Closes a gate in the stream and records the event behind it. Returns no gate if that is not possible.
Gate LaunchTimes::begin_behind_gate(const Clock& clock, CUstream stream, CUevent start) {
  const Gate gate = gates_.close(clock.gates, stream);
  if (gate.word == nullptr || (driver().cuMemsetD8Async(clock.byte, 0, 1, stream) == CUDA_SUCCESS &&
                               driver().cuEventRecord(start, stream) == CUDA_SUCCESS)) {
    return gate;
  }
  gates_.open(gate);
  gates_.give_back(gate);
  return {};
}

/// The time between two events behind a gate, in nanoseconds; nullopt if it cannot be measured.
std::optional<double> LaunchTimes::time_nothing(const Clock& clock, CUstream stream, const EventPair& pair) {
  const Gate gate = begin_behind_gate(clock, stream, pair.start);
  if (gate.word == nullptr) return std::nullopt;
  const bool recorded = driver().cuEventRecord(pair.stop, stream) == CUDA_SUCCESS;
  gates_.open(gate);
  gates_.give_back(gate);
  if (!recorded || driver().cuEventSynchronize(pair.stop) != CUDA_SUCCESS) return std::nullopt;
  return between_ns(pair.start, pair.stop);
}

/// Makes a clock in a stream of its own, so that nobody waits for the work that the program has queued. Without gates
/// if that is not possible.
Clock LaunchTimes::make_clock() {
  Clock clock;
  CUstream stream = nullptr;
  EventPair pair;
  if (driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return clock;
  if (make_events(pair) && driver().cuEventCreate(&clock.mark, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
      driver().cuMemAlloc(&clock.byte, 1) == CUDA_SUCCESS &&
      driver().cuEventRecord(clock.mark, stream) == CUDA_SUCCESS &&
      driver().cuEventSynchronize(clock.mark) == CUDA_SUCCESS) {
    clock.marked_ns = now_ns();
    clock.gates = gates_.make_words();
    clock.spare.push_back(pair);
  }
  std::array<double, 9> times{};
  for (double& time : times) {
    const std::optional<double> took = time_nothing(clock, stream, pair);
    if (!took) clock.gates = {};
    time = took.value_or(0);
  }
  std::ranges::nth_element(times, times.begin() + times.size() / 2);
  clock.events_ns = times[times.size() / 2];
  static_cast<void>(driver().cuStreamDestroy(stream));
  if (clock.gates.host == nullptr) {
    watch().output.write_problem(false,
                                 "launches are not timed: the driver does not let a stream wait for the host "
                                 "(cuStreamWaitValue32); --counters times them");
  }
  return clock;
}

/// The context's clock; null if the GPU has no room for one.
Clock* LaunchTimes::clock_of(CUcontext context) {
  if (const auto found = clocks_.find(context); found != clocks_.end()) return &found->second;
  if (!room_.has(0)) {
    watch().output.write_problem(false, "launches are not timed while the GPU has next to no memory left");
    return nullptr;
  }
  return &clocks_.emplace(context, make_clock()).first->second;
}

/// The nanoseconds of a launch that has ended, without what its events take.
std::optional<double> LaunchTimes::own_ns(const Timed& timed) {
  const std::optional<double> took = between_ns(timed.events.start, timed.events.stop);
  if (!took) return std::nullopt;
  return std::max(*took - clocks_[timed.context].events_ns - launch_ns, 0.0);
}

void LaunchTimes::add(const Waiting& launch) {
  const Clock& clock = clocks_[launch.timed.context];
  const std::optional<double> own = own_ns(launch.timed);
  const std::optional<double> began = between_ns(clock.mark, launch.timed.events.start);
  if (!own || !began) return;
  const double began_ns = static_cast<double>(clock.marked_ns) + *began;
  LaunchSlot& counts = *launch.slot->counts;
  add_time(counts, *own, launch.timed.stands_for, launch.timed.like_seen);
  watch().kernels.add_to_time_line(counts, began_ns, *own, launch.timed.stands_for);
  watch().spans.keep(SpanKind::launch, launch.slot->number, reinterpret_cast<std::uintptr_t>(launch.timed.stream),
                     static_cast<std::uint64_t>(began_ns), static_cast<std::uint64_t>(*own));
}

bool LaunchTimes::can_time(CUcontext context) {
  const Clock* const clock = clock_of(context);
  return clock != nullptr && clock->gates.host != nullptr;
}

Timed LaunchTimes::begin(CUcontext context, CUstream stream, std::uint64_t stands_for) {
  take(4);
  if (waiting_.size() >= most_waiting) return {};
  Clock* const clock = clock_of(context);
  if (clock == nullptr || clock->gates.host == nullptr) return {};
  Timed timed;
  if (!clock->spare.empty()) {
    timed.events = clock->spare.back();
    clock->spare.pop_back();
  } else if (!make_events(timed.events)) {
    return {};
  }
  timed.context = context;
  timed.stream = stream;
  timed.stands_for = stands_for;
  timed.gate = begin_behind_gate(*clock, stream, timed.events.start);
  if (timed.gate.word == nullptr) {
    clock->spare.push_back(timed.events);
    return {};
  }
  return timed;
}

void LaunchTimes::end(Timed& timed) {
  const bool recorded = driver().cuEventRecord(timed.events.stop, timed.stream) == CUDA_SUCCESS;
  timed.counts = recorded && driver().cuEventQuery(timed.events.start) == CUDA_ERROR_NOT_READY;
  gates_.open(timed.gate);
}

void LaunchTimes::keep(const Timed& timed, const Slot& slot, bool launched) {
  gates_.give_back(timed.gate);
  if (timed.counts && launched) {
    waiting_.push_back({timed, &slot});
    some_wait_ = true;
  } else {
    clocks_[timed.context].spare.push_back(timed.events);
  }
}

std::optional<double> LaunchTimes::wait(const Timed& timed) {
  gates_.give_back(timed.gate);
  const bool ended = driver().cuStreamSynchronize(timed.stream) == CUDA_SUCCESS;
  clocks_[timed.context].spare.push_back(timed.events);
  return ended && timed.counts ? own_ns(timed) : std::nullopt;
}

void LaunchTimes::take(std::size_t most) {
  for (std::size_t i = 0; i < most && !waiting_.empty(); ++i) {
    const Waiting& oldest = waiting_.front();
    const CUresult state = driver().cuEventQuery(oldest.timed.events.stop);
    if (state == CUDA_ERROR_NOT_READY) return;
    if (state == CUDA_SUCCESS) {
      add(oldest);
      clocks_[oldest.timed.context].spare.push_back(oldest.timed.events);
    }
    waiting_.pop_front();
  }
  some_wait_ = !waiting_.empty();
}

void LaunchTimes::forget(CUcontext context) {
  clocks_.erase(context);
  std::erase_if(waiting_, [&](const Waiting& launch) { return launch.timed.context == context; });
}

}  // namespace gpumem::inject
