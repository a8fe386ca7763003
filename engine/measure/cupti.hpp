#pragma once
// CUPTI's functions, loaded at run time, so that programs start without CUPTI. Toolkits before the first update of CUDA
// 12.6 have no range profiler; a build with one of them cannot count.

#if __has_include(<cupti_version.h>) && __has_include(<cupti_range_profiler.h>)
#include <cupti_version.h>
// Version 24 is that of CUDA 12.6. It is checked too because the two headers may come from two toolkits: this one, and
// a newer one in /usr/local/include.
#if CUPTI_API_VERSION >= 24
#define GPUMEM_HAS_CUPTI 1
#endif
#endif

#ifdef GPUMEM_HAS_CUPTI

#include <cupti_activity.h>
#include <cupti_callbacks.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_result.h>
#include <cupti_target.h>

#include <memory>
#include <string>

namespace gpumem::measure {

/// Results that headers of CUDA 12.6 have no names for, and libraries newer than the headers return.
constexpr int cupti_mig_not_supported = 43;  ///< CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, since CUDA 12.8
constexpr int cupti_invalid_chip_name = 46;  ///< CUPTI_ERROR_INVALID_CHIP_NAME, since CUDA 13.0

/// The functions of libcupti, named as there without the prefix.
struct Cupti {
  decltype(&::cuptiGetResultString) get_result_string = nullptr;
  decltype(&::cuptiProfilerInitialize) profiler_initialize = nullptr;
  decltype(&::cuptiDeviceGetChipName) device_get_chip_name = nullptr;
  decltype(&::cuptiProfilerDeviceSupported) profiler_device_supported = nullptr;
  decltype(&::cuptiProfilerHostInitialize) profiler_host_initialize = nullptr;
  decltype(&::cuptiProfilerHostDeinitialize) profiler_host_deinitialize = nullptr;
  decltype(&::cuptiProfilerHostConfigAddMetrics) profiler_host_config_add_metrics = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImageSize) profiler_host_get_config_image_size = nullptr;
  decltype(&::cuptiProfilerHostGetConfigImage) profiler_host_get_config_image = nullptr;
  decltype(&::cuptiProfilerHostGetNumOfPasses) profiler_host_get_num_of_passes = nullptr;
  decltype(&::cuptiProfilerHostEvaluateToGpuValues) profiler_host_evaluate_to_gpu_values = nullptr;
  decltype(&::cuptiRangeProfilerEnable) range_profiler_enable = nullptr;
  decltype(&::cuptiRangeProfilerDisable) range_profiler_disable = nullptr;
  decltype(&::cuptiRangeProfilerGetCounterDataSize) range_profiler_get_counter_data_size = nullptr;
  decltype(&::cuptiRangeProfilerCounterDataImageInitialize) range_profiler_counter_data_image_initialize = nullptr;
  decltype(&::cuptiRangeProfilerSetConfig) range_profiler_set_config = nullptr;
  decltype(&::cuptiRangeProfilerStart) range_profiler_start = nullptr;
  decltype(&::cuptiRangeProfilerStop) range_profiler_stop = nullptr;
  decltype(&::cuptiRangeProfilerPushRange) range_profiler_push_range = nullptr;
  decltype(&::cuptiRangeProfilerPopRange) range_profiler_pop_range = nullptr;
  decltype(&::cuptiRangeProfilerDecodeData) range_profiler_decode_data = nullptr;

  // For watching programs:
  decltype(&::cuptiSubscribe) subscribe = nullptr;
  decltype(&::cuptiEnableCallback) enable_callback = nullptr;
  decltype(&::cuptiActivityRegisterCallbacks) activity_register_callbacks = nullptr;
  decltype(&::cuptiActivityEnable) activity_enable = nullptr;
  decltype(&::cuptiActivityDisable) activity_disable = nullptr;
  decltype(&::cuptiActivityFlushAll) activity_flush_all = nullptr;
  decltype(&::cuptiActivityFlushPeriod) activity_flush_period = nullptr;
  decltype(&::cuptiActivityGetNextRecord) activity_get_next_record = nullptr;
  decltype(&::cuptiGetTimestamp) get_timestamp = nullptr;
};

/// Loads CUPTI from `path`, or if that is empty from where the loader or a CUDA Toolkit has it; it stays loaded. Throws
/// missing_capability_error when it is nowhere, or too old.
[[nodiscard]] std::shared_ptr<const Cupti> load_cupti(const std::string& path = "");

}  // namespace gpumem::measure

#else
#define GPUMEM_HAS_CUPTI 0

namespace gpumem::measure {
struct Cupti;  // what declarations name
}

#endif
