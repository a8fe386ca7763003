// Kernels compiled while the program runs, loaded and launched.

#include <cuda_runtime_api.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/cuda.hpp"
#include "engine/measure/machine_accesses.hpp"
#include "engine/measure/module.hpp"
#include "tests/engine/measure/kernel_samples.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::measure {
namespace {

unsigned compute_capability_here() {
  cudaDeviceProp properties{};
  check(cudaGetDeviceProperties(&properties, 0), "ask for the device's properties");
  check(cudaFree(nullptr), "make a context");
  return static_cast<unsigned>(properties.major * 10 + properties.minor);
}

TEST_CASE("module: kernels that were just compiled run", "[gpu]") {
  const test::TemporaryDirectory directory;
  const test::EnvironmentVariable caches("XDG_CACHE_HOME", directory.path().string());
  const auto kernels = test::compiled(test::copying_kernels(), compute_capability_here());
  if (!kernels) return;
  const Module loaded(*kernels);
  const Stream stream;
  constexpr unsigned blocks = 32;
  constexpr unsigned block_threads = 128;
  for (const auto& [kernel, words_per_thread] : {std::pair(0U, 1U), std::pair(1U, 4U)}) {
    std::vector<std::uint32_t> words(std::size_t{blocks} * block_threads * words_per_thread);
    for (std::size_t i = 0; i < words.size(); ++i) words[i] = static_cast<std::uint32_t>(3 * i + 1);
    const std::size_t bytes = words.size() * sizeof words[0];
    const DeviceBuffer from(bytes);
    const DeviceBuffer to(bytes);
    check(cudaMemcpy(from.data(), words.data(), bytes, cudaMemcpyHostToDevice), "copy words");
    void* const addresses[] = {from.data(), to.data()};
    std::vector<void*> arguments = {const_cast<void**>(&addresses[0]), const_cast<void**>(&addresses[1])};
    loaded.launch(kernel, blocks, block_threads, stream.get(), arguments);
    stream.synchronize();
    std::vector<std::uint32_t> copied(words.size());
    check(cudaMemcpy(copied.data(), to.data(), bytes, cudaMemcpyDeviceToHost), "copy words back");
    CHECK(copied == words);

    const auto accesses = machine_accesses(kernels->cubin, kernels->names[kernel]);
    REQUIRE(accesses);
    CHECK(*accesses == std::vector<MachineAccess>{{access::Space::global, access::Op::load, 4, words_per_thread},
                                                  {access::Space::global, access::Op::store, 4, words_per_thread}});
  }
}

TEST_CASE("module: what cannot be loaded, found or launched is an error of the probe", "[gpu]") {
  const test::TemporaryDirectory directory;
  const test::EnvironmentVariable caches("XDG_CACHE_HOME", directory.path().string());
  const auto message = [](const auto& tried) {
    try {
      tried();
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::probe_failed);
      return std::string(error.what());
    }
    return std::string("no error");
  };
  auto kernels = test::compiled(test::copying_kernels(), compute_capability_here());
  if (!kernels) return;
  const std::string unloadable = message([] { const Module module({.cubin = "no cubin", .names = {}}); });
  CHECK_THAT(unloadable, Catch::Matchers::StartsWith("load compiled kernels: CUDA_ERROR_"));
  const Module loaded(*kernels);
  const std::string too_large = message([&] { loaded.launch(0, 1, 4096, nullptr, {}); });
  CHECK_THAT(too_large, Catch::Matchers::StartsWith("launch a compiled kernel: CUDA_ERROR_INVALID_VALUE ("));
  kernels->names = {"nowhere"};
  const std::string missing = message([&] { const Module module(*kernels); });
  CHECK_THAT(missing, Catch::Matchers::StartsWith("find the compiled kernel nowhere: CUDA_ERROR_NOT_FOUND ("));
}

}  // namespace
}  // namespace gpumem::measure
