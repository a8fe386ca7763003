#include "program/watch/sites/observed_launch.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "program/watch/driver.hpp"
#include "program/watch/output.hpp"
#include "program/watch/spans.hpp"

namespace gpumem::inject {

namespace {

/// From so many launches of a slot on, one in so many is timed: a time costs the program some microseconds. The
/// numbers are prime, so that launches that take turns (layers of a network) are all timed now and then.
struct Timing {
  std::uint64_t launches;
  std::uint64_t one_in;
};
constexpr Timing timings[] = {{16384, 251}, {1024, 61}, {kept_times, 17}, {0, 1}};
constexpr Timing seldom[] = {{16384, 251}, {1024, 61}, {8, 17}, {0, 1}};

/// Launches that one time stands for.
std::uint64_t one_in(const Slot& slot, std::uint64_t number) {
  for (const Timing& timing : slot.timed_seldom ? seldom : timings) {
    if (number > timing.launches) return timing.one_in;
  }
  return 1;
}

/// Returns true if the kernel's code is loaded, so that the next launch does not have to. Lazy loading at the first
/// launch waits for the stream; drivers before CUDA 12.4 cannot load the code sooner.
bool is_loaded(Kernel& kernel) {
  if (std::exchange(kernel.loaded, true)) return true;
  return driver().cuFuncLoad != nullptr && driver().cuFuncLoad(kernel.function) == CUDA_SUCCESS;
}

/// Returns true if no launch of the slot was timed or repeated.
bool lacks_time(const Slot& slot) { return slot.counts->times == 0 && slot.counts->repeat_ns == 0; }

}  // namespace

bool is_timed(const Slot& slot, std::uint64_t number) { return number % one_in(slot, number) == 0; }

/// Unseen::none where the launch is patched and `launch` knows of it.
Unseen LaunchObserver::begin_sample(const WatchedLaunch& watched, CUcontext context, ObservedLaunch& launch) {
  const std::uint64_t began = now_ns();
  // So that no other work is taken for the launch's.
  if (driver().cuStreamSynchronize(watched.launch.stream) != CUDA_SUCCESS) return Unseen::failed;
  static_cast<void>(is_loaded(*watched.kernel));  // or bringing its code would be taken for the launch's time
  launch.sample = {.context = context,
                   .stream = watched.launch.stream,
                   .kernel = watched.kernel,
                   .blocks = blocks_of(watched.launch.shape),
                   .block_threads = block_threads_of(watched.launch.shape),
                   .dynamic_shared_bytes = watched.launch.shape.dynamic_shared_bytes,
                   .divisible = watched.launch.divisible && watched.kernel->divisible,
                   .repeatable = watched.launch.repeatable && lacks_time(*watched.slot)};
  std::vector<std::byte> parameters = parameters_of(watched.kernel->function, watched.launch);
  launch.numbers = numbers_of(parameters);
  const Unseen reason = sampler_.begin(launch.sample, std::move(parameters));
  watched.kernel->hopeless = reason == Unseen::failed;
  if (reason != Unseen::none) return reason;
  launch.sampled = true;
  launch.shape = watched.launch.shape;
  launch.event = {.slot = watched.slot->number, .order = watched.slot->counts->launches - 1};
  launch.began_ns = began;
  return reason;
}

CUresult LaunchObserver::without_patch(const ObservedLaunch& launch, const std::function<CUresult()>& again) {
  // The patch takes registers, with which a block may not fit any more: the program must not notice.
  sampler_.drop(launch.sample);
  launch.kernel->hopeless = true;
  count_unseen(*launch.slot, Unseen::failed);
  const CUresult result = again();
  if (result != CUDA_ERROR_OUT_OF_MEMORY) return result;
  sampler_.release_tables(launch.sample.context);
  return again();
}

/// Launches the kernel once more and times it, because nobody knows whether the program will. The patched launch took
/// longer than this one can, so that the time for repeats is enough.
void LaunchObserver::time_repeat(const ObservedLaunch& launch, const SampleEnd& seen,
                                 const std::function<CUresult()>& again) {
  // The first launch without the patch may have to bring its code, for which the gate opens too early.
  constexpr unsigned most_tries = 2;
  LaunchSlot& counts = *launch.slot->counts;
  for (unsigned tries = 0; tries < most_tries && counts.repeat_ns == 0; ++tries) {
    if (static_cast<double>(seen.seen_ns) > watch().overhead.left_for_repeats_ns()) return;
    const std::uint64_t began_ns = now_ns();
    Timed timed = times_.begin(launch.sample.context, launch.sample.stream, 1);
    if (timed.events.start == nullptr) return;
    const bool launched = again() == CUDA_SUCCESS;
    times_.end(timed);
    const std::optional<double> took_ns = times_.wait(timed);
    watch().overhead.add_repeat(now_ns() - began_ns);
    if (!launched) return;
    if (took_ns) counts.repeat_ns = static_cast<std::uint64_t>(*took_ns);
  }
  watch().kernels.add_to_time_line(counts, static_cast<double>(launch.began_ns), static_cast<double>(counts.repeat_ns),
                                   1);
}

ObservedLaunch LaunchObserver::begin(const WatchedLaunch& watched, CUcontext context) {
  const Spending spending(watch().overhead);
  Slot& slot = *watched.slot;
  ObservedLaunch launch;
  launch.kernel = watched.kernel;
  watch().count_launches(slot, 1);
  const std::uint64_t wanted = watch().options.launches;
  if (slot.samples < wanted || wanted == 0) {
    Unseen reason = watch().reason_not_to(watched);
    if (reason == Unseen::none) reason = begin_sample(watched, context, launch);
    if (reason == Unseen::none) {
      launch.slot = &slot;
      return launch;
    }
    count_unseen(slot, reason);
  }
  const std::uint64_t number = slot.counts->launches;
  if (!is_timed(slot, number) || watch().overhead.left_ns() < 0 || !is_loaded(*watched.kernel)) return launch;
  launch.timed = times_.begin(context, watched.launch.stream, one_in(slot, number));
  if (launch.timed.events.start == nullptr) return launch;
  launch.slot = &slot;
  if (slot.seen_with != 0) {
    launch.timed.like_seen = numbers_of(parameters_of(watched.kernel->function, watched.launch)) == slot.seen_with;
  }
  return launch;
}

ObservedLaunch LaunchObserver::begin_graph(Slot& slot, CUcontext context, CUstream stream) {
  ObservedLaunch launch;
  watch().count_launches(slot, 1);
  const std::uint64_t number = slot.counts->launches;
  if (!is_timed(slot, number) || watch().overhead.left_ns() < 0) return launch;
  launch.timed = times_.begin(context, stream, one_in(slot, number));
  if (launch.timed.events.start != nullptr) launch.slot = &slot;
  return launch;
}

void LaunchObserver::note_launched(ObservedLaunch& launch) {
  if (launch.slot != nullptr && !launch.sampled) times_.end(launch.timed);
}

CUresult LaunchObserver::end(const ObservedLaunch& launch, CUresult result, const std::function<CUresult()>& again) {
  if (launch.slot == nullptr) return result;
  const Spending spending(watch().overhead);
  const bool launched = result == CUDA_SUCCESS;
  double needed_ns = 0;
  if (!launch.sampled) {
    times_.keep(launch.timed, *launch.slot, launched);
    return result;
  }
  launch.kernel->loaded = launched;
  if (launched) {
    const SampleEnd end = sampler_.end(launch.sample, launch.event, launch.began_ns, again);
    result = end.result;
    needed_ns = end.would_take_ns;
    if (end.launch_ns > 0) add_time(*launch.slot->counts, end.launch_ns, 1);
    if (end.repeatable && result == CUDA_SUCCESS) time_repeat(launch, end, again);
    if (needed_ns > 0) {
      count_unseen(*launch.slot, Unseen::overhead);
    } else {
      if (launch.slot->samples++ == 0) launch.slot->seen_with = launch.numbers;
      if (!watch().options.each_shape) launch.kernel->sampled.push_back(launch.shape);
    }
  } else {
    result = without_patch(launch, again);
  }
  const std::uint64_t took_ns = now_ns() - launch.began_ns;
  launch.kernel->sampling_ns = std::max(needed_ns, static_cast<double>(took_ns));
  watch().spans.keep(SpanKind::sample, launch.slot->number, reinterpret_cast<std::uintptr_t>(launch.sample.stream),
                     launch.began_ns, took_ns);
  return result;
}

}  // namespace gpumem::inject
