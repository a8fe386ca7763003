// The engine that sees launches access by access: the sanitizer's library calls back at every launch.
//
// What can be called where was found by trying (H200, driver 580):
// - A module is patched when the program's call begins, not in the launch's own callback: there, patching waits for
//   streams that wait for the launch.
// - No lock of ours is taken in callbacks of launches and resources: the driver holds its own then.

#include <mutex>
#include <utility>

#include "inject/callers/callers.hpp"
#include "inject/driver.hpp"
#include "inject/modules.hpp"
#include "inject/output.hpp"
#include "inject/sites/memory_events.hpp"
#include "inject/sites/sampling.hpp"
#include "inject/sites/sanitizer.hpp"
#include "inject/sites/timing.hpp"
#include "inject/watch.hpp"

namespace gpumem::inject {

namespace {

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

std::uint64_t threads_of(const Shape& shape) { return std::uint64_t{shape.block[0]} * shape.block[1] * shape.block[2]; }

std::uint64_t blocks_of(const Shape& shape) { return std::uint64_t{shape.grid[0]} * shape.grid[1] * shape.grid[2]; }

/// Launches after which times of a slot are so many that one in `then_every` will do: each takes the program some
/// microseconds.
constexpr std::uint64_t timed_at_first = kept_times;
constexpr std::uint64_t then_every = 16;

/// Launches that one time stands for.
std::uint64_t per_time(const LaunchSlot& slot) { return slot.launches <= timed_at_first ? 1 : then_every; }

/// Unseen::none where the launch is patched and `call` knows of it.
Unseen begin_sample_of(const WatchedLaunch& watched, CUcontext context) {
  if (watched.launch.cooperative) return Unseen::cooperative;
  const std::uint64_t began = now_ns();
  call.sample = {.context = context,
                 .stream = watched.launch.stream,
                 .kernel = watched.kernel,
                 .blocks = blocks_of(watched.launch.shape),
                 .block_threads = static_cast<std::uint32_t>(threads_of(watched.launch.shape)),
                 .dynamic_shared_bytes = watched.launch.shape.dynamic_shared_bytes};
  const Unseen reason = begin_sample(call.sample, parameters_of(watched.kernel->function, watched.launch));
  watched.kernel->hopeless = reason == Unseen::failed;
  if (reason != Unseen::none) return reason;
  call.sampled = true;
  call.slot = watched.slot;
  call.event = {.slot = watched.slot->number, .order = watched.slot->counts->launches - 1};
  call.began_ns = began;
  return reason;
}

/// Whether the launch that comes only launches. Code that is brought when it is first launched waits for the stream:
/// drivers before CUDA 12.4 cannot bring it sooner.
bool is_loaded(Kernel& kernel) {
  if (std::exchange(kernel.loaded, true)) return true;
  return driver().cuFuncLoad != nullptr && driver().cuFuncLoad(kernel.function) == CUDA_SUCCESS;
}

void enter_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  call = {};
  std::unique_lock lock(watch().mutex);
  if (watch().in_child) return;
  const Unnoticed unnoticed;
  forget_ended_contexts();
  const auto watched = begin_launch(id, data.context, data.functionParams, data.symbolName);
  if (!watched) return;
  Slot& slot = *watched->slot;
  call.kernel = watched->kernel;
  count_launch(slot);
  note_caller(slot);
  if (watched->captured) {
    ++slot.counts->captured;
    return count_unseen(slot, Unseen::captured);
  }
  const std::uint64_t wanted = watch().options.launches;
  if (slot.samples < wanted || wanted == 0) {
    Unseen reason = reason_not_to(*watched);
    if (reason == Unseen::none) reason = begin_sample_of(*watched, data.context);
    if (reason == Unseen::none) {
      call.lock = std::move(lock);
      return;
    }
    count_unseen(slot, reason);
  }
  const std::uint64_t stands_for = per_time(*slot.counts);
  if (slot.counts->launches % stands_for != 0 || !is_loaded(*watched->kernel)) return;
  call.timed = begin_timing(data.context, watched->launch.stream, stands_for);
  call.slot = &slot;
}

void exit_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (call.slot == nullptr) return;
  const bool launched = *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
  const Unnoticed unnoticed;
  if (!call.sampled) {
    if (call.timed.events.start != nullptr) {
      end_timing(call.timed);
      const std::lock_guard lock(watch().mutex);
      keep_timing(call.timed, *call.slot->counts, launched);
    }
    call = {};
    return;
  }
  call.kernel->loaded = launched;
  if (launched) {
    end_sample(call.sample, call.event, call.began_ns);
    ++call.slot->samples;
  } else {
    // The patch takes registers, with which a block may not fit any more: the program must not notice.
    drop_sample(call.sample);
    call.kernel->hopeless = true;
    count_unseen(*call.slot, Unseen::failed);
    CUresult result = launch_again(id, data.functionParams, call.sample.stream);
    if (result == CUDA_ERROR_OUT_OF_MEMORY) {
      release_tables(call.sample.context);
      result = launch_again(id, data.functionParams, call.sample.stream);
    }
    *const_cast<CUresult*>(static_cast<const CUresult*>(data.functionReturnValue)) = result;
  }
  totals().sampling_ns += now_ns() - call.began_ns;
  call = {};
}

void on_driver_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (Unnoticed::here()) return;
  if (is_graph_launch(id)) {
    const std::lock_guard lock(watch().mutex);
    if (data.callbackSite == SANITIZER_API_ENTER && !watch().in_child) ++totals().graph_launches;
  } else if (is_launch(id)) {
    data.callbackSite == SANITIZER_API_ENTER ? enter_launch(id, data) : exit_launch(id, data);
  } else if ((data.callbackSite == SANITIZER_API_ENTER) == ends_context(id)) {
    // Times are had when the program has waited for the GPU, and the last ones of a context before it ends.
    const std::lock_guard lock(watch().mutex);
    if (watch().in_child) return;
    const Unnoticed unnoticed;
    forget_ended_contexts();
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
      if (is_memory_event(id)) {
        on_memory_event(id, *static_cast<const Sanitizer_ResourceMemoryData*>(data));
      } else if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
        const auto& module = *static_cast<const Sanitizer_ResourceModuleData*>(data);
        keep_module(module.module, module.pCubin, module.cubinSize);
      } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
        context_ends(static_cast<const Sanitizer_ResourceContextData*>(data)->context);
      } else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
        CUmodule module = static_cast<const Sanitizer_ResourceModuleData*>(data)->module;
        drop_module(module);
        forget_module(module);
      }
      break;
    default:
      break;
  }
}

bool subscribe() {
  const std::string& path = watch().options.sanitizer;
  if (path.empty()) {
    write_problem(true, "no libsanitizer-public.so was found, which sees into kernels");
    return false;
  }
  if (const std::string missing = load_sanitizer(path); !missing.empty()) {
    write_problem(true, "the sanitizer's library cannot be used: " + missing);
    return false;
  }
  const Sanitizer& functions = sanitizer();
  Sanitizer_SubscriberHandle handle = nullptr;
  bool fine = functions.sanitizerSubscribe(&handle, on_callback, nullptr) == SANITIZER_SUCCESS;
  for (const auto& calls : {launch_calls(), graph_launch_calls(), waiting_calls(), ending_calls()}) {
    for (const Sanitizer_CallbackId id : calls) {
      fine =
          fine && functions.sanitizerEnableCallback(1, handle, SANITIZER_CB_DOMAIN_DRIVER_API, id) == SANITIZER_SUCCESS;
    }
  }
  const std::pair<Sanitizer_CallbackDomain, Sanitizer_CallbackId> others[] = {
      {SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING},
  };
  for (const auto& [domain, id] : others) {
    fine = fine && functions.sanitizerEnableCallback(1, handle, domain, id) == SANITIZER_SUCCESS;
  }
  for (const Sanitizer_CallbackId id : memory_events()) {
    fine = fine && functions.sanitizerEnableCallback(1, handle, SANITIZER_CB_DOMAIN_RESOURCE, id) == SANITIZER_SUCCESS;
  }
  if (!fine) {
    write_problem(true,
                  "the sanitizer's library takes no subscriber: another tool watches the program (compute-sanitizer, "
                  "a debugger or a profiler); run it without");
  }
  return fine;
}

void finish() {
  forget_ended_contexts();
  take_times(~std::size_t{0});
}

void forget(CUcontext context) {
  forget_times(context);
  forget_tables(context);
}

}  // namespace

Engine sites_engine() { return {subscribe, finish, forget}; }

}  // namespace gpumem::inject
