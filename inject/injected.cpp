// The library that a watched program loads: the driver calls InitializeInjection when the program initialises CUDA, and
// the sanitizer's library then calls back at every launch.
//
// What can be called where was found by trying (H200, driver 580):
// - A module is patched when the program's call begins, not in the launch's own callback: there, patching waits for
//   streams that wait for the launch.
// - No lock of ours is taken in callbacks of launches and resources: the driver holds its own then.

#include <pthread.h>

#include <cstdlib>
#include <mutex>
#include <utility>

#include "inject/driver_calls.hpp"
#include "inject/kernels.hpp"
#include "inject/libraries.hpp"
#include "inject/modules.hpp"
#include "inject/options.hpp"
#include "inject/output.hpp"
#include "inject/sampling.hpp"
#include "inject/timing.hpp"

namespace gpumem::inject {

namespace {

Options options;
std::mutex watching;  // all that follows, and what kernels.hpp, timing.hpp and sampling.hpp keep
std::uint64_t launches_seen = 0;
bool in_child = false;

/// What a call that launches is in the middle of.
struct Call {
  Slot* slot = nullptr;
  Kernel* kernel = nullptr;
  Timed timed;
  bool sampled = false;
  Sample sample;
  SampleEvent event;
  std::uint64_t began_ns = 0;
  std::unique_lock<std::mutex> lock;  ///< held throughout where it is sampled
};
thread_local Call call;

/// While it lives, calls of this thread are ours: no stream capture of the program's takes offence at them, and they
/// are not watched.
class Unnoticed {
 public:
  Unnoticed() {
    ++depth;
    static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode_));
  }
  ~Unnoticed() {
    static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode_));
    --depth;
  }
  Unnoticed(const Unnoticed&) = delete;
  Unnoticed& operator=(const Unnoticed&) = delete;

  [[nodiscard]] static bool here() { return depth > 0; }

 private:
  static thread_local unsigned depth;
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};
thread_local unsigned Unnoticed::depth = 0;

bool overhead_spent() {
  constexpr double free_ns = 1e9;
  const LaunchTotals& all = totals();
  return static_cast<double>(all.sampling_ns) >
         free_ns + options.max_overhead * static_cast<double>(now_ns() - all.began_ns);
}

/// Why the launch is not to be sampled; none if it is.
Unseen reason_not_to(const Kernel& kernel, const Launch& launch, std::uint32_t device) {
  if (options.launches == 0) return Unseen::times_only;
  if (!kernel.wanted || launches_seen <= options.skip_first || !wants_device(device, options.device)) {
    return Unseen::not_chosen;
  }
  if (kernel.collective) return Unseen::collective;
  if (launch.cooperative) return Unseen::cooperative;
  if (kernel.unpatchable) return Unseen::failed;
  return overhead_spent() ? Unseen::overhead : Unseen::none;
}

std::uint64_t threads_of(const Launch& launch) {
  return std::uint64_t{launch.block[0]} * launch.block[1] * launch.block[2];
}

/// Launches after which times of a slot are so many that one in `then_every` will do.
constexpr std::uint64_t timed_at_first = 200;
constexpr std::uint64_t then_every = 8;

bool wants_time(const LaunchSlot& slot) { return slot.launches <= timed_at_first || slot.launches % then_every == 0; }

void enter_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  call = {};
  const Launch launch = launch_of(id, data.functionParams);
  std::unique_lock lock(watching);
  if (in_child) return;
  const Unnoticed unnoticed;
  Kernel* kernel = kernel_of(launch.function, data.symbolName, options);
  if (kernel == nullptr) return;
  const std::uint32_t device = current_device();
  Slot* slot = slot_of(*kernel, launch, device);
  ++launches_seen;
  LaunchTotals& all = totals();
  all.ended_ns = now_ns();
  if (all.began_ns == 0) all.began_ns = all.ended_ns;
  if (slot == nullptr) {
    ++all.beyond_slots;
    return;
  }
  write_kernel(*kernel);
  LaunchSlot& counts = *slot->counts;
  ++counts.launches;
  count_range(counts);

  CUstreamCaptureStatus capture = CU_STREAM_CAPTURE_STATUS_NONE;
  if (driver().cuStreamIsCapturing(launch.stream, &capture) != CUDA_SUCCESS ||
      capture != CU_STREAM_CAPTURE_STATUS_NONE) {
    ++counts.captured;
    ++counts.unseen[static_cast<std::size_t>(Unseen::captured)];
    return;
  }
  if (slot->samples < options.launches || options.launches == 0) {
    Unseen reason = reason_not_to(*kernel, launch, device);
    if (reason == Unseen::none) {
      const std::uint64_t began = now_ns();
      call.sample = {.context = data.context,
                     .stream = launch.stream,
                     .kernel = kernel,
                     .block_threads = static_cast<std::uint32_t>(threads_of(launch)),
                     .dynamic_shared_bytes = launch.dynamic_shared_bytes};
      reason = begin_sample(call.sample);
      if (reason == Unseen::none) {
        call.sampled = true;
        call.slot = slot;
        call.kernel = kernel;
        call.event = {.slot = slot->number, .order = counts.launches - 1};
        call.began_ns = began;
        call.lock = std::move(lock);
        return;
      }
      kernel->unpatchable = reason == Unseen::failed;
    }
    ++counts.unseen[static_cast<std::size_t>(reason)];
  }
  if (!wants_time(counts)) return;
  call.timed = begin_timing(data.context, launch.stream);
  call.slot = slot;
  call.sample.context = data.context;
  call.sample.stream = launch.stream;
}

void exit_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (call.slot == nullptr) return;
  const bool launched = *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
  const Unnoticed unnoticed;
  if (!call.sampled) {
    const std::lock_guard lock(watching);
    end_timing(call.sample.context, call.sample.stream, call.timed, *call.slot->counts);
    call = {};
    return;
  }
  if (launched) {
    end_sample(call.sample, call.event, call.began_ns);
    ++call.slot->samples;
  } else {
    // The patch takes registers, with which a block may not fit any more: the program must not notice.
    drop_sample(call.sample);
    call.kernel->unpatchable = true;
    ++call.slot->counts->unseen[static_cast<std::size_t>(Unseen::failed)];
    const CUresult result = launch_again(id, data.functionParams, call.sample.stream);
    *const_cast<CUresult*>(static_cast<const CUresult*>(data.functionReturnValue)) = result;
  }
  totals().sampling_ns += now_ns() - call.began_ns;
  call = {};
}

void on_driver_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (Unnoticed::here()) return;
  if (is_graph_launch(id)) {
    const std::lock_guard lock(watching);
    if (data.callbackSite == SANITIZER_API_ENTER && !in_child) ++totals().graph_launches;
  } else if (is_launch(id)) {
    data.callbackSite == SANITIZER_API_ENTER ? enter_launch(id, data) : exit_launch(id, data);
  } else if (data.callbackSite == SANITIZER_API_EXIT) {
    const std::lock_guard lock(watching);
    if (in_child) return;
    const Unnoticed unnoticed;
    take_times(~std::size_t{0});
  }
}

void SANITIZERAPI on_callback(void*, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void* data) {
  switch (domain) {
    case SANITIZER_CB_DOMAIN_DRIVER_API:
      on_driver_call(id, *static_cast<const Sanitizer_CallbackData*>(data));
      break;
    case SANITIZER_CB_DOMAIN_LAUNCH:
      if (id == SANITIZER_CBID_LAUNCH_BEGIN) attach_table(*static_cast<const Sanitizer_LaunchData*>(data));
      break;
    case SANITIZER_CB_DOMAIN_RESOURCE:
      if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
        const auto& module = *static_cast<const Sanitizer_ResourceModuleData*>(data);
        keep_module(module.module, module.pCubin, module.cubinSize);
      } else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
        drop_module(static_cast<const Sanitizer_ResourceModuleData*>(data)->module);
      }
      break;
    default:
      break;
  }
}

bool subscribe() {
  if (options.sanitizer.empty()) {
    write_problem(true, "no libsanitizer-public.so was found, which sees into kernels");
    return false;
  }
  if (const std::string missing = load_sanitizer(options.sanitizer); !missing.empty()) {
    write_problem(true, "the sanitizer's library cannot be used: " + missing);
    return false;
  }
  const Sanitizer& functions = sanitizer();
  Sanitizer_SubscriberHandle handle = nullptr;
  bool fine = functions.sanitizerSubscribe(&handle, on_callback, nullptr) == SANITIZER_SUCCESS;
  for (const auto& calls : {launch_calls(), graph_launch_calls(), waiting_calls()}) {
    for (const Sanitizer_CallbackId id : calls) {
      fine =
          fine && functions.sanitizerEnableCallback(1, handle, SANITIZER_CB_DOMAIN_DRIVER_API, id) == SANITIZER_SUCCESS;
    }
  }
  const std::pair<Sanitizer_CallbackDomain, Sanitizer_CallbackId> others[] = {
      {SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING},
  };
  for (const auto& [domain, id] : others) {
    fine = fine && functions.sanitizerEnableCallback(1, handle, domain, id) == SANITIZER_SUCCESS;
  }
  if (!fine) {
    write_problem(true,
                  "the sanitizer's library takes no subscriber: another tool watches the program (compute-sanitizer, "
                  "a debugger or a profiler); run it without");
  }
  return fine;
}

void at_end() {
  const std::unique_lock lock(watching, std::try_to_lock);
  if (lock.owns_lock() && !in_child) take_times(~std::size_t{0});
}

void start() {
  options = read_options();
  if (options.folder.empty() || !open_output(options.folder)) return;
  if (const std::string missing = load_driver(); !missing.empty()) {
    write_problem(true, "the driver lacks " + missing + ": it is older than gpumem can watch programs with");
    return;
  }
  if (!subscribe()) return;
  // A fork has no GPU of its own: CUDA does not work in it until it runs another program.
  pthread_atfork([] { watching.lock(); }, [] { watching.unlock(); },
                 [] {
                   in_child = true;
                   leave_output();
                   watching.unlock();
                 });
  std::atexit(at_end);
}

}  // namespace

}  // namespace gpumem::inject

/// Called by the driver in every process that initialises CUDA. It goes on whatever this returns.
extern "C" __attribute__((visibility("default"))) int InitializeInjection() {  // NOLINT(readability-identifier-naming)
  gpumem::inject::start();
  return 1;
}
