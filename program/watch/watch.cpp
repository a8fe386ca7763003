#include "program/watch/watch.hpp"

#include <pthread.h>

#include <algorithm>
#include <utility>

#include "program/watch/driver.hpp"

namespace gpumem::inject {

namespace {

void on_allocator_report(void* memory, std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                         std::uint64_t device) {
  watch().allocator_hook.pass_on(memory, bytes, allocated, reserved, device);
}

/// Makes the object. A child finds locks free that other threads held at the fork. The lock of launches is not among
/// them: `start()` in injected.cpp sees to it if launches are watched.
Watch& made_watch() {
  pthread_atfork(
      [] {
        watch().ranges.before_fork();
        watch().spans.before_fork();
      },
      [] {
        watch().spans.after_fork();
        watch().ranges.after_fork();
      },
      [] {
        watch().spans.after_fork_in_child();
        watch().ranges.after_fork();
      });
  return *new Watch(on_allocator_report);
}

}  // namespace

Watch& watch() {
  static Watch& the_only = made_watch();
  return the_only;
}

Ranges& process_ranges() { return watch().ranges; }

void Watch::context_ends(CUcontext context) {
  const std::lock_guard lock(ending_);
  ended_.push_back(context);
}

void Watch::forget_ended_contexts() {
  std::unique_lock lock(ending_);
  const std::vector<CUcontext> contexts = std::exchange(ended_, {});
  lock.unlock();
  for (CUcontext context : contexts) {
    kernels.forget(context);
    engine->forget(context);
  }
}

std::optional<WatchedLaunch> Watch::find_launch(const Launch& launch, CUcontext context, const char* symbol) {
  WatchedLaunch watched{.launch = launch};
  watched.kernel = kernels.find(context, watched.launch.function, symbol, options);
  if (watched.kernel == nullptr) return std::nullopt;
  watched.device = devices.current();
  watched.slot = kernels.slot_of(watched.kernel->number, watched.launch.shape, watched.device);
  if (watched.slot == nullptr) return watched;
  if (watched.slot->counts->launches == 0) {
    constexpr std::uint32_t many_shapes = 16;
    watched.slot->timed_seldom = ++watched.kernel->shapes > many_shapes;
    launch_count.note_new();
  }
  if (!watched.kernel->written) {
    kernels.write(*watched.kernel, modules.image_of(watched.kernel->module));
    modules.write_code(watched.kernel->number, watched.kernel->module, watched.kernel->name);
  }
  return watched;
}

std::optional<WatchedLaunch> Watch::begin_launch(const Launch& launch, CUcontext context, const char* symbol) {
  auto watched = find_launch(launch, context, symbol);
  if (watched && watched->slot == nullptr) {
    ++output.totals().beyond_slots;
    return std::nullopt;
  }
  return watched;
}

bool Watch::is_captured(CUstream stream) const {
  if (!captures.any()) return false;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver().cuStreamIsCapturing(stream, &capture) != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

void Watch::count_launches(const Slot& slot, std::uint64_t launches, std::uint64_t at_ns) {
  launch_count.add(launches);
  LaunchTotals& all = output.totals();
  all.ended_ns = std::max(all.ended_ns, at_ns);
  if (all.began_ns == 0) all.began_ns = all.ended_ns;
  slot.counts->launches += launches;
  kernels.count_range(*slot.counts, launches);
}

Unseen Watch::standing_reason_not_to(const WatchedLaunch& launch) const {
  const Kernel& kernel = *launch.kernel;
  if (options.launches == 0) return Unseen::times_only;
  if (!kernel.wanted || !devices.is_wanted(launch.device, options.device)) return Unseen::not_chosen;
  if (kernel.collective) return Unseen::collective;
  if (kernel.hopeless) return Unseen::failed;
  const bool looked_at = launch.slot->samples > 0;
  return !looked_at && !options.each_shape && is_like_sampled(kernel, launch.launch.shape) ? Unseen::alike
                                                                                           : Unseen::none;
}

Unseen Watch::reason_not_to(const WatchedLaunch& launch) const {
  if (const Unseen reason = standing_reason_not_to(launch); reason != Unseen::none) return reason;
  if (launch_count.seen() <= options.skip_first) return Unseen::not_chosen;
  return overhead.left_ns() < launch.kernel->sampling_ns ? Unseen::overhead : Unseen::none;
}

void count_unseen(const Slot& slot, Unseen reason) { ++slot.counts->unseen[static_cast<std::size_t>(reason)]; }

}  // namespace gpumem::inject
