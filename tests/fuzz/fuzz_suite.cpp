// Any text as a suite: refused in one clear line, or a plan that can be run.

#include "app/suite/suite.hpp"
#include "tests/fuzz/mutate_json.hpp"
#include "tests/fuzz/require.hpp"

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return gpumem::fuzz::mutate_json(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpumem;
  try {
    const app::Suite suite = app::parse_suite({reinterpret_cast<const char*>(data), size}, "suite.json", probes());
    const std::size_t cases = suite.plan.size();
    fuzz::require(cases > 0 || !suite.expectations.empty(), "a suite has cases, or expects something of kernels");
    fuzz::require(cases <= app::maximum_cases, "and not too many");
  } catch (const Error& error) {
    fuzz::require_clear(error);
    return -1;  // not worth keeping
  }
  return 0;
}
