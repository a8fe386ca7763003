// The engine that counts launches with the hardware's counters, and has the times of all from CUPTI's records.
//
// A launch that is counted has the GPU to itself: launches of other threads wait, and it waits for those before it.

#include "engine/measure/cupti.hpp"
#include "program/watch/watch.hpp"

#if GPUMEM_HAS_CUPTI

#include <cupti_driver_cbid.h>

#include <algorithm>
#include <atomic>
#include <exception>
#include <map>
#include <memory>
#include <thread>
#include <unordered_map>
#include <utility>
#include <vector>

#include "program/watch/counters/passes.hpp"
#include "program/watch/counters/records.hpp"
#include "program/watch/devices.hpp"
#include "program/watch/driver.hpp"
#include "program/watch/known_launches.hpp"
#include "program/watch/output.hpp"
#include "program/watch/spans.hpp"

namespace gpumem::inject {

namespace {

/// The call that launches something and that this thread is in.
struct Call {
  bool entered = false;
  Slot* slot = nullptr;  ///< that is being counted; null: none
  Kernel* kernel = nullptr;
  std::uint64_t began_ns = 0;
  std::unique_lock<std::mutex> lock;  ///< held throughout where it is counted
};
/// It is a thread's own, because the callback at the end of a call comes in the same thread as the one at its
/// beginning.
thread_local Call call;

class CountersEngine : public Engine {
 public:
  bool start() override;
  void finish() override;
  void forget(CUcontext) override {}  // counters went before the context did

  void on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data);
  [[nodiscard]] Records& records() { return records_; }

 private:
  void note_collective(CUcontext context, CUstream stream);
  [[nodiscard]] bool a_collective_runs(CUcontext context) const;
  void add_records();
  [[nodiscard]] bool others_have_launched() const;
  [[nodiscard]] bool count_known(CUcontext context, const LaunchKey& key);
  [[nodiscard]] Unseen begin_count_of(const WatchedLaunch& watched, const CUpti_CallbackData& data);
  void enter_launch(CallId id, const CUpti_CallbackData& data);
  void exit_launch(CallId id, const CUpti_CallbackData& data);
  void enter_graph_launch();
  void forget_module(CUmodule module);
  void exit_graph_launch(const CUpti_CallbackData& data);
  void on_driver_call(CallId id, const CUpti_CallbackData& data);

  std::shared_ptr<const measure::Cupti> cupti_;
  Records records_;
  Passes passes_;
  KnownLaunches known_;
  std::atomic<unsigned> being_launched_ = 0;  ///< calls that launch, in all threads, and have not returned

  // Collectives wait for other GPUs: whoever waits for one in the thread that is to launch its part on another GPU
  // waits for ever.

  bool graphs_have_collectives_ = false;
  /// Events recorded behind the last collective of each stream, or behind the last graph that may hold one.
  std::unordered_map<CUcontext, std::map<CUstream, CUevent>> last_collectives_;
};

void CountersEngine::note_collective(CUcontext context, CUstream stream) {
  CUevent& event = last_collectives_[context][stream];
  if (event == nullptr && driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
  static_cast<void>(driver().cuEventRecord(event, stream));
}

bool CountersEngine::a_collective_runs(CUcontext context) const {
  const auto streams = last_collectives_.find(context);
  if (streams == last_collectives_.end()) return false;
  return std::ranges::any_of(streams->second, [](const auto& last) {
    return last.second != nullptr && driver().cuEventQuery(last.second) == CUDA_ERROR_NOT_READY;
  });
}

void CountersEngine::add_records() {
  for (const Ran& ran : records_.take()) {
    watch().devices.note(ran.device);
    const std::uint32_t kernel =
        watch().kernels.number_of(*ran.name, ran.registers_per_thread, ran.static_shared_bytes);
    Slot* slot = watch().kernels.slot_of(kernel, ran.shape, ran.device);
    if (slot == nullptr) continue;
    if (ran.of_graph) {
      ++slot->counts->launches;
      count_unseen(*slot, Unseen::captured);
    }
    const auto took_ns = static_cast<double>(ran.took_ns);
    add_time(*slot->counts, took_ns, 1);
    watch().kernels.add_to_time_line(*slot->counts, ran.began_ns, took_ns, 1);
    watch().spans.keep(SpanKind::launch, slot->number, ran.stream, static_cast<std::uint64_t>(ran.began_ns),
                       ran.took_ns);
  }
}

/// Waits until every other call that launches has returned. False if that takes too long. No new one begins: they wait
/// for the lock that we hold.
bool CountersEngine::others_have_launched() const {
  constexpr std::uint64_t patience_ns = 10'000'000;  // one of them may wait for what we hold up
  for (const std::uint64_t began = now_ns(); being_launched_ > 1;) {
    if (now_ns() - began > patience_ns) return false;
    std::this_thread::yield();
  }
  return true;
}

Unseen CountersEngine::begin_count_of(const WatchedLaunch& watched, const CUpti_CallbackData& data) {
  if (Unseen reason = watch().reason_not_to(watched); reason != Unseen::none) return reason;
  if (!others_have_launched()) return Unseen::failed;
  if (a_collective_runs(data.context)) return Unseen::collective;
  if (!passes_.has_time_for(watched.slot->number, watch().overhead.left_ns())) return Unseen::overhead;
  call.began_ns = now_ns();
  records_.pause();
  const Unseen reason =
      passes_.begin(*cupti_, {data.context, data.contextUid, watched.device}, *watched.slot, watch().options.replay);
  if (reason != Unseen::none) records_.resume();
  watched.kernel->hopeless = reason == Unseen::failed;
  if (reason != Unseen::none) return reason;
  call.slot = watched.slot;
  call.kernel = watched.kernel;
  return reason;
}

/// Counts a launch that is known and of which nothing more is wanted: then the driver is asked nothing. False: more has
/// to be done.
bool CountersEngine::count_known(CUcontext context, const LaunchKey& key) {
  const KnownLaunch* const known = known_.find(context, key.function, key.shape);
  if (known == nullptr || watch().captures.any()) return false;
  const Slot& slot = *known->slot;
  const std::uint64_t wanted = watch().options.launches;
  const bool is_counted = slot.samples >= wanted && wanted > 0;
  if (!is_counted && known->standing == Unseen::none) return false;
  watch().count_launches(slot, 1, tick_ns());
  watch().callers.note(slot);
  if (!is_counted) count_unseen(slot, known->standing);
  return true;
}

void CountersEngine::enter_launch(CallId id, const CUpti_CallbackData& data) {
  call = {};
  std::unique_lock lock(watch().mutex);
  ++being_launched_;
  call.entered = true;
  if (watch().in_child) return;
  add_records();
  const LaunchKey key = launch_key_of(id, data.functionParams);
  if (count_known(data.context, key)) return;
  const OwnCalls own_calls;
  watch().forget_ended_contexts();
  const auto watched = watch().begin_launch(launch_of(id, data.functionParams), data.context, data.symbolName);
  if (!watched) return;
  if (watch().is_captured(watched->launch.stream)) {
    graphs_have_collectives_ = graphs_have_collectives_ || watched->kernel->collective;
    return;
  }
  watch().count_launches(*watched->slot, 1, now_ns());
  watch().callers.note(*watched->slot);
  call.kernel = watched->kernel;
  if (!watched->kernel->collective) {  // the end of a collective is looked at, too
    known_.remember({data.context, key.function, key.shape, watched->slot, watch().standing_reason_not_to(*watched)});
  }
  const std::uint64_t wanted = watch().options.launches;
  if (watched->slot->samples >= wanted && wanted > 0) return;
  const Unseen reason = begin_count_of(*watched, data);
  if (reason == Unseen::none) {
    call.lock = std::move(lock);
  } else {
    count_unseen(*watched->slot, reason);
  }
}

void CountersEngine::exit_launch(CallId id, const CUpti_CallbackData& data) {
  if (!std::exchange(call.entered, false)) return;
  --being_launched_;
  const OwnCalls own_calls;
  if (call.slot == nullptr) {
    if (call.kernel != nullptr && call.kernel->collective) {
      const std::lock_guard lock(watch().mutex);
      note_collective(data.context, launch_of(id, data.functionParams).stream);
    }
    return;
  }
  const bool launched = *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
  if (const Unseen reason = passes_.end(*call.slot, launched); reason != Unseen::none) {
    call.kernel->hopeless = true;
    count_unseen(*call.slot, reason);
  }
  records_.resume();
  watch().output.totals().sampling_ns += now_ns() - call.began_ns;
  call = {};
}

void CountersEngine::enter_graph_launch() {
  const std::lock_guard lock(watch().mutex);  // waits while another launch is counted
  ++being_launched_;
}

/// The graph may hold a collective.
void CountersEngine::exit_graph_launch(const CUpti_CallbackData& data) {
  struct Parameters {  // of cuGraphLaunch
    CUgraphExec graph;
    CUstream stream;
  };
  --being_launched_;
  const std::lock_guard lock(watch().mutex);
  if (watch().in_child || !graphs_have_collectives_) return;
  const OwnCalls own_calls;
  note_collective(data.context, static_cast<const Parameters*>(data.functionParams)->stream);
}

/// Its functions are about to go; null: those of some module.
void CountersEngine::forget_module(CUmodule module) {
  watch().kernels.forget_module(module);
  known_.forget();
}

void CountersEngine::on_driver_call(CallId id, const CUpti_CallbackData& data) {
  if (OwnCalls::active()) return;
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  if (is_launch(id)) {
    enters ? enter_launch(id, data) : exit_launch(id, data);
  } else if (is_graph_launch(id)) {
    enters ? enter_graph_launch() : exit_graph_launch(data);
  } else if (is_capture(id)) {
    if (!enters) watch().captures.note(id, *static_cast<const CUresult*>(data.functionReturnValue));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload) {
    if (enters) forget_module(*static_cast<CUmodule const*>(data.functionParams));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload) {
    if (enters) forget_module(nullptr);
  } else if (ends_context(id)) {
    const std::lock_guard lock(watch().mutex);
    const OwnCalls own_calls;
    if (enters && !watch().in_child) passes_.release();
  } else if (!enters) {
    const std::lock_guard lock(watch().mutex);
    if (!watch().in_child) add_records();
  }
}

void CountersEngine::on_callback(CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    watch().context_ends(static_cast<const CUpti_ResourceData*>(data)->context);
    known_.forget();
  }
}

void CUPTIAPI call_back(void* engine, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  static_cast<CountersEngine*>(engine)->on_callback(domain, id, data);
}

/// CUPTI has begun to record for this engine, so no other one watches.
void CUPTIAPI take_buffer(CUcontext, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t bytes) {
  static_cast<CountersEngine&>(*watch().engine).records().take_in(buffer, bytes);
}

bool CountersEngine::start() {
  const std::string& path = watch().options.cupti;
  if (path.empty()) {
    watch().output.write_problem(true, "no libcupti.so was found, which reads the counters");
    return false;
  }
  try {
    cupti_ = measure::load_cupti(path);
  } catch (const std::exception& error) {
    watch().output.write_problem(true, error.what());
    return false;
  }
  CUpti_SubscriberHandle handle = nullptr;
  bool fine = cupti_->subscribe(&handle, call_back, this) == CUPTI_SUCCESS;
  std::vector<CallId> calls = {CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload};
  for (const auto& some : {launch_calls(), graph_launch_calls(), capture_calls(), waiting_calls(), ending_calls()}) {
    calls.insert(calls.end(), some.begin(), some.end());
  }
  for (const CallId id : calls) {
    fine = fine && cupti_->enable_callback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, id) == CUPTI_SUCCESS;
  }
  fine = fine && cupti_->enable_callback(1, handle, CUPTI_CB_DOMAIN_RESOURCE,
                                         CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) == CUPTI_SUCCESS;
  fine = fine && records_.start(*cupti_, take_buffer);
  if (!fine) {
    watch().output.write_problem(
        true,
        "CUPTI takes no subscriber: another profiler watches the program (Nsight Systems, Nsight Compute or "
        "the program's own); run it without");
  }
  return fine;
}

void CountersEngine::finish() {
  records_.flush();
  add_records();
  watch().spans.write_rest();
  passes_.release();  // while the contexts are there
}

}  // namespace

std::unique_ptr<Engine> counters_engine() { return std::make_unique<CountersEngine>(); }

}  // namespace gpumem::inject

#else

#include "program/watch/missing_engine.hpp"

namespace gpumem::inject {

std::unique_ptr<Engine> counters_engine() {
  return std::make_unique<MissingEngine>(
      "gpumem was built without CUPTI's range profiler: build it with CUDA 12.6 or newer");
}

}  // namespace gpumem::inject

#endif
