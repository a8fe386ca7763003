#include "program/watch/sites/timing.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "program/watch/driver.hpp"
#include "program/watch/kernels.hpp"
#include "program/watch/memory.hpp"
#include "program/watch/output.hpp"
#include "program/watch/spans.hpp"

namespace gpumem::inject {

namespace {

constexpr double ns_per_ms = 1e6;
constexpr std::size_t most_waiting = 4096;  // launches; what comes while so many wait is not timed

/// A kernel takes so much longer between two events than by CUPTI's records, beyond the time of two events with nothing
/// in between (1.28 and 2.91 us on two H100s, driver 580): 1.0 us if it only computes, 1.5 if it writes tens of
/// megabytes. Without a gate before it, even an open one, it is 0.7 us more.
constexpr double launch_ns = 1200;

struct Waiting {
  Timed timed;
  const Slot* slot;
};

/// Gates, events and memory for the times of a context, made once.
struct Clock {
  GateWords gates;
  /// A byte in GPU memory that is set between a gate and the first of two events. After a copy the stream belongs to
  /// the copy engine, and so do its events; it takes up to 8 us to get from there to a kernel.
  CUdeviceptr byte = 0;
  double events_ns = 0;    ///< what two events take
  CUevent mark = nullptr;  ///< places others on our clock:
  std::uint64_t marked_ns = 0;
  std::vector<EventPair> spare;
};

std::deque<Waiting> waiting;
std::atomic<bool> some_wait = false;
std::unordered_map<CUcontext, Clock> clocks;

bool make_events(EventPair& events) {
  return driver().cuEventCreate(&events.start, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
         driver().cuEventCreate(&events.stop, CU_EVENT_DEFAULT) == CUDA_SUCCESS;
}

std::optional<double> between_ns(CUevent start, CUevent stop) {
  float milliseconds = 0;
  if (driver().cuEventElapsedTime(&milliseconds, start, stop) != CUDA_SUCCESS) return std::nullopt;
  return static_cast<double>(milliseconds) * ns_per_ms;
}

/// Closes a gate in the stream and records the event behind it. Returns no gate if that is not possible.
Gate begin_behind_gate(const Clock& clock, CUstream stream, CUevent start) {
  const Gate gate = close_gate(clock.gates, stream);
  if (gate.word == nullptr || (driver().cuMemsetD8Async(clock.byte, 0, 1, stream) == CUDA_SUCCESS &&
                               driver().cuEventRecord(start, stream) == CUDA_SUCCESS)) {
    return gate;
  }
  open_gate(gate);
  give_back(gate);
  return {};
}

/// The time between two events behind a gate, in nanoseconds; nullopt if it cannot be measured.
std::optional<double> time_nothing(const Clock& clock, CUstream stream, const EventPair& pair) {
  const Gate gate = begin_behind_gate(clock, stream, pair.start);
  if (gate.word == nullptr) return std::nullopt;
  const bool recorded = driver().cuEventRecord(pair.stop, stream) == CUDA_SUCCESS;
  open_gate(gate);
  give_back(gate);
  if (!recorded || driver().cuEventSynchronize(pair.stop) != CUDA_SUCCESS) return std::nullopt;
  return between_ns(pair.start, pair.stop);
}

/// Makes a clock in a stream of its own, so that nobody waits for the work that the program has queued. Without gates
/// if that is not possible.
Clock make_clock() {
  Clock clock;
  CUstream stream = nullptr;
  EventPair pair;
  if (driver().cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING) != CUDA_SUCCESS) return clock;
  if (make_events(pair) && driver().cuEventCreate(&clock.mark, CU_EVENT_DEFAULT) == CUDA_SUCCESS &&
      driver().cuMemAlloc(&clock.byte, 1) == CUDA_SUCCESS &&
      driver().cuEventRecord(clock.mark, stream) == CUDA_SUCCESS &&
      driver().cuEventSynchronize(clock.mark) == CUDA_SUCCESS) {
    clock.marked_ns = now_ns();
    clock.gates = make_gate_words();
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
    output().write_problem(false,
                           "launches are not timed: the driver does not let a stream wait for the host "
                           "(cuStreamWaitValue32); --counters times them");
  }
  return clock;
}

/// The context's clock; null if the GPU has no room for one.
Clock* clock_of(CUcontext context) {
  if (const auto found = clocks.find(context); found != clocks.end()) return &found->second;
  static Room room;
  if (!room.has(0)) {
    output().write_problem(false, "launches are not timed while the GPU has next to no memory left");
    return nullptr;
  }
  return &clocks.emplace(context, make_clock()).first->second;
}

void add(const Waiting& launch) {
  Clock& clock = clocks[launch.timed.context];
  const std::optional<double> took = between_ns(launch.timed.events.start, launch.timed.events.stop);
  const std::optional<double> began = between_ns(clock.mark, launch.timed.events.start);
  if (!took || !began) return;
  const double own_ns = std::max(*took - clock.events_ns - launch_ns, 0.0);
  const double began_ns = static_cast<double>(clock.marked_ns) + *began;
  LaunchSlot& counts = *launch.slot->counts;
  add_time(counts, own_ns, launch.timed.stands_for, launch.timed.like_seen);
  kernels().add_to_time_line(counts, began_ns, own_ns, launch.timed.stands_for);
  spans().keep(SpanKind::launch, launch.slot->number, reinterpret_cast<std::uintptr_t>(launch.timed.stream),
               static_cast<std::uint64_t>(began_ns), static_cast<std::uint64_t>(own_ns));
}

}  // namespace

Timed begin_timing(CUcontext context, CUstream stream, std::uint64_t stands_for) {
  take_times(4);
  if (waiting.size() >= most_waiting) return {};
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

void end_timing(Timed& timed) {
  const bool recorded = driver().cuEventRecord(timed.events.stop, timed.stream) == CUDA_SUCCESS;
  timed.counts = recorded && driver().cuEventQuery(timed.events.start) == CUDA_ERROR_NOT_READY;
  open_gate(timed.gate);
}

void keep_timing(const Timed& timed, const Slot& slot, bool launched) {
  give_back(timed.gate);
  if (timed.counts && launched) {
    waiting.push_back({timed, &slot});
    some_wait = true;
  } else {
    clocks[timed.context].spare.push_back(timed.events);
  }
}

bool has_times_to_take() { return some_wait.load(std::memory_order_relaxed); }

void take_times(std::size_t most) {
  for (std::size_t i = 0; i < most && !waiting.empty(); ++i) {
    const Waiting& oldest = waiting.front();
    const CUresult state = driver().cuEventQuery(oldest.timed.events.stop);
    if (state == CUDA_ERROR_NOT_READY) return;
    if (state == CUDA_SUCCESS) {
      add(oldest);
      clocks[oldest.timed.context].spare.push_back(oldest.timed.events);
    }
    waiting.pop_front();
  }
  some_wait = !waiting.empty();
}

void forget_times(CUcontext context) {
  clocks.erase(context);
  std::erase_if(waiting, [&](const Waiting& launch) { return launch.timed.context == context; });
}

}  // namespace gpumem::inject
