#include "program/watch/launches.hpp"

#include <algorithm>
#include <array>
#include <cstring>

#include "program/watch/driver.hpp"
#include "program/watch/driver_calls.hpp"

namespace gpumem::inject {

namespace {

// Parameters as callbacks have them: the call's own, in its order. Forms that end in _ptsz have the same.

struct LaunchKernel {  ///< cuLaunchKernel; cuLaunchCooperativeKernel lacks the last
  CUfunction function;
  unsigned grid[3];
  unsigned block[3];
  unsigned shared_bytes;
  CUstream stream;
  void** parameters;
  void** extra;
};

struct LaunchKernelEx {
  const CUlaunchConfig* config;
  CUfunction function;
  void** parameters;
  void** extra;
};

constexpr CallId launches[] = {
    driver_call::cuLaunchKernel,
    driver_call::cuLaunchKernel_ptsz,
    driver_call::cuLaunchKernelEx,
    driver_call::cuLaunchKernelEx_ptsz,
    driver_call::cuLaunchCooperativeKernel,
    driver_call::cuLaunchCooperativeKernel_ptsz,
};
constexpr CallId graph_launches[] = {
    driver_call::cuGraphLaunch,
    driver_call::cuGraphLaunch_ptsz,
};
constexpr CallId captures_begin[] = {
    driver_call::cuStreamBeginCapture_v1,     driver_call::cuStreamBeginCapture_ptsz,
    driver_call::cuStreamBeginCapture_v2,     driver_call::cuStreamBeginCapture_v2_ptsz,
    driver_call::cuStreamBeginCaptureToGraph, driver_call::cuStreamBeginCaptureToGraph_ptsz,
};
constexpr CallId captures_end[] = {
    driver_call::cuStreamEndCapture,
    driver_call::cuStreamEndCapture_ptsz,
};
constexpr auto captures = [] {
  std::array<CallId, std::size(captures_begin) + std::size(captures_end)> all{};
  std::ranges::copy(captures_end, std::ranges::copy(captures_begin, all.begin()).out);
  return all;
}();
constexpr CallId waits[] = {
    driver_call::cuCtxSynchronize,   driver_call::cuStreamSynchronize, driver_call::cuStreamSynchronize_ptsz,
    driver_call::cuEventSynchronize, driver_call::cuMemcpyDtoH_v2,     driver_call::cuMemcpyDtoH_v2_ptds,
};
constexpr CallId ends[] = {
    driver_call::cuCtxDestroy_v2,
    driver_call::cuDevicePrimaryCtxReset_v1,
    driver_call::cuDevicePrimaryCtxRelease_v1,
    driver_call::cuDevicePrimaryCtxReset_v2,
    driver_call::cuDevicePrimaryCtxRelease_v2,
};

bool is_extended(CallId id) { return id == driver_call::cuLaunchKernelEx || id == driver_call::cuLaunchKernelEx_ptsz; }

bool is_cooperative(CallId id) {
  return id == driver_call::cuLaunchCooperativeKernel || id == driver_call::cuLaunchCooperativeKernel_ptsz;
}

/// True if a stream of 0 is the thread's own.
bool is_per_thread(CallId id) {
  return id == driver_call::cuLaunchKernel_ptsz || id == driver_call::cuLaunchKernelEx_ptsz ||
         id == driver_call::cuLaunchCooperativeKernel_ptsz;
}

bool is_cooperative(const CUlaunchConfig& config) {
  return std::any_of(config.attrs, config.attrs + config.numAttrs, [](const CUlaunchAttribute& attribute) {
    return attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative != 0;
  });
}

/// Returns true if the grid alone says which blocks run together: the launch has no clusters, and nothing that follows
/// from its end.
bool is_plain(const CUlaunchConfig& config) {
  return std::all_of(config.attrs, config.attrs + config.numAttrs, [](const CUlaunchAttribute& attribute) {
    return attribute.id == CU_LAUNCH_ATTRIBUTE_IGNORE || attribute.id == CU_LAUNCH_ATTRIBUTE_PRIORITY ||
           attribute.id == CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW;
  });
}

/// Returns true if a second launch with these attributes would concern nobody else. One that records an event, for
/// example, would.
bool is_repeatable(const CUlaunchConfig& config) {
  constexpr CUlaunchAttributeID harmless[] = {
      CU_LAUNCH_ATTRIBUTE_IGNORE,
      CU_LAUNCH_ATTRIBUTE_PRIORITY,
      CU_LAUNCH_ATTRIBUTE_ACCESS_POLICY_WINDOW,
      CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION,
      CU_LAUNCH_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE,
      CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION,
      CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN_MAP,
      CU_LAUNCH_ATTRIBUTE_MEM_SYNC_DOMAIN,
  };
  return std::all_of(config.attrs, config.attrs + config.numAttrs, [&](const CUlaunchAttribute& attribute) {
    const bool is_off = attribute.id == CU_LAUNCH_ATTRIBUTE_COOPERATIVE && attribute.value.cooperative == 0;
    return is_off || std::ranges::find(harmless, attribute.id) != std::end(harmless);
  });
}

/// The parameters of a launch that brings all of them as one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER). `extra` has pairs
/// of a name and a value up to CU_LAUNCH_PARAM_END. Empty if there is no buffer, or a name that is not known.
std::vector<std::byte> buffer_of(void** extra) {
  const void* buffer = nullptr;
  std::size_t bytes = 0;
  for (; *extra != CU_LAUNCH_PARAM_END; extra += 2) {
    if (extra[0] == CU_LAUNCH_PARAM_BUFFER_POINTER) {
      buffer = extra[1];
    } else if (extra[0] == CU_LAUNCH_PARAM_BUFFER_SIZE && extra[1] != nullptr) {
      bytes = *static_cast<const std::size_t*>(extra[1]);
    } else {
      return {};
    }
  }
  if (buffer == nullptr || bytes > most_parameter_bytes) return {};
  const auto* begin = static_cast<const std::byte*>(buffer);
  return {begin, begin + bytes};
}

}  // namespace

std::span<const CallId> launch_calls() { return launches; }
std::span<const CallId> graph_launch_calls() { return graph_launches; }
std::span<const CallId> capture_calls() { return captures; }
std::span<const CallId> waiting_calls() { return waits; }
std::span<const CallId> ending_calls() { return ends; }

bool is_launch(CallId id) { return std::ranges::find(launches, id) != std::end(launches); }
bool is_graph_launch(CallId id) { return std::ranges::find(graph_launches, id) != std::end(graph_launches); }
bool is_capture(CallId id) { return std::ranges::find(captures, id) != captures.end(); }
bool ends_context(CallId id) { return std::ranges::find(ends, id) != std::end(ends); }

void Captures::note(CallId id, CUresult result) {
  const bool begins = std::ranges::find(captures_begin, id) != std::end(captures_begin);
  if (begins && result == CUDA_SUCCESS) ++open_;
  // An end that fails ends it too, unless there was nothing to end: then other captures take launches longer, no more.
  if (!begins && result != CUDA_ERROR_ILLEGAL_STATE) --open_;
}

LaunchKey launch_key_of(CallId id, const void* parameters) {
  if (is_extended(id)) {
    const auto& p = *static_cast<const LaunchKernelEx*>(parameters);
    const CUlaunchConfig& config = *p.config;
    return {p.function,
            {.grid = {config.gridDimX, config.gridDimY, config.gridDimZ},
             .block = {config.blockDimX, config.blockDimY, config.blockDimZ},
             .dynamic_shared_bytes = config.sharedMemBytes}};
  }
  const auto& p = *static_cast<const LaunchKernel*>(parameters);
  return {p.function,
          {.grid = {p.grid[0], p.grid[1], p.grid[2]},
           .block = {p.block[0], p.block[1], p.block[2]},
           .dynamic_shared_bytes = p.shared_bytes}};
}

Launch launch_of(CallId id, const void* parameters) {
  const LaunchKey key = launch_key_of(id, parameters);
  Launch launch{.function = key.function, .shape = key.shape};
  if (is_extended(id)) {
    const auto& p = *static_cast<const LaunchKernelEx*>(parameters);
    launch.stream = p.config->hStream;
    launch.cooperative = is_cooperative(*p.config);
    launch.divisible = is_plain(*p.config);
    launch.repeatable = is_repeatable(*p.config);
    launch.parameters = p.parameters;
    launch.extra = p.extra;
  } else {
    const auto& p = *static_cast<const LaunchKernel*>(parameters);
    launch.stream = p.stream;
    launch.cooperative = is_cooperative(id);
    launch.divisible = !launch.cooperative;
    launch.repeatable = !launch.cooperative;
    launch.parameters = p.parameters;
    if (!launch.cooperative) launch.extra = p.extra;
  }
  if (is_per_thread(id) && launch.stream == nullptr) launch.stream = CU_STREAM_PER_THREAD;
  return launch;
}

std::optional<std::vector<std::byte>> parameters_if_known(CUfunction function, const Launch& launch) {
  std::vector<std::byte> all;
  if (launch.parameters == nullptr && launch.extra != nullptr) {
    all = buffer_of(launch.extra);
    if (all.empty()) return std::nullopt;
    return all;
  }
  if (driver().cuFuncGetParamInfo == nullptr) return std::nullopt;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; driver().cuFuncGetParamInfo(function, i, &offset, &bytes) == CUDA_SUCCESS; ++i) {
    // No kernel has parameters that overlap or go beyond the limit.
    if (offset < all.size() || offset > most_parameter_bytes || bytes > most_parameter_bytes - offset) return {};
    if (launch.parameters == nullptr || launch.parameters[i] == nullptr) return std::nullopt;
    all.resize(offset + bytes);
    std::memcpy(all.data() + offset, launch.parameters[i], bytes);
  }
  return all;
}

std::vector<std::byte> parameters_of(CUfunction function, const Launch& launch) {
  return parameters_if_known(function, launch).value_or(std::vector<std::byte>{});
}

std::uint64_t numbers_of(const std::vector<std::byte>& parameters) {
  std::uint64_t sum = 1;
  for (std::size_t at = 0; at < parameters.size(); at += sizeof(std::uint64_t)) {
    std::uint64_t word = 0;
    std::memcpy(&word, parameters.data() + at, std::min(sizeof(word), parameters.size() - at));
    CUmemorytype type{};
    const bool is_address = word >> 32U != 0 && driver().cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE,
                                                                               word) == CUDA_SUCCESS;
    sum = (sum ^ (is_address ? 0 : word)) * 0x9e37'79b9'7f4a'7c15;  // Fibonacci hashing
    sum ^= sum >> 32U;
  }
  return std::max(sum, std::uint64_t{1});
}

CUresult launch_again(CallId id, const void* parameters, CUstream stream) {
  if (is_extended(id)) {
    const auto& p = *static_cast<const LaunchKernelEx*>(parameters);
    CUlaunchConfig config = *p.config;
    config.hStream = stream;
    return driver().cuLaunchKernelEx(&config, p.function, p.parameters, p.extra);
  }
  const auto& p = *static_cast<const LaunchKernel*>(parameters);
  if (is_cooperative(id)) {
    return driver().cuLaunchCooperativeKernel(p.function, p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1],
                                              p.block[2], p.shared_bytes, stream, p.parameters);
  }
  return driver().cuLaunchKernel(p.function, p.grid[0], p.grid[1], p.grid[2], p.block[0], p.block[1], p.block[2],
                                 p.shared_bytes, stream, p.parameters, p.extra);
}

}  // namespace gpumem::inject
