#include "program/watch/watch.hpp"

#include <algorithm>
#include <atomic>
#include <utility>
#include <vector>

#include "program/watch/devices.hpp"
#include "program/watch/driver.hpp"
#include "program/watch/known_launches.hpp"
#include "program/watch/modules.hpp"
#include "program/watch/output.hpp"
#include "program/watch/thread_state.hpp"

namespace gpumem::inject {

namespace {

std::uint64_t launches_seen = 0;
std::atomic<std::uint64_t> launches_since_new = 0;

std::mutex ending;  // never held while anything else is called
std::vector<CUcontext> ended;

}  // namespace

Watch& watch() {
  static Watch& the_only = *new Watch;  // threads of the program may launch until the very end
  return the_only;
}

Spending::Spending() : began_ns_(this_thread.spending++ == 0 ? now_ns() : 0) {}

Spending::~Spending() {
  if (--this_thread.spending > 0) return;
  std::atomic_ref(output().totals().sampling_ns).fetch_add(now_ns() - began_ns_, std::memory_order_relaxed);
}

bool is_settled() {
  constexpr std::uint64_t long_since = 4096;
  return launches_since_new.load(std::memory_order_relaxed) > long_since;
}

void context_ends(CUcontext context) {
  {
    const std::lock_guard lock(ending);
    ended.push_back(context);
  }
  forget_known_launches();
}

void forget_ended_contexts() {
  std::unique_lock lock(ending);
  const std::vector<CUcontext> contexts = std::exchange(ended, {});
  lock.unlock();
  for (CUcontext context : contexts) {
    kernels().forget(context);
    watch().engine.forget(context);
  }
}

std::optional<WatchedLaunch> find_launch(const Launch& launch, CUcontext context, const char* symbol) {
  WatchedLaunch watched{.launch = launch};
  watched.kernel = kernels().find(context, watched.launch.function, symbol, watch().options);
  if (watched.kernel == nullptr) return std::nullopt;
  watched.device = devices().current();
  watched.slot = kernels().slot_of(watched.kernel->number, watched.launch.shape, watched.device);
  if (watched.slot == nullptr) return watched;
  if (watched.slot->counts->launches == 0) {
    constexpr std::uint32_t many_shapes = 16;
    watched.slot->timed_seldom = ++watched.kernel->shapes > many_shapes;
    launches_since_new.store(0, std::memory_order_relaxed);
  }
  if (!watched.kernel->written) {
    kernels().write(*watched.kernel, modules().image_of(watched.kernel->module));
    modules().write_code(watched.kernel->number, watched.kernel->module, watched.kernel->name);
  }
  return watched;
}

std::optional<WatchedLaunch> begin_launch(const Launch& launch, CUcontext context, const char* symbol) {
  auto watched = find_launch(launch, context, symbol);
  if (watched && watched->slot == nullptr) {
    ++output().totals().beyond_slots;
    return std::nullopt;
  }
  return watched;
}

bool is_captured(CUstream stream) {
  if (!is_anything_captured()) return false;
  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  return driver().cuStreamIsCapturing(stream, &capture) != CUDA_SUCCESS || capture != CU_STREAM_CAPTURE_STATUS_NONE;
}

void count_launches(const Slot& slot, std::uint64_t launches) {
  launches_seen += launches;
  launches_since_new.store(launches_since_new.load(std::memory_order_relaxed) + launches, std::memory_order_relaxed);
  LaunchTotals& all = output().totals();
  all.ended_ns = now_ns();
  if (all.began_ns == 0) all.began_ns = all.ended_ns;
  slot.counts->launches += launches;
  kernels().count_range(*slot.counts, launches);
}

Unseen standing_reason_not_to(const WatchedLaunch& launch) {
  const Options& options = watch().options;
  const Kernel& kernel = *launch.kernel;
  if (options.launches == 0) return Unseen::times_only;
  if (!kernel.wanted || !devices().is_wanted(launch.device, options.device)) return Unseen::not_chosen;
  if (kernel.collective) return Unseen::collective;
  if (kernel.hopeless) return Unseen::failed;
  const bool looked_at = launch.slot->samples > 0;
  return !looked_at && !options.each_shape && is_like_sampled(kernel, launch.launch.shape) ? Unseen::alike
                                                                                           : Unseen::none;
}

Unseen reason_not_to(const WatchedLaunch& launch) {
  if (const Unseen reason = standing_reason_not_to(launch); reason != Unseen::none) return reason;
  if (launches_seen <= watch().options.skip_first) return Unseen::not_chosen;
  return overhead_left_ns() < launch.kernel->sampling_ns ? Unseen::overhead : Unseen::none;
}

double overhead_left_ns() {
  constexpr double free_ns = 1e9;
  const double spent = static_cast<double>(output().totals().sampling_ns) - static_cast<double>(watch().setup_ns);
  const double own = static_cast<double>(now_ns() - watch().began_ns) - spent;
  return std::max(free_ns, watch().options.max_overhead * std::max(own, 1.0)) - spent;
}

void count_unseen(const Slot& slot, Unseen reason) { ++slot.counts->unseen[static_cast<std::size_t>(reason)]; }

}  // namespace gpumem::inject
