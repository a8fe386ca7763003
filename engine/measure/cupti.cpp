#include "engine/measure/cupti.hpp"

#if GPUMEM_HAS_CUPTI

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>

#include "engine/base/error.hpp"

namespace gpumem::measure {

namespace {

/// CUPTI is compatible within a major version of CUDA: that of the headers is asked for.
constexpr int major_version = CUDART_VERSION / 1000;

void* open_library(const std::string& path) {
  const std::string name = "libcupti.so." + std::to_string(major_version);
  if (!path.empty()) {
    // Two of them in one process would be in each other's way.
    if (void* library = dlopen(name.c_str(), RTLD_NOW | RTLD_NOLOAD)) return library;
    if (void* library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    const char* reason = dlerror();
    throw missing_capability_error("CUPTI cannot be loaded: " + (reason == nullptr ? path : std::string(reason)));
  }
  // Toolkits keep it apart from what the loader searches.
  for (const std::string& place : {name, "/usr/local/cuda/extras/CUPTI/lib64/" + name, "/usr/local/cuda/lib64/" + name,
                                   "/opt/cuda/extras/CUPTI/lib64/" + name}) {
    if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
  }
  throw missing_capability_error(
      "CUPTI is not installed (" + name +
      " not found): install the CUDA Toolkit's CUPTI, or name its folder in LD_LIBRARY_PATH");
}

}  // namespace

std::shared_ptr<const Cupti> load_cupti(const std::string& path) {
  void* library = open_library(path);  // never closed: CUPTI leaves hooks in the driver
  auto cupti = std::make_shared<Cupti>();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) {
      throw missing_capability_error(std::string("this CUPTI has no ") + name + ": install that of CUDA 12.6 or newer");
    }
  };
  find(cupti->get_result_string, "cuptiGetResultString");
  find(cupti->profiler_initialize, "cuptiProfilerInitialize");
  find(cupti->device_get_chip_name, "cuptiDeviceGetChipName");
  find(cupti->profiler_device_supported, "cuptiProfilerDeviceSupported");
  find(cupti->profiler_host_initialize, "cuptiProfilerHostInitialize");
  find(cupti->profiler_host_deinitialize, "cuptiProfilerHostDeinitialize");
  find(cupti->profiler_host_config_add_metrics, "cuptiProfilerHostConfigAddMetrics");
  find(cupti->profiler_host_get_config_image_size, "cuptiProfilerHostGetConfigImageSize");
  find(cupti->profiler_host_get_config_image, "cuptiProfilerHostGetConfigImage");
  find(cupti->profiler_host_get_num_of_passes, "cuptiProfilerHostGetNumOfPasses");
  find(cupti->profiler_host_evaluate_to_gpu_values, "cuptiProfilerHostEvaluateToGpuValues");
  find(cupti->range_profiler_enable, "cuptiRangeProfilerEnable");
  find(cupti->range_profiler_disable, "cuptiRangeProfilerDisable");
  find(cupti->range_profiler_get_counter_data_size, "cuptiRangeProfilerGetCounterDataSize");
  find(cupti->range_profiler_counter_data_image_initialize, "cuptiRangeProfilerCounterDataImageInitialize");
  find(cupti->range_profiler_set_config, "cuptiRangeProfilerSetConfig");
  find(cupti->range_profiler_start, "cuptiRangeProfilerStart");
  find(cupti->range_profiler_stop, "cuptiRangeProfilerStop");
  find(cupti->range_profiler_push_range, "cuptiRangeProfilerPushRange");
  find(cupti->range_profiler_pop_range, "cuptiRangeProfilerPopRange");
  find(cupti->range_profiler_decode_data, "cuptiRangeProfilerDecodeData");
  find(cupti->subscribe, "cuptiSubscribe");
  find(cupti->enable_callback, "cuptiEnableCallback");
  find(cupti->activity_register_callbacks, "cuptiActivityRegisterCallbacks");
  find(cupti->activity_enable, "cuptiActivityEnable");
  find(cupti->activity_disable, "cuptiActivityDisable");
  find(cupti->activity_flush_all, "cuptiActivityFlushAll");
  find(cupti->activity_flush_period, "cuptiActivityFlushPeriod");
  find(cupti->activity_get_next_record, "cuptiActivityGetNextRecord");
  find(cupti->get_timestamp, "cuptiGetTimestamp");
  return cupti;
}

}  // namespace gpumem::measure

#endif
