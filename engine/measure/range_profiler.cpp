#include "engine/measure/range_profiler.hpp"

#if GPUMEM_HAS_CUPTI

#include <cmath>
#include <utility>

#include "engine/base/error.hpp"

namespace gpumem::measure {

namespace {

/// CUPTI's parameter structures, of their own size and otherwise zero.
template <class Parameters>
Parameters parameters(std::size_t size) {
  Parameters empty{};
  empty.structSize = size;
  return empty;
}

/// Says what a user can do about a refusal; empty if only CUPTI's own words are known.
std::string_view cure(CUptiResult result) {
  switch (static_cast<int>(result)) {
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "counting needs permission: run as root, or let all users count (NVIDIA's page ERR_NVGPUCTRPERM)";
    case CUPTI_ERROR_HARDWARE_BUSY:
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
      return "another profiler is using the counters: end it, or count with that one";
    case cupti_mig_not_supported:
      return "the counters of a MIG instance cannot be read: use a GPU without MIG";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "this virtual GPU has no counters: enable profiling for it in the hypervisor";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "confidential computing hides the counters: switch it off to count";
    case cupti_invalid_chip_name:
      return "this CUPTI does not know the GPU: install that of a newer CUDA Toolkit";
    default:
      return "";
  }
}

bool is_of_links(const CounterField& field) { return field.only_of == access::Space::peer; }

std::string why_unsupported(const CUpti_Profiler_DeviceSupported_Params& supported) {
  const auto lacks = [](CUpti_Profiler_Support_Level level) { return level != CUPTI_PROFILER_CONFIGURATION_SUPPORTED; };
  if (lacks(supported.architecture)) return "the GPU is too old to be counted: compute capability 7.0 or newer";
  if (lacks(supported.vGpu)) return std::string(cure(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED));
  if (lacks(supported.confidentialCompute)) {
    return std::string(cure(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED));
  }
  if (lacks(supported.wsl)) return "counters cannot be read under WSL: use Linux on the machine itself";
  return "this GPU's counters cannot be read in its configuration (SLI, or a mining GPU)";
}

}  // namespace

RangeProfiler::RangeProfiler(std::shared_ptr<const Cupti> cupti, int device_index) : cupti_(std::move(cupti)) {
  auto initialise = parameters<CUpti_Profiler_Initialize_Params>(CUpti_Profiler_Initialize_Params_STRUCT_SIZE);
  require(cupti_->profiler_initialize(&initialise), "start CUPTI's profiler");
  auto supported = parameters<CUpti_Profiler_DeviceSupported_Params>(CUpti_Profiler_DeviceSupported_Params_STRUCT_SIZE);
  supported.cuDevice = device_index;
  supported.api = CUPTI_PROFILER_RANGE_PROFILING;
  require(cupti_->profiler_device_supported(&supported), "ask whether the GPU can be profiled");
  if (supported.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    throw missing_capability_error(why_unsupported(supported));

  auto name = parameters<CUpti_Device_GetChipName_Params>(CUpti_Device_GetChipName_Params_STRUCT_SIZE);
  name.deviceIndex = static_cast<std::size_t>(device_index);
  require(cupti_->device_get_chip_name(&name), "ask for the chip's name");
  chip_ = name.pChipName;
}

RangeProfiler::~RangeProfiler() {
  disable();
  for (const auto& [spaces, chosen] : choices_) release_host(chosen.host);
}

void RangeProfiler::enable(const CounterChoice& chosen, CUcontext context) {
  if (enabled_for_ == &chosen) return;
  disable();
  auto enable = parameters<CUpti_RangeProfiler_Enable_Params>(CUpti_RangeProfiler_Enable_Params_STRUCT_SIZE);
  enable.ctx = context;
  require(cupti_->range_profiler_enable(&enable), "enable CUPTI's range profiler");
  profiler_ = enable.pRangeProfilerObject;
  next_pass_ = 0;
  nesting_level_ = 1;
  enabled_for_ = &chosen;
}

void RangeProfiler::disable() {
  if (profiler_ == nullptr) return;
  enabled_for_ = nullptr;
  auto disable = parameters<CUpti_RangeProfiler_Disable_Params>(CUpti_RangeProfiler_Disable_Params_STRUCT_SIZE);
  disable.pRangeProfilerObject = std::exchange(profiler_, nullptr);
  static_cast<void>(cupti_->range_profiler_disable(&disable));
}

void RangeProfiler::require(CUptiResult result, std::string_view what) const {
  if (result == CUPTI_SUCCESS) return;
  if (const std::string_view words = cure(result); !words.empty()) throw missing_capability_error(std::string(words));
  throw missing_capability_error("cannot " + std::string(what) + ": " + words_of(result));
}

void RangeProfiler::check_count(CUptiResult result, std::string_view what) const {
  if (result == CUPTI_SUCCESS) return;
  const std::string_view words = cure(result);
  throw probe_error("counting: cannot " + std::string(what) + ": " +
                    (words.empty() ? words_of(result) : std::string(words)));
}

std::string RangeProfiler::words_of(CUptiResult result) const {
  const char* text = nullptr;
  return cupti_->get_result_string(result, &text) == CUPTI_SUCCESS && text != nullptr ? text : "unknown CUPTI error";
}

CUpti_Profiler_Host_Object* RangeProfiler::make_host() const {
  auto start = parameters<CUpti_Profiler_Host_Initialize_Params>(CUpti_Profiler_Host_Initialize_Params_STRUCT_SIZE);
  start.profilerType = CUPTI_PROFILER_TYPE_RANGE_PROFILER;
  start.pChipName = chip_.c_str();
  // Without the image of available counters, which takes half a second to read and only new chips need.
  require(cupti_->profiler_host_initialize(&start), "prepare the counters of " + chip_);
  return start.pHostObject;
}

void RangeProfiler::release_host(CUpti_Profiler_Host_Object* object) const {
  auto end = parameters<CUpti_Profiler_Host_Deinitialize_Params>(CUpti_Profiler_Host_Deinitialize_Params_STRUCT_SIZE);
  end.pHostObject = object;
  static_cast<void>(cupti_->profiler_host_deinitialize(&end));
}

CUptiResult RangeProfiler::add(CUpti_Profiler_Host_Object* object, std::span<const char* const> names) const {
  auto add =
      parameters<CUpti_Profiler_Host_ConfigAddMetrics_Params>(CUpti_Profiler_Host_ConfigAddMetrics_Params_STRUCT_SIZE);
  add.pHostObject = object;
  add.ppMetricNames = const_cast<const char**>(names.data());  // CUPTI only reads them
  add.numMetrics = names.size();
  return cupti_->profiler_host_config_add_metrics(&add);
}

bool RangeProfiler::has(const char* metric) const {
  CUpti_Profiler_Host_Object* trial = make_host();
  const CUptiResult result = add(trial, std::span(&metric, 1));
  release_host(trial);
  return result == CUPTI_SUCCESS;
}

const CounterChoice& RangeProfiler::choice(const std::set<access::Space>& accessed) {
  std::set<access::Space> spaces;  // of those that have counters of their own
  for (const CounterField& field : counter_fields()) {
    if (field.only_of && !is_of_links(field) && accessed.contains(*field.only_of)) spaces.insert(*field.only_of);
  }
  return chosen(spaces, [&](const CounterField& field) { return !field.only_of || spaces.contains(*field.only_of); });
}

const CounterChoice& RangeProfiler::link_choice() { return chosen({access::Space::peer}, is_of_links); }

const CounterChoice& RangeProfiler::chosen(const std::set<access::Space>& key,
                                           const std::function<bool(const CounterField&)>& wanted) {
  if (const auto known = choices_.find(key); known != choices_.end()) return known->second;
  CounterChoice made;
  for (const CounterField& field : counter_fields()) {
    if (!wanted(field)) continue;
    for (const char* metric : field.metrics) {
      if (metric == nullptr || !has(metric)) continue;
      made.fields.push_back(&field);
      made.metrics.push_back(metric);
      break;
    }
  }
  made.host = make_host();
  CounterChoice& kept = choices_.emplace(key, std::move(made)).first->second;  // so that it is released in any case
  if (kept.metrics.empty()) return kept;
  require(add(kept.host, kept.metrics), "choose what to count");
  configure(kept);
  return kept;
}

void RangeProfiler::configure(CounterChoice& chosen) const {
  auto size = parameters<CUpti_Profiler_Host_GetConfigImageSize_Params>(
      CUpti_Profiler_Host_GetConfigImageSize_Params_STRUCT_SIZE);
  size.pHostObject = chosen.host;
  require(cupti_->profiler_host_get_config_image_size(&size), "size the counters' configuration");
  chosen.config.resize(size.configImageSize);
  auto image =
      parameters<CUpti_Profiler_Host_GetConfigImage_Params>(CUpti_Profiler_Host_GetConfigImage_Params_STRUCT_SIZE);
  image.pHostObject = chosen.host;
  image.configImageSize = chosen.config.size();
  image.pConfigImage = chosen.config.data();
  require(cupti_->profiler_host_get_config_image(&image), "make the counters' configuration");
  auto passes =
      parameters<CUpti_Profiler_Host_GetNumOfPasses_Params>(CUpti_Profiler_Host_GetNumOfPasses_Params_STRUCT_SIZE);
  passes.configImageSize = chosen.config.size();
  passes.pConfigImage = chosen.config.data();
  require(cupti_->profiler_host_get_num_of_passes(&passes), "count the passes that the counters take");
  chosen.passes = passes.numOfPasses;
}

RangeCounts RangeProfiler::empty_counts(std::size_t ranges) const {
  RangeCounts counts;
  auto size = parameters<CUpti_RangeProfiler_GetCounterDataSize_Params>(
      CUpti_RangeProfiler_GetCounterDataSize_Params_STRUCT_SIZE);
  size.pRangeProfilerObject = profiler_;
  size.pMetricNames = const_cast<const char**>(enabled_for_->metrics.data());  // CUPTI only reads them
  size.numMetrics = enabled_for_->metrics.size();
  size.maxNumOfRanges = ranges;
  size.maxNumRangeTreeNodes = static_cast<std::uint32_t>(ranges);
  check_count(cupti_->range_profiler_get_counter_data_size(&size), "size the counts");
  counts.data.resize(size.counterDataSize);

  auto empty = parameters<CUpti_RangeProfiler_CounterDataImage_Initialize_Params>(
      CUpti_RangeProfiler_CounterDataImage_Initialize_Params_STRUCT_SIZE);
  empty.pRangeProfilerObject = profiler_;
  empty.counterDataSize = counts.data.size();
  empty.pCounterData = counts.data.data();
  check_count(cupti_->range_profiler_counter_data_image_initialize(&empty), "clear the counts");
  return counts;
}

void RangeProfiler::set_up(RangeCounts& counts, Replay replay, std::size_t most_ranges) const {
  auto set = parameters<CUpti_RangeProfiler_SetConfig_Params>(CUpti_RangeProfiler_SetConfig_Params_STRUCT_SIZE);
  set.pRangeProfilerObject = profiler_;
  set.configSize = enabled_for_->config.size();
  set.pConfig = enabled_for_->config.data();
  set.counterDataImageSize = counts.data.size();
  set.pCounterDataImage = counts.data.data();
  set.range = replay == Replay::by_caller ? CUPTI_UserRange : CUPTI_AutoRange;
  set.replayMode = replay == Replay::by_caller ? CUPTI_UserReplay : CUPTI_KernelReplay;
  set.maxRangesPerPass = most_ranges;
  set.numNestingLevels = 1;
  set.minNestingLevel = 1;
  set.passIndex = next_pass_;
  set.targetNestingLevel = nesting_level_;
  check_count(cupti_->range_profiler_set_config(&set), "set the counters up");
}

void RangeProfiler::start() const {
  auto start = parameters<CUpti_RangeProfiler_Start_Params>(CUpti_RangeProfiler_Start_Params_STRUCT_SIZE);
  start.pRangeProfilerObject = profiler_;
  check_count(cupti_->range_profiler_start(&start), "start a pass");
}

void RangeProfiler::push(const char* name) const {
  auto push = parameters<CUpti_RangeProfiler_PushRange_Params>(CUpti_RangeProfiler_PushRange_Params_STRUCT_SIZE);
  push.pRangeProfilerObject = profiler_;
  push.pRangeName = name;
  check_count(cupti_->range_profiler_push_range(&push), "begin a launch");
}

void RangeProfiler::pop() const {
  auto pop = parameters<CUpti_RangeProfiler_PopRange_Params>(CUpti_RangeProfiler_PopRange_Params_STRUCT_SIZE);
  pop.pRangeProfilerObject = profiler_;
  check_count(cupti_->range_profiler_pop_range(&pop), "end a launch");
}

bool RangeProfiler::stop() {
  auto stop = parameters<CUpti_RangeProfiler_Stop_Params>(CUpti_RangeProfiler_Stop_Params_STRUCT_SIZE);
  stop.pRangeProfilerObject = profiler_;
  check_count(cupti_->range_profiler_stop(&stop), "end a pass");
  const bool is_last = stop.isAllPassSubmitted != 0;
  next_pass_ = is_last ? 0 : stop.passIndex;
  nesting_level_ = is_last ? 1 : static_cast<std::uint16_t>(stop.targetNestingLevel);
  return is_last;
}

void RangeProfiler::decode() const {
  auto decode = parameters<CUpti_RangeProfiler_DecodeData_Params>(CUpti_RangeProfiler_DecodeData_Params_STRUCT_SIZE);
  decode.pRangeProfilerObject = profiler_;
  check_count(cupti_->range_profiler_decode_data(&decode), "read the counts");
}

Counts RangeProfiler::counts_of(RangeCounts& counts, std::size_t range) const {
  std::vector<double> values(enabled_for_->metrics.size());
  auto evaluate = parameters<CUpti_Profiler_Host_EvaluateToGpuValues_Params>(
      CUpti_Profiler_Host_EvaluateToGpuValues_Params_STRUCT_SIZE);
  evaluate.pHostObject = enabled_for_->host;
  evaluate.pCounterDataImage = counts.data.data();
  evaluate.counterDataImageSize = counts.data.size();
  evaluate.rangeIndex = range;
  evaluate.ppMetricNames = const_cast<const char**>(enabled_for_->metrics.data());
  evaluate.numMetrics = enabled_for_->metrics.size();
  evaluate.pMetricValues = values.data();
  check_count(cupti_->profiler_host_evaluate_to_gpu_values(&evaluate), "work out the counts");
  Counts result;
  for (std::size_t k = 0; k < values.size(); ++k) {
    const CounterField& field = *enabled_for_->fields[k];
    if (std::isfinite(values[k])) result.*field.value = values[k] * field.scale;
  }
  return result;
}

}  // namespace gpumem::measure

#endif
