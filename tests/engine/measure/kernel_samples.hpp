#pragma once
// Kernels to compile in tests, and what to do where nothing compiles them.

#include <optional>
#include <string>

#include "engine/base/error.hpp"
#include "engine/measure/nvrtc.hpp"
#include "tests/catch.hpp"

namespace gpumem::test {

/// Copies words, one and four at a time.
inline measure::KernelSource copying_kernels(const std::string& word = "unsigned") {
  return {.text = R"(
#include "first.hpp"
namespace sample {
template <class Word, unsigned n>
__global__ void copy(const Word* from, Word* to) {
  Word words[n];
#pragma unroll
  for (unsigned i = 0; i < n; ++i) words[i] = from[first() + i * gridDim.x * blockDim.x];
#pragma unroll
  for (unsigned i = 0; i < n; ++i) to[first() + i * gridDim.x * blockDim.x] = words[i];
}
})",
          .headers = {{.name = "first.hpp", .text = R"(
__device__ inline unsigned first() { return blockIdx.x * blockDim.x + threadIdx.x; })"}},
          .kernels = {"sample::copy<" + word + ", 1>", "sample::copy<" + word + ", 4>"}};
}

inline bool without_nvrtc() {
  try {
    static_cast<void>(measure::nvrtc_version());
    return false;
  } catch (const Error&) {
    return true;
  }
}

/// Absent where NVRTC is not installed, which is a line that ctest looks for, or is one that does not know the
/// architecture.
inline std::optional<measure::CompiledKernels> compiled(const measure::KernelSource& source,
                                                        unsigned compute_capability) {
  try {
    return measure::compile(source, compute_capability);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu) throw;
    WARN((without_nvrtc() ? "skipped without NVRTC: " : "not tried: ") << error.what());
    return std::nullopt;
  }
}

}  // namespace gpumem::test
