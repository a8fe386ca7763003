#include "engine/measure/cuda.hpp"
#include "engine/measure/timing.hpp"
#include "probes/kernels/grayscale/empty_launch.hpp"

namespace gpumem::kernels {

static __global__ void do_nothing() {}

measure::Seconds time_empty_launch(measure::Session& session) {
  constexpr unsigned launches = 50;
  constexpr unsigned runs = 11;
  const measure::Stream& stream = session.stream();
  const measure::Summary summary = measure::time_queued(stream, runs, [&] {
    for (unsigned i = 0; i < launches; ++i) do_nothing<<<1, 1, 0, stream.get()>>>();
    measure::check(cudaGetLastError(), "launch an empty kernel");
  });
  return summary.median / launches;
}

}  // namespace gpumem::kernels
