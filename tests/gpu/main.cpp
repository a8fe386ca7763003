// Ends with 77, which ctest reports as "skipped", where there is no GPU: these tests never pass without one.

#include <cuda_runtime_api.h>

#include <algorithm>
#include <cstdio>
#include <iostream>
#include <span>
#include <string_view>

#include "app/run/worker.hpp"

// Catch2 2 compiles its implementation here; Catch2 3 has it in its library.
#define CATCH_CONFIG_RUNNER
#include "tests/catch.hpp"

int main(int argc, char** argv) {
  if (argc == 2 && argv[1] == std::string_view(gpumem::app::worker_argument)) {
    gpumem::app::serve_parent(std::cin, std::cout, [] { return false; });  // for who measures in copies of this
    return 0;
  }
  // Listing the tests, as the build does to tell ctest of them, takes no GPU.
  const bool lists = std::ranges::any_of(std::span(argv, static_cast<std::size_t>(argc)),
                                         [](std::string_view argument) { return argument.starts_with("--list"); });
  int count = 0;
  const cudaError_t error = lists ? cudaSuccess : cudaGetDeviceCount(&count);
  if (!lists && count == 0) {
    std::printf("skipped: no usable GPU (%s)\n", error == cudaSuccess ? "none found" : cudaGetErrorString(error));
    return 77;
  }
  return Catch::Session().run(argc, argv);
}
