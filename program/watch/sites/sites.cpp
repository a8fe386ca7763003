// The engine that sees launches access by access: the sanitizer's library calls back at every launch.
//
// Found by trying (H200, driver 580):
// - A module is patched when the program's call begins, not in the launch's own callback: there, patching waits for
//   streams that wait for the launch.
// - No lock of ours is taken in callbacks of launches and resources: the driver holds its own then.

#include <memory>
#include <mutex>
#include <utility>

#include "program/watch/driver.hpp"
#include "program/watch/known_launches.hpp"
#include "program/watch/modules.hpp"
#include "program/watch/output.hpp"
#include "program/watch/sites/graphs.hpp"
#include "program/watch/sites/memory_events.hpp"
#include "program/watch/sites/observed_launch.hpp"
#include "program/watch/sites/sampling.hpp"
#include "program/watch/sites/sanitizer.hpp"
#include "program/watch/sites/timing.hpp"
#include "program/watch/spans.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

/// The call of the driver's that a thread is in the middle of.
struct Call {
  bool observed = false;
  ObservedLaunch launch;
  std::unique_lock<std::mutex> lock;  ///< held throughout where it is sampled
  GraphReplay replay;
};
/// It is a thread's own, because several threads are in calls at the same time, and the callback at the end of a call
/// comes in the same thread as the one at its beginning.
thread_local Call call;

class SitesEngine : public Engine {
 public:
  bool start() override;
  void finish() override;
  void forget(CUcontext context) override;

  void on_callback(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void* data);

 private:
  [[nodiscard]] bool count_known(CUcontext context, const LaunchKey& key);
  void enter_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void exit_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_graph_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_graph_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_wait(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_driver_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_resource(Sanitizer_CallbackId id, const void* data);

  Sanitizer sanitizer_;
  KnownLaunches known_;
  LaunchTimes times_;
  Sampler sampler_{sanitizer_};
  LaunchObserver observer_{sampler_, times_};
  Graphs graphs_{observer_};
};

/// Counts a launch that is known and of which nothing more is wanted. False: more has to be done.
bool SitesEngine::count_known(CUcontext context, const LaunchKey& key) {
  const KnownLaunch* const known = known_.find(context, key.function, key.shape);
  if (known == nullptr || watch().captures.any()) return false;
  const Slot& slot = *known->slot;
  if (is_timed(slot, slot.counts->launches + 1)) return false;
  const std::uint64_t wanted = watch().options.launches;
  Unseen reason = Unseen::none;
  if (slot.samples < wanted || wanted == 0) {
    reason = known->standing;
    if (reason == Unseen::none && watch().overhead.left_ns() < 0) reason = Unseen::overhead;
    if (reason == Unseen::none) return false;
  }
  watch().count_launches(slot, 1);
  watch().callers.note(slot);
  if (reason != Unseen::none) count_unseen(slot, reason);
  return true;
}

void SitesEngine::enter_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  call.observed = false;
  std::unique_lock lock(watch().mutex);
  if (watch().in_child) return;
  const LaunchKey key = launch_key_of(id, data.functionParams);
  if (count_known(data.context, key)) return;
  const Spending spending(watch().overhead);
  const OwnCalls own_calls;
  watch().forget_ended_contexts();
  const Launch launch = launch_of(id, data.functionParams);
  const bool captured = watch().is_captured(launch.stream);
  const auto watched = watch().begin_launch(launch, data.context, data.symbolName);
  if (!watched) return;
  if (captured)
    return watch().callers.note(*watched->slot);  // it runs when its graph does, which somebody else launches
  call.launch = observer_.begin(*watched, data.context);
  watch().callers.note(*watched->slot);
  known_.remember({data.context, key.function, key.shape, watched->slot, watch().standing_reason_not_to(*watched)});
  call.observed = call.launch.slot != nullptr;
  if (call.launch.sampled) call.lock = std::move(lock);
}

void SitesEngine::exit_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (!std::exchange(call.observed, false)) return;
  const Spending spending(watch().overhead);
  CUresult& result = *const_cast<CUresult*>(static_cast<const CUresult*>(data.functionReturnValue));
  const OwnCalls own_calls;
  observer_.note_launched(call.launch);
  std::unique_lock lock = call.launch.sampled ? std::move(call.lock) : std::unique_lock(watch().mutex);
  result = observer_.end(call.launch, result,
                         [&] { return launch_again(id, data.functionParams, call.launch.sample.stream); });
}

void SitesEngine::on_graph_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (data.callbackSite == SANITIZER_API_ENTER) {
    const std::lock_guard lock(watch().mutex);
    if (watch().in_child) return;
    const OwnCalls own_calls;
    watch().forget_ended_contexts();
    call.replay = graphs_.enter_launch(id, data.context, data.functionParams);
  } else {
    const OwnCalls own_calls;
    CUresult& result = *const_cast<CUresult*>(static_cast<const CUresult*>(data.functionReturnValue));
    result = graphs_.exit_launch(call.replay, result);
  }
}

void SitesEngine::on_graph_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  const bool enters = data.callbackSite == SANITIZER_API_ENTER;
  if (enters != ends_graph(id)) return;
  if (!enters && *static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return;
  const std::lock_guard lock(watch().mutex);
  if (watch().in_child) return;
  const OwnCalls own_calls;
  watch().forget_ended_contexts();
  enters ? graphs_.note_end(data.functionParams) : graphs_.note_call(id, data.context, data.functionParams);
}

/// Takes times when the program has waited for the GPU, and the last ones of a context before it ends.
void SitesEngine::on_wait(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if ((data.callbackSite == SANITIZER_API_ENTER) != ends_context(id) || !times_.any()) return;
  const Spending spending(watch().overhead);
  const std::lock_guard lock(watch().mutex);
  if (watch().in_child) return;
  const OwnCalls own_calls;
  watch().forget_ended_contexts();
  times_.take(~std::size_t{0});
}

void SitesEngine::on_driver_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (OwnCalls::active()) return;
  const bool enters = data.callbackSite == SANITIZER_API_ENTER;
  if (is_launch(id)) {
    enters ? enter_launch(id, data) : exit_launch(id, data);
  } else if (is_graph_launch(id)) {
    on_graph_launch(id, data);
  } else if (is_graph_call(id)) {
    on_graph_call(id, data);
  } else if (is_capture(id)) {
    if (!enters) watch().captures.note(id, *static_cast<const CUresult*>(data.functionReturnValue));
  } else {
    on_wait(id, data);
  }
}

void SitesEngine::on_resource(Sanitizer_CallbackId id, const void* data) {
  if (is_memory_event(id)) {
    on_memory_event(id, *static_cast<const Sanitizer_ResourceMemoryData*>(data));
  } else if (id == SANITIZER_CBID_RESOURCE_MODULE_LOADED) {
    const auto& module = *static_cast<const Sanitizer_ResourceModuleData*>(data);
    watch().modules.keep(module.module, module.pCubin, module.cubinSize);
  } else if (id == SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    watch().context_ends(static_cast<const Sanitizer_ResourceContextData*>(data)->context);
    known_.forget();
  } else if (id == SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING) {
    CUmodule module = static_cast<const Sanitizer_ResourceModuleData*>(data)->module;
    watch().modules.drop(module);
    watch().kernels.forget_module(module);
    known_.forget();
  }
}

void SitesEngine::on_callback(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void* data) {
  switch (domain) {
    case SANITIZER_CB_DOMAIN_DRIVER_API:
      on_driver_call(id, *static_cast<const Sanitizer_CallbackData*>(data));
      break;
    case SANITIZER_CB_DOMAIN_LAUNCH:
      if (id == SANITIZER_CBID_LAUNCH_BEGIN) sampler_.attach_table(*static_cast<const Sanitizer_LaunchData*>(data));
      break;
    case SANITIZER_CB_DOMAIN_RESOURCE:
      on_resource(id, data);
      break;
    case SANITIZER_CB_DOMAIN_GRAPHS: {
      const auto& made = *static_cast<const Sanitizer_GraphExecData*>(data);
      if (made.containsDeviceGraphLaunches != 0 || made.isDeviceLaunch != 0) graphs_.note_launching(made.graphExec);
      break;
    }
    default:
      break;
  }
}

void SANITIZERAPI call_back(void* engine, Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void* data) {
  static_cast<SitesEngine*>(engine)->on_callback(domain, id, data);
}

bool SitesEngine::start() {
  const std::string& path = watch().options.sanitizer;
  if (path.empty()) {
    watch().output.write_problem(true, "no libsanitizer-public.so was found, which sees into kernels");
    return false;
  }
  if (const std::string missing = sanitizer_.load(path); !missing.empty()) {
    watch().output.write_problem(true, "the sanitizer's library cannot be used: " + missing);
    return false;
  }
  Sanitizer_SubscriberHandle handle = nullptr;
  bool fine = sanitizer_.sanitizerSubscribe(&handle, call_back, this) == SANITIZER_SUCCESS;
  for (const auto& calls :
       {launch_calls(), graph_launch_calls(), graph_calls(), capture_calls(), waiting_calls(), ending_calls()}) {
    for (const Sanitizer_CallbackId id : calls) {
      fine = fine &&
             sanitizer_.sanitizerEnableCallback(1, handle, SANITIZER_CB_DOMAIN_DRIVER_API, id) == SANITIZER_SUCCESS;
    }
  }
  const std::pair<Sanitizer_CallbackDomain, Sanitizer_CallbackId> others[] = {
      {SANITIZER_CB_DOMAIN_LAUNCH, SANITIZER_CBID_LAUNCH_BEGIN},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_LOADED},
      {SANITIZER_CB_DOMAIN_RESOURCE, SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING},
      {SANITIZER_CB_DOMAIN_GRAPHS, SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATED},
  };
  for (const auto& [domain, id] : others) {
    fine = fine && sanitizer_.sanitizerEnableCallback(1, handle, domain, id) == SANITIZER_SUCCESS;
  }
  for (const Sanitizer_CallbackId id : memory_events()) {
    fine = fine && sanitizer_.sanitizerEnableCallback(1, handle, SANITIZER_CB_DOMAIN_RESOURCE, id) == SANITIZER_SUCCESS;
  }
  if (!fine) {
    watch().output.write_problem(
        true,
        "the sanitizer's library takes no subscriber: another tool watches the program (compute-sanitizer, "
        "a debugger or a profiler); run it without");
  }
  return fine;
}

void SitesEngine::finish() {
  watch().forget_ended_contexts();
  times_.take(~std::size_t{0});
  watch().spans.write_rest();
}

void SitesEngine::forget(CUcontext context) {
  times_.forget(context);
  sampler_.forget(context);
  graphs_.forget(context);
}

}  // namespace

std::unique_ptr<Engine> sites_engine() { return std::make_unique<SitesEngine>(); }

}  // namespace gpumem::inject
