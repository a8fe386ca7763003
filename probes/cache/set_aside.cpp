#include "probes/cache/set_aside.hpp"

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/measure/cuda.hpp"

namespace gpumem::cache {

namespace {

std::uint64_t attribute(cudaDeviceAttr name) {
  int device = 0;
  int value = 0;
  measure::check(cudaGetDevice(&device), "ask for the device");
  measure::check(cudaDeviceGetAttribute(&value, name, device), "ask for what L2 can keep");
  return static_cast<std::uint64_t>(value);
}

}  // namespace

SetAside::SetAside(std::uint64_t wanted_bytes)
    : bytes_(std::min(wanted_bytes, attribute(cudaDevAttrMaxPersistingL2CacheSize))) {
  if (bytes_ == 0) throw missing_capability_error("this GPU sets no part of its L2 aside for persisting accesses");
  const cudaError_t status = cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, bytes_);
  if (status == cudaErrorUnsupportedLimit) {
    static_cast<void>(cudaGetLastError());
    throw missing_capability_error("this GPU lets nobody set a part of its L2 aside, as GPUs do that are shared");
  }
  measure::check(status, "set a part of L2 aside");
}

SetAside::~SetAside() {
  if (bytes_ == 0) return;
  static_cast<void>(cudaCtxResetPersistingL2Cache());
  static_cast<void>(cudaDeviceSetLimit(cudaLimitPersistingL2CacheSize, 0));  // what it is until somebody asks
}

cudaLaunchAttribute persisting_window(const void* data, std::uint64_t bytes, const SetAside& set_aside) {
  const std::uint64_t window = std::min(bytes, attribute(cudaDevAttrMaxAccessPolicyWindowSize));
  const double share = static_cast<double>(set_aside.bytes()) / static_cast<double>(window);
  cudaLaunchAttribute policy{};
  policy.id = cudaLaunchAttributeAccessPolicyWindow;
  policy.val.accessPolicyWindow = {.base_ptr = const_cast<void*>(data),
                                   .num_bytes = window,
                                   .hitRatio = static_cast<float>(std::min(1.0, share)),
                                   .hitProp = cudaAccessPropertyPersisting,
                                   .missProp = cudaAccessPropertyStreaming};
  return policy;
}

}  // namespace gpumem::cache
