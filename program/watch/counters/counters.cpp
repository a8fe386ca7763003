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
#include "program/watch/output.hpp"
#include "program/watch/spans.hpp"

namespace gpumem::inject {

namespace {

std::shared_ptr<const measure::Cupti> cupti;
std::atomic<unsigned> being_launched = 0;  // calls that launch, in all threads, and have not returned

// Collectives wait for other GPUs: whoever waits for one in the thread that is to launch its part on another GPU waits
// for ever.

bool graphs_have_collectives = false;
/// Events recorded behind the last collective of each stream, or behind the last graph that may hold one.
std::unordered_map<CUcontext, std::map<CUstream, CUevent>> last_collectives;

void note_collective(CUcontext context, CUstream stream) {
  CUevent& event = last_collectives[context][stream];
  if (event == nullptr && driver().cuEventCreate(&event, CU_EVENT_DISABLE_TIMING) != CUDA_SUCCESS) return;
  static_cast<void>(driver().cuEventRecord(event, stream));
}

bool a_collective_runs(CUcontext context) {
  const auto streams = last_collectives.find(context);
  if (streams == last_collectives.end()) return false;
  return std::ranges::any_of(streams->second, [](const auto& last) {
    return last.second != nullptr && driver().cuEventQuery(last.second) == CUDA_ERROR_NOT_READY;
  });
}

/// The call that launches something and that this thread is in.
struct Call {
  bool entered = false;
  Slot* slot = nullptr;  ///< that is being counted; null: none
  Kernel* kernel = nullptr;
  std::uint64_t began_ns = 0;
  std::unique_lock<std::mutex> lock;  ///< held throughout where it is counted
};
thread_local Call call;

void add_records() {
  for (const Ran& ran : take_records()) {
    devices().note(ran.device);
    const std::uint32_t kernel = kernels().number_of(*ran.name, ran.registers_per_thread, ran.static_shared_bytes);
    Slot* slot = kernels().slot_of(kernel, ran.shape, ran.device);
    if (slot == nullptr) continue;
    if (ran.of_graph) {
      ++slot->counts->launches;
      count_unseen(*slot, Unseen::captured);
    }
    const auto took_ns = static_cast<double>(ran.took_ns);
    add_time(*slot->counts, took_ns, 1);
    kernels().add_to_time_line(*slot->counts, ran.began_ns, took_ns, 1);
    spans().keep(SpanKind::launch, slot->number, ran.stream, static_cast<std::uint64_t>(ran.began_ns), ran.took_ns);
  }
}

/// Waits until every other call that launches has returned. False if that takes too long. No new one begins: they wait
/// for the lock that we hold.
bool others_have_launched() {
  constexpr std::uint64_t patience_ns = 10'000'000;  // one of them may wait for what we hold up
  for (const std::uint64_t began = now_ns(); being_launched > 1;) {
    if (now_ns() - began > patience_ns) return false;
    std::this_thread::yield();
  }
  return true;
}

Unseen begin_count_of(const WatchedLaunch& watched, const CUpti_CallbackData& data) {
  if (Unseen reason = watch().reason_not_to(watched); reason != Unseen::none) return reason;
  if (!others_have_launched()) return Unseen::failed;
  if (a_collective_runs(data.context)) return Unseen::collective;
  if (!has_time_for(watched.slot->number, watch().overhead.left_ns())) return Unseen::overhead;
  call.began_ns = now_ns();
  pause_records(*cupti);
  const Unseen reason =
      begin_pass(*cupti, {data.context, data.contextUid, watched.device}, *watched.slot, watch().options.replay);
  if (reason != Unseen::none) resume_records(*cupti);
  watched.kernel->hopeless = reason == Unseen::failed;
  if (reason != Unseen::none) return reason;
  call.slot = watched.slot;
  call.kernel = watched.kernel;
  return reason;
}

void enter_launch(CallId id, const CUpti_CallbackData& data) {
  call = {};
  std::unique_lock lock(watch().mutex);
  ++being_launched;
  call.entered = true;
  if (watch().in_child) return;
  const OwnCalls own_calls;
  watch().forget_ended_contexts();
  add_records();
  const auto watched = watch().begin_launch(launch_of(id, data.functionParams), data.context, data.symbolName);
  if (!watched) return;
  if (watch().is_captured(watched->launch.stream)) {
    graphs_have_collectives = graphs_have_collectives || watched->kernel->collective;
    return;
  }
  watch().count_launches(*watched->slot, 1);
  watch().callers.note(*watched->slot);
  call.kernel = watched->kernel;
  const std::uint64_t wanted = watch().options.launches;
  if (watched->slot->samples >= wanted && wanted > 0) return;
  const Unseen reason = begin_count_of(*watched, data);
  if (reason == Unseen::none) {
    call.lock = std::move(lock);
  } else {
    count_unseen(*watched->slot, reason);
  }
}

void exit_launch(CallId id, const CUpti_CallbackData& data) {
  if (!std::exchange(call.entered, false)) return;
  --being_launched;
  const OwnCalls own_calls;
  if (call.slot == nullptr) {
    if (call.kernel != nullptr && call.kernel->collective) {
      const std::lock_guard lock(watch().mutex);
      note_collective(data.context, launch_of(id, data.functionParams).stream);
    }
    return;
  }
  const bool launched = *static_cast<const CUresult*>(data.functionReturnValue) == CUDA_SUCCESS;
  if (const Unseen reason = end_pass(*call.slot, launched); reason != Unseen::none) {
    call.kernel->hopeless = true;
    count_unseen(*call.slot, reason);
  }
  resume_records(*cupti);
  output().totals().sampling_ns += now_ns() - call.began_ns;
  call = {};
}

void enter_graph_launch() {
  const std::lock_guard lock(watch().mutex);  // waits while another launch is counted
  ++being_launched;
}

/// The graph may hold a collective.
void exit_graph_launch(const CUpti_CallbackData& data) {
  struct Parameters {  // of cuGraphLaunch
    CUgraphExec graph;
    CUstream stream;
  };
  --being_launched;
  const std::lock_guard lock(watch().mutex);
  if (watch().in_child || !graphs_have_collectives) return;
  const OwnCalls own_calls;
  note_collective(data.context, static_cast<const Parameters*>(data.functionParams)->stream);
}

void on_driver_call(CallId id, const CUpti_CallbackData& data) {
  if (OwnCalls::active()) return;
  const bool enters = data.callbackSite == CUPTI_API_ENTER;
  if (is_launch(id)) {
    enters ? enter_launch(id, data) : exit_launch(id, data);
  } else if (is_graph_launch(id)) {
    enters ? enter_graph_launch() : exit_graph_launch(data);
  } else if (is_capture(id)) {
    if (!enters) watch().captures.note(id, *static_cast<const CUresult*>(data.functionReturnValue));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuModuleUnload) {
    if (enters) kernels().forget_module(*static_cast<CUmodule const*>(data.functionParams));
  } else if (id == CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload) {
    if (enters) kernels().forget_module(nullptr);
  } else if (ends_context(id)) {
    const std::lock_guard lock(watch().mutex);
    const OwnCalls own_calls;
    if (enters && !watch().in_child) release_counters();
  } else if (!enters) {
    const std::lock_guard lock(watch().mutex);
    if (!watch().in_child) add_records();
  }
}

void CUPTIAPI on_callback(void*, CUpti_CallbackDomain domain, CUpti_CallbackId id, const void* data) {
  if (domain == CUPTI_CB_DOMAIN_DRIVER_API) {
    on_driver_call(id, *static_cast<const CUpti_CallbackData*>(data));
  } else if (domain == CUPTI_CB_DOMAIN_RESOURCE && id == CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) {
    watch().context_ends(static_cast<const CUpti_ResourceData*>(data)->context);
  }
}

bool subscribe() {
  const std::string& path = watch().options.cupti;
  if (path.empty()) {
    output().write_problem(true, "no libcupti.so was found, which reads the counters");
    return false;
  }
  try {
    cupti = measure::load_cupti(path);
  } catch (const std::exception& error) {
    output().write_problem(true, error.what());
    return false;
  }
  CUpti_SubscriberHandle handle = nullptr;
  bool fine = cupti->subscribe(&handle, on_callback, nullptr) == CUPTI_SUCCESS;
  std::vector<CallId> calls = {CUPTI_DRIVER_TRACE_CBID_cuModuleUnload, CUPTI_DRIVER_TRACE_CBID_cuLibraryUnload};
  for (const auto& some : {launch_calls(), graph_launch_calls(), capture_calls(), waiting_calls(), ending_calls()}) {
    calls.insert(calls.end(), some.begin(), some.end());
  }
  for (const CallId id : calls) {
    fine = fine && cupti->enable_callback(1, handle, CUPTI_CB_DOMAIN_DRIVER_API, id) == CUPTI_SUCCESS;
  }
  fine = fine && cupti->enable_callback(1, handle, CUPTI_CB_DOMAIN_RESOURCE,
                                        CUPTI_CBID_RESOURCE_CONTEXT_DESTROY_STARTING) == CUPTI_SUCCESS;
  fine = fine && start_records(*cupti);
  if (!fine) {
    output().write_problem(
        true,
        "CUPTI takes no subscriber: another profiler watches the program (Nsight Systems, Nsight Compute or "
        "the program's own); run it without");
  }
  return fine;
}

void finish() {
  flush_records(*cupti);
  add_records();
  spans().write_rest();
}

/// Counters went before the context did.
void forget(CUcontext) {}

}  // namespace

Engine counters_engine() { return {subscribe, finish, forget}; }

}  // namespace gpumem::inject

#else

#include "program/watch/output.hpp"

namespace gpumem::inject {

Engine counters_engine() {
  return {[] {
            output().write_problem(true,
                                   "gpumem was built without CUPTI's range profiler: build it with CUDA 12.6 or newer");
            return false;
          },
          [] {}, [](CUcontext) {}};
}

}  // namespace gpumem::inject

#endif
