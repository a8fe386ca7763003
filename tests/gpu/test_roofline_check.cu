// The check of the roofline's sums finds one that is wrong.

#include "probes/kernels/roofline/roofline_kernels.cuh"
#include "tests/catch.hpp"
#include "tests/gpu/planted.cuh"

using namespace gpumem;
using namespace gpumem::kernels;
using gpumem::test::Planted;

TEST_CASE("one wrong sum of the roofline is found") {
  Planted planted;
  constexpr std::uint64_t vectors = std::uint64_t{roofline_threads} * roofline_loads;
  constexpr Step<float> step{0.999F, 0.001F};
  auto* words = reinterpret_cast<float*>(planted.session().target(vectors * 4 + roofline_threads));
  float* sums = words + vectors * 4;
  fill_words<<<8, 128, 0, planted.stream()>>>(words, vectors * 4);
  planted.find<unsigned long long>(
      "roofline", sums, roofline_threads,
      [&] {
        multiply_add_words<float, float4, 8>
            <<<1, roofline_threads, 0, planted.stream()>>>(reinterpret_cast<const float4*>(words), sums, 2, step);
      },
      [&](unsigned long long* found) {
        check_sums<<<1, roofline_threads, 0, planted.stream()>>>(sums, 16, step, found);
      });
}
