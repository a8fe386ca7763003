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
                   .repeatable = watched.launch.repeatable && lacks_time(*watched.slot) && times_.can_time(context)};
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

/// Launches the kernel once more, and waits for it where its time can be taken.
CUresult LaunchObserver::time_again(const Sample& sample, std::optional<double>& took_ns,
                                    const std::function<CUresult()>& again) {
  Timed timed = times_.begin(sample.context, sample.stream, 1);
  const CUresult result = again();
  if (timed.events.start == nullptr) return result;
  times_.end(timed);
  if (const auto waited_ns = times_.wait(timed); result == CUDA_SUCCESS) took_ns = waited_ns;
  return result;
}

ObservedLaunch LaunchObserver::begin(const WatchedLaunch& watched, CUcontext context) {
  const Spending spending(watch().overhead);
  Slot& slot = *watched.slot;
  ObservedLaunch launch;
  launch.kernel = watched.kernel;
  watch().count_launches(slot, 1, now_ns());
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
  watch().count_launches(slot, 1, now_ns());
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
    const Relaunch relaunch{again,
                            [&](std::optional<double>& took_ns) { return time_again(launch.sample, took_ns, again); }};
    const SampleEnd end = sampler_.end(launch.sample, launch.event, launch.began_ns, relaunch);
    result = end.result;
    needed_ns = end.would_take_ns;
    LaunchSlot& counts = *launch.slot->counts;
    if (end.launch_ns > 0) add_time(counts, end.launch_ns, 1);
    if (end.repeat_ns > 0) counts.repeat_ns = static_cast<std::uint64_t>(end.repeat_ns);
    // One of the two is known at most. Nothing happens if neither is.
    watch().kernels.add_to_time_line(counts, static_cast<double>(launch.began_ns),
                                     std::max(end.launch_ns, end.repeat_ns), 1);
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
