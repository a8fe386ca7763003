#include <sanitizer.h>

#include <atomic>
#include <mutex>
#include <shared_mutex>

#include "program/watch/driver_calls.hpp"
#include "tests/program/watch/leaving/stand_in.hpp"

namespace {

struct Subscriber {
  std::shared_mutex mutex;  ///< shared by threads in callbacks: unsubscribing waits for them
  Sanitizer_CallbackFunc callback = nullptr;
  void* data = nullptr;
  std::atomic<bool> enabled = true;
  std::atomic<bool> refuses = false;
};
Subscriber& subscriber() {
  static auto& the_only = *new Subscriber;
  return the_only;
}

struct Counts {
  std::atomic<std::uint64_t> called_back = 0;
  std::atomic<std::uint64_t> unsubscribed = 0;
  std::atomic<std::uint64_t> from_callbacks = 0;
  std::atomic<std::uint64_t> disabled = 0;
};
Counts& counts() {
  static auto& the_only = *new Counts;
  return the_only;
}
thread_local bool is_in_callback = false;

void call_back(Sanitizer_CallbackData& data, Sanitizer_ApiCallbackSite site) {
  Subscriber& to = subscriber();
  const std::shared_lock lock(to.mutex);
  if (to.callback == nullptr || !to.enabled) return;
  if (site == SANITIZER_API_ENTER) ++counts().called_back;
  data.callbackSite = site;
  is_in_callback = true;
  to.callback(to.data, SANITIZER_CB_DOMAIN_DRIVER_API, gpumem::inject::driver_call::cuLaunchKernel, &data);
  is_in_callback = false;
}

}  // namespace

extern "C" {

SanitizerResult SANITIZERAPI sanitizerSubscribe(Sanitizer_SubscriberHandle* handle, Sanitizer_CallbackFunc callback,
                                                void* data) {
  const std::lock_guard lock(subscriber().mutex);
  subscriber().callback = callback;
  subscriber().data = data;
  *handle = reinterpret_cast<Sanitizer_SubscriberHandle>(&subscriber());
  return SANITIZER_SUCCESS;
}

SanitizerResult SANITIZERAPI sanitizerUnsubscribe(Sanitizer_SubscriberHandle) {
  ++counts().unsubscribed;
  if (is_in_callback) ++counts().from_callbacks;
  if (subscriber().refuses) return SANITIZER_ERROR_UNKNOWN;
  const std::lock_guard lock(subscriber().mutex);
  subscriber().callback = nullptr;
  return SANITIZER_SUCCESS;
}

SanitizerResult SANITIZERAPI sanitizerEnableAllDomains(uint32_t enable, Sanitizer_SubscriberHandle) {
  if (enable == 0) ++counts().disabled;
  subscriber().enabled = enable != 0;
  return SANITIZER_SUCCESS;
}

SanitizerResult SANITIZERAPI sanitizerEnableCallback(uint32_t, Sanitizer_SubscriberHandle, Sanitizer_CallbackDomain,
                                                     Sanitizer_CallbackId) {
  return SANITIZER_SUCCESS;
}

SanitizerResult SANITIZERAPI sanitizerEnableDomain(uint32_t, Sanitizer_SubscriberHandle, Sanitizer_CallbackDomain) {
  return SANITIZER_SUCCESS;
}

SanitizerResult SANITIZERAPI sanitizerGetResultString(SanitizerResult, const char** text) {
  *text = "the stand-in patches nothing";
  return SANITIZER_SUCCESS;
}

SanitizerResult SANITIZERAPI sanitizerGetFunctionPcAndSize(CUmodule, const char*, uint64_t*, uint64_t*) {
  return SANITIZER_ERROR_NOT_SUPPORTED;
}

SanitizerResult SANITIZERAPI sanitizerAddPatches(const void*, CUcontext) { return SANITIZER_ERROR_NOT_SUPPORTED; }

SanitizerResult SANITIZERAPI sanitizerPatchInstructions(const Sanitizer_InstructionId, CUmodule, const char*) {
  return SANITIZER_ERROR_NOT_SUPPORTED;
}

SanitizerResult SANITIZERAPI sanitizerPatchModule(CUmodule) { return SANITIZER_ERROR_NOT_SUPPORTED; }

SanitizerResult SANITIZERAPI sanitizerUnpatchModule(CUmodule) { return SANITIZER_SUCCESS; }

SanitizerResult SANITIZERAPI sanitizerSetLaunchCallbackData(Sanitizer_LaunchHandle, CUfunction, Sanitizer_StreamHandle,
                                                            const void*) {
  return SANITIZER_SUCCESS;
}

int stand_in_launch(unsigned kernel) {
  struct {  // of cuLaunchKernel
    CUfunction function;
    unsigned grid[3];
    unsigned block[3];
    unsigned shared_bytes;
    CUstream stream;
    void** parameters;
    void** extra;
  } parameters{};
  static int context = 0;
  // NOLINTNEXTLINE(performance-no-int-to-ptr): the handle of a function is its number
  parameters.function = reinterpret_cast<CUfunction>(std::uintptr_t{kernel});
  for (unsigned i = 0; i < 3; ++i) parameters.grid[i] = parameters.block[i] = 1;
  CUresult result = CUDA_SUCCESS;
  Sanitizer_CallbackData data{};
  data.functionParams = &parameters;
  data.functionReturnValue = &result;
  data.context = reinterpret_cast<CUcontext>(&context);
  call_back(data, SANITIZER_API_ENTER);
  call_back(data, SANITIZER_API_EXIT);
  return result;
}

void stand_in_refuse_to_unsubscribe() { subscriber().refuses = true; }

StandInCounts stand_in_counts() {
  return {counts().called_back, counts().unsubscribed, counts().from_callbacks, counts().disabled};
}
}
