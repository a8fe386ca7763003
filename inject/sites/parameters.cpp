#include "inject/sites/parameters.hpp"

#include <cstdint>
#include <cstring>

#include "inject/driver.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::inject {

namespace {

/// Of a launch that brings all parameters as one buffer (CU_LAUNCH_PARAM_BUFFER_POINTER), which names end by zero.
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

std::vector<std::byte> parameters_of(CUfunction function, const Launch& launch) {
  std::vector<std::byte> all;
  if (launch.parameters == nullptr) return launch.extra == nullptr ? all : buffer_of(launch.extra);
  if (driver().cuFuncGetParamInfo == nullptr) return all;
  std::size_t offset = 0;
  std::size_t bytes = 0;
  for (std::size_t i = 0; driver().cuFuncGetParamInfo(function, i, &offset, &bytes) == CUDA_SUCCESS; ++i) {
    // What does not fit is none of a kernel's.
    if (offset < all.size() || offset > most_parameter_bytes || bytes > most_parameter_bytes - offset) return {};
    if (launch.parameters[i] == nullptr) return {};
    all.resize(offset + bytes);
    std::memcpy(all.data() + offset, launch.parameters[i], bytes);
  }
  return all;
}

}  // namespace gpumem::inject
