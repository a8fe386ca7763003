#include "probes/measure/counters.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <cmath>
#include <cstdint>
#include <map>
#include <utility>

#include "probes/error.hpp"
#include "probes/measure/cuda.hpp"
#include "probes/measure/cupti.hpp"

namespace gpumem::measure {

#if GPUMEM_HAS_CUPTI

namespace {

/// CUPTI's parameter structures, of their own size and otherwise zero.
template <class Parameters>
Parameters parameters(std::size_t size) {
  Parameters empty{};
  empty.structSize = size;
  return empty;
}

/// The runtime has no name for it; the driver, which it has loaded, does.
CUcontext current_context() {
  CUcontext context = nullptr;
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return context;
  const auto get = reinterpret_cast<CUresult (*)(CUcontext*)>(dlsym(driver, "cuCtxGetCurrent"));
  if (get != nullptr) static_cast<void>(get(&context));
  dlclose(driver);
  return context;
}

/// What a user can do about a refusal; empty where the words of CUPTI have to do.
std::string_view cure(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "counting needs permission: run as root, or let all users count (NVIDIA's page ERR_NVGPUCTRPERM)";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler is using the counters: end it, or count with that one";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "the counters of a MIG instance cannot be read: use a GPU without MIG";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "this virtual GPU has no counters: enable profiling for it in the hypervisor";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "confidential computing hides the counters: switch it off to count";
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return "this CUPTI does not know the GPU: install that of a newer CUDA Toolkit";
    default:
      return "";
  }
}

/// Counters that are counted together.
struct Selection {
  std::vector<const CounterField*> fields = {};  ///< those the chip has
  std::vector<const char*> metrics = {};         ///< theirs, in the same order
  CUpti_Profiler_Host_Object* host = nullptr;
  std::vector<std::uint8_t> config = {};
};

}  // namespace

struct Counters::State {
  explicit State(int device_index) : cupti(load_cupti()) {
    auto initialise = parameters<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
    require(cupti->profiler_initialize(&initialise), "start CUPTI's profiler");
    auto supported =
        parameters<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
    supported.cuDevice = device_index;
    supported.api = CUPTI_PROFILER_RANGE_PROFILING;
    require(cupti->profiler_device_supported(&supported), "ask whether the GPU can be profiled");
    if (supported.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED) throw missing_capability_error(why(supported));

    auto name = parameters<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
    name.deviceIndex = static_cast<std::size_t>(device_index);
    require(cupti->device_get_chip_name(&name), "ask for the chip's name");
    chip = name.pChipName;
    enable_for(selection({}));  // so that a chip without counters is told before anything runs
  }

  ~State() {
    disable();
    for (const auto& [spaces, chosen] : selections) release_host(chosen.host);
  }
  State(const State&) = delete;
  State& operator=(const State&) = delete;

  /// Has the profiler count what was chosen. It keeps the counters that it was set up with first, and gives no values
  /// of others: another choice takes another profiler.
  void enable_for(const Selection& chosen) {
    if (enabled_for == &chosen) return;
    disable();
    auto enable = parameters<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
    enable.ctx = current_context();
    require(cupti->range_profiler_enable(&enable), "enable CUPTI's range profiler");
    profiler = enable.pRangeProfilerObject;
    enabled_for = &chosen;
  }

  void disable() {
    if (profiler == nullptr) return;
    enabled_for = nullptr;
    auto disable = parameters<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
    disable.pRangeProfilerObject = std::exchange(profiler, nullptr);
    static_cast<void>(cupti->range_profiler_disable(&disable));
  }

  /// Reports what keeps this process from counting at all.
  void require(CUptiResult result, std::string_view what) const {
    if (result == CUPTI_SUCCESS) return;
    if (const std::string_view words = cure(result); !words.empty()) throw missing_capability_error(std::string(words));
    throw missing_capability_error(fmt::format("cannot {}: {}", what, words_of(result)));
  }

  /// Reports what went wrong with a count that had begun.
  void check_count(CUptiResult result, std::string_view what) const {
    if (result == CUPTI_SUCCESS) return;
    const std::string_view words = cure(result);
    throw probe_error(fmt::format("counting: cannot {}: {}", what, words.empty() ? words_of(result) : words));
  }

  [[nodiscard]] std::string_view words_of(CUptiResult result) const {
    const char* text = nullptr;
    return cupti->get_result_string(result, &text) == CUPTI_SUCCESS && text != nullptr ? text : "unknown CUPTI error";
  }

  static std::string why(const CUpti_Profiler_DeviceSupported_Params& supported) {
    const auto lacks = [](CUpti_Profiler_Support_Level level) {
      return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    };
    if (lacks(supported.architecture)) return "the GPU is too old to be counted: compute capability 7.0 or newer";
    if (lacks(supported.vGpu)) return std::string(cure(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED));
    if (lacks(supported.confidentialCompute)) {
      return std::string(cure(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED));
    }
    if (lacks(supported.wsl)) return "counters cannot be read under WSL: use Linux on the machine itself";
    return "this GPU's counters cannot be read in its configuration (SLI, or a mining GPU)";
  }

  CUpti_Profiler_Host_Object* make_host() {
    auto start = parameters<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
    start.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
    start.pChipName = chip.c_str();
    // Without the image of available counters, which takes half a second to read and only new chips need.
    require(cupti->profiler_host_initialize(&start), "prepare the counters of " + chip);
    return start.pHostObject;
  }

  void release_host(CUpti_Profiler_Host_Object* object) {
    auto end = parameters<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
    end.pHostObject = object;
    static_cast<void>(cupti->profiler_host_deinitialize(&end));
  }

  [[nodiscard]] CUptiResult add(CUpti_Profiler_Host_Object* object, std::span<const char* const> names) {
    auto add = parameters<CUpti_Profiler_Host_ConfigAddMetrics_Params>(
        CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
    add.pHostObject = object;
    add.ppMetricNames = const_cast<const char**>(names.data());  // CUPTI only reads them
    add.numMetrics = names.size();
    return cupti->profiler_host_config_add_metrics(&add);
  }

  /// Whether the chip has a metric: its host object takes it.
  bool has(const char* metric) {
    CUpti_Profiler_Host_Object* trial = make_host();
    const CUptiResult result = add(trial, std::span(&metric, 1));
    release_host(trial);
    return result == CUPTI_SUCCESS;
  }

  /// What is counted of launches that access these spaces.
  const Selection& selection(const std::set<access::Space>& accessed) {
    std::set<access::Space> spaces;  // of those that have counters of their own
    for (const CounterField& field : counter_fields()) {
      if (field.only_of && accessed.contains(*field.only_of)) spaces.insert(*field.only_of);
    }
    if (const auto known = selections.find(spaces); known != selections.end()) return known->second;
    Selection chosen;
    for (const CounterField& field : counter_fields()) {
      if (field.only_of && !spaces.contains(*field.only_of)) continue;
      for (const char* metric : field.metrics) {
        if (metric == nullptr || !has(metric)) continue;
        chosen.fields.push_back(&field);
        chosen.metrics.push_back(metric);
        break;
      }
    }
    chosen.host = make_host();
    Selection& kept =
        selections.emplace(spaces, std::move(chosen)).first->second;  // so that it is released in any case
    require(add(kept.host, kept.metrics), "choose what to count");
    configure(kept);
    return kept;
  }

  void configure(Selection& chosen) const {
    auto size = parameters<CUpti_Profiler_Host_GetConfigImageSize_Params>(
        CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
    size.pHostObject = chosen.host;
    require(cupti->profiler_host_get_config_image_size(&size), "size the counters' configuration");
    chosen.config.resize(size.configImageSize);
    auto image =
        parameters<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
    image.pHostObject = chosen.host;
    image.configImageSize = chosen.config.size();
    image.pConfigImage = chosen.config.data();
    require(cupti->profiler_host_get_config_image(&image), "make the counters' configuration");
  }

  std::shared_ptr<const Cupti> cupti;
  std::string chip;
  std::map<std::set<access::Space>, Selection> selections;
  CUpti_RangeProfiler_Object* profiler = nullptr;
  const Selection* enabled_for = nullptr;  ///< one of the selections
  std::vector<std::uint8_t> data;          ///< what was counted, in CUPTI's form
};

Counters::Counters(int device_index) : state_(std::make_unique<State>(device_index)) {}
Counters::~Counters() = default;

std::vector<Counts> Counters::count(std::span<const std::function<void()>> launches,
                                    const std::set<access::Space>& spaces) {
  if (launches.empty()) return {};
  State& state = *state_;
  const Selection& chosen = state.selection(spaces);
  state.enable_for(chosen);
  const Cupti& cupti = *state.cupti;

  auto size = parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = state.profiler;
  size.pMetricNames = const_cast<const char**>(chosen.metrics.data());  // CUPTI only reads them
  size.numMetrics = chosen.metrics.size();
  size.maxNumOfRanges = launches.size();
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(launches.size());
  state.check_count(cupti.range_profiler_get_counter_data_size(&size), "size the counts");
  state.data.resize(size.counterDataSize);

  auto empty = parameters<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  empty.pRangeProfilerObject = state.profiler;
  empty.counterDataSize = state.data.size();
  empty.pCounterData = state.data.data();
  state.check_count(cupti.range_profiler_counter_data_image_initialize(&empty), "clear the counts");

  auto set = parameters<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  set.pRangeProfilerObject = state.profiler;
  set.configSize = chosen.config.size();
  set.pConfig = chosen.config.data();
  set.counterDataImageSize = state.data.size();
  set.pCounterDataImage = state.data.data();
  set.range = CUPTI_UserRange;
  set.replayMode = CUPTI_UserReplay;
  // The profiler keeps what it made room for the first time: later calls with more launches would lose some of them.
  set.maxRangesPerPass = most_at_once;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.targetNestingLevel = 1;
  state.check_count(cupti.range_profiler_set_config(&set), "set the counters up");

  for (bool all_passes_done = false; !all_passes_done;) {
    auto start = parameters<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
    start.pRangeProfilerObject = state.profiler;
    state.check_count(cupti.range_profiler_start(&start), "start a pass");
    for (std::size_t i = 0; i < launches.size(); ++i) {
      const std::string name = std::to_string(i);
      auto push = parameters<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
      push.pRangeProfilerObject = state.profiler;
      push.pRangeName = name.c_str();
      state.check_count(cupti.range_profiler_push_range(&push), "begin a launch");
      launches[i]();
      auto pop = parameters<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
      pop.pRangeProfilerObject = state.profiler;
      state.check_count(cupti.range_profiler_pop_range(&pop), "end a launch");
    }
    auto stop = parameters<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
    stop.pRangeProfilerObject = state.profiler;
    state.check_count(cupti.range_profiler_stop(&stop), "end a pass");
    all_passes_done = stop.isAllPassSubmitted != 0;
  }
  auto decode = parameters<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = state.profiler;
  state.check_count(cupti.range_profiler_decode_data(&decode), "read the counts");

  std::vector<Counts> counts(launches.size());
  std::vector<double> values(chosen.metrics.size());
  for (std::size_t i = 0; i < launches.size(); ++i) {  // ranges are stored in the order in which they were pushed
    auto evaluate = parameters<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
        CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
    evaluate.pHostObject = chosen.host;
    evaluate.pCounterDataImage = state.data.data();
    evaluate.counterDataImageSize = state.data.size();
    evaluate.rangeIndex = i;
    evaluate.ppMetricNames = const_cast<const char**>(chosen.metrics.data());
    evaluate.numMetrics = chosen.metrics.size();
    evaluate.pMetricValues = values.data();
    state.check_count(cupti.profiler_host_evaluate_to_gpu_values(&evaluate), "work out the counts");
    for (std::size_t k = 0; k < values.size(); ++k) {
      if (std::isfinite(values[k])) counts[i].*chosen.fields[k]->value = values[k] * chosen.fields[k]->scale;
    }
  }
  return counts;
}

#else

struct Counters::State {};
Counters::Counters(int) {
  throw missing_capability_error("gpumem was built without CUPTI's range profiler: build it with CUDA 12.6 or newer");
}
Counters::~Counters() = default;
std::vector<Counts> Counters::count(std::span<const std::function<void()>>, const std::set<access::Space>&) {
  return {};
}

#endif

}  // namespace gpumem::measure
