// The engine that sees launches access by access: the sanitizer's library calls back at every launch.
//
// Found by trying (H200, driver 580):
// - A module is patched when the program's call begins, not in the launch's own callback: there, patching waits for
//   streams that wait for the launch.
// - No lock of ours is taken in callbacks of launches and resources: the driver holds its own then.
//
// Once launches tell nothing new and counting them costs too much, the engine leaves (departure.hpp): it gives up its
// subscription, because the library makes every call of the driver slower while it has a subscriber. It does not come
// back: contexts, modules and graphs may have ended meanwhile, and their handles may name others.

#include <atomic>
#include <memory>
#include <mutex>
#include <utility>

#include "program/watch/departure.hpp"
#include "program/watch/driver.hpp"
#include "program/watch/known_launches.hpp"
#include "program/watch/modules.hpp"
#include "program/watch/output.hpp"
#include "program/watch/own_thread.hpp"
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

/// Returns true if the launch told something that launches of its slot before it did not: a sample, or a first time. A
/// kernel that comes with ever new grids tells no more by them than samples do.
bool is_new(const ObservedLaunch& launch, const Slot& slot) {
  constexpr std::uint64_t first_launches = 4;
  return launch.sampled || (slot.counts->launches <= first_launches && !slot.timed_seldom);
}

void write_still_subscribed() {
  watch().output.write_problem(false,
                               "launches are not watched any more, and calls of the driver are as slow as before: the "
                               "sanitizer's library does not let its subscriber go");
}

class SitesEngine : public Engine {
 public:
  bool start() override;
  void finish() override;
  void forget(CUcontext context) override;

  void on_callback(Sanitizer_CallbackDomain domain, Sanitizer_CallbackId id, const void* data);
  /// Ends the subscription. By a thread of ours, outside of all callbacks.
  void unsubscribe();

 private:
  [[nodiscard]] bool is_out() const { return watch().in_child || has_left_; }
  void leave_if_due(std::uint64_t at_ns);
  [[nodiscard]] bool count_known(CUcontext context, const LaunchKey& key);
  void enter_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void exit_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_graph_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_graph_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_wait(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_driver_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data);
  void on_resource(Sanitizer_CallbackId id, const void* data);

  Sanitizer sanitizer_;
  Sanitizer_SubscriberHandle subscriber_ = nullptr;
  Departure departure_{watch().options.stays};
  std::atomic<bool> has_left_ = false;  ///< callbacks that still come do nothing
  std::atomic<unsigned> observed_ = 0;  ///< launches and replays that callbacks at their end are awaited for
  KnownLaunches known_;
  LaunchTimes times_;
  Sampler sampler_{sanitizer_};
  LaunchObserver observer_{sampler_, times_};
  Graphs graphs_{observer_};
};

/// Leaves if it is time to. With the lock held, by the thread that launches, which has a context.
void SitesEngine::leave_if_due(std::uint64_t at_ns) {
  if (!departure_.is_due(at_ns) || observed_ != 0) return;
  if (watch().launch_count.seen() <= watch().options.skip_first) return;  // samples are still to come
  if (!departure_.is_slowed(at_ns, watch().kernels.gpu_ns())) return;
  {
    const OwnCalls own_calls;
    watch().forget_ended_contexts();
    times_.take(~std::size_t{0});
  }
  // From here on, no thread calls the driver from a callback. The subscription ends without nested callbacks.
  watch().launch_count.settle();
  watch().output.totals().left_ns = at_ns;
  has_left_ = true;
  const auto run = [](void* engine) -> void* {
    static_cast<SitesEngine*>(engine)->unsubscribe();
    return nullptr;
  };
  if (!start_own_thread(run, this)) write_still_subscribed();
}

void SitesEngine::unsubscribe() {
  if (sanitizer_.sanitizerUnsubscribe(subscriber_) == SANITIZER_SUCCESS) return;
  static_cast<void>(sanitizer_.sanitizerEnableAllDomains(0, subscriber_));
  write_still_subscribed();
}

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
  const std::uint64_t at_ns = tick_ns();
  watch().count_launches(slot, 1, at_ns);
  watch().callers.note(slot);
  if (reason != Unseen::none) count_unseen(slot, reason);
  departure_.note_known();
  leave_if_due(at_ns);
  return true;
}

void SitesEngine::enter_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  call.observed = false;
  std::unique_lock lock(watch().mutex);
  if (is_out()) return;
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
  is_new(call.launch, *watched->slot) ? departure_.note_new(now_ns()) : departure_.note_known();
  call.observed = call.launch.slot != nullptr;
  if (call.observed) ++observed_;
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
  --observed_;
}

void SitesEngine::on_graph_launch(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if (data.callbackSite == SANITIZER_API_ENTER) {
    const std::lock_guard lock(watch().mutex);
    if (!is_out()) leave_if_due(tick_ns());
    if (is_out()) return;
    const OwnCalls own_calls;
    watch().forget_ended_contexts();
    call.replay = graphs_.enter_launch(id, data.context, data.functionParams);
    call.replay.is_known ? departure_.note_known() : departure_.note_new(now_ns());
    if (call.replay.graph != nullptr) ++observed_;
  } else if (GraphReplay replay = std::exchange(call.replay, {}); replay.graph != nullptr) {
    const OwnCalls own_calls;
    CUresult& result = *const_cast<CUresult*>(static_cast<const CUresult*>(data.functionReturnValue));
    result = graphs_.exit_launch(replay, result);
    --observed_;
  }
}

void SitesEngine::on_graph_call(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  const bool enters = data.callbackSite == SANITIZER_API_ENTER;
  if (enters != ends_graph(id)) return;
  if (!enters && *static_cast<const CUresult*>(data.functionReturnValue) != CUDA_SUCCESS) return;
  const std::lock_guard lock(watch().mutex);
  if (is_out()) return;
  const OwnCalls own_calls;
  watch().forget_ended_contexts();
  enters ? graphs_.note_end(data.functionParams) : graphs_.note_call(id, data.context, data.functionParams);
}

/// Takes times when the program has waited for the GPU, and the last ones of a context before it ends.
void SitesEngine::on_wait(Sanitizer_CallbackId id, const Sanitizer_CallbackData& data) {
  if ((data.callbackSite == SANITIZER_API_ENTER) != ends_context(id) || !times_.any()) return;
  const Spending spending(watch().overhead);
  const std::lock_guard lock(watch().mutex);
  if (is_out()) return;
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
  if (has_left_) return;
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
  bool fine = sanitizer_.sanitizerSubscribe(&subscriber_, call_back, this) == SANITIZER_SUCCESS;
  for (const auto& calls :
       {launch_calls(), graph_launch_calls(), graph_calls(), capture_calls(), waiting_calls(), ending_calls()}) {
    for (const Sanitizer_CallbackId id : calls) {
      fine = fine && sanitizer_.sanitizerEnableCallback(1, subscriber_, SANITIZER_CB_DOMAIN_DRIVER_API, id) ==
                         SANITIZER_SUCCESS;
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
    fine = fine && sanitizer_.sanitizerEnableCallback(1, subscriber_, domain, id) == SANITIZER_SUCCESS;
  }
  for (const Sanitizer_CallbackId id : memory_events()) {
    fine = fine &&
           sanitizer_.sanitizerEnableCallback(1, subscriber_, SANITIZER_CB_DOMAIN_RESOURCE, id) == SANITIZER_SUCCESS;
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
  if (!has_left_) {  // or contexts may have ended without our knowing
    watch().forget_ended_contexts();
    times_.take(~std::size_t{0});
  }
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
