// Shared pattern and shared indices: any pattern of a tile in shared memory, as an expression of the access or as an
// index array, in words or in matrices of a warp. The host evaluates it; the kernels take the addresses from a table.

#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/timing.hpp"
#include "probes/experiment.hpp"
#include "probes/user/shared_pattern/shared_copies.cuh"
#include "probes/user/shared_pattern/shared_kernels.cuh"
#include "probes/user/shared_pattern/shared_pattern.hpp"

namespace gpumem::shared_pattern {

/// Calls visit(bytes) of a copied word.
template <class Visitor>
static auto with_copied(const TileLaunch& launch, Visitor&& visit) {
  return dispatch(one_of<4, 8, 16>(launch.tile.word_bytes), visit);
}

/// Calls visit(access), a value of the type that the case's kernels are made of. Copies have no such type.
template <class Visitor>
static auto with_access(const TileLaunch& launch, Visitor&& visit) {
  const TileCase& tile = launch.tile;
  if (tile.matrices == 0) {
    return dispatch(one_of<1, 2, 4, 8, 16>(tile.word_bytes), [&](auto bytes) { return visit(Words<bytes()>()); });
  }
  return dispatch(one_of<1, 2, 4>(tile.matrices), one_of<false, true>(tile.transposed()),
                  [&](auto matrices, auto transposed) { return visit(Matrices<matrices(), transposed()>()); });
}

static std::string tile_kernel_name(const TileLaunch& launch) {
  if (launch.tile.copies()) {
    return with_copied(launch, [](auto bytes) { return measure::kernel_name<&copy_into_tile<bytes()>>(); });
  }
  return with_access(launch, [&](auto access) {
    using Access = decltype(access);
    return launch.tile.stores() ? measure::kernel_name<&store_tile<Access>>()
                                : measure::kernel_name<&load_tile<Access>>();
  });
}

class TileExperiment final : public measure::Experiment {
 public:
  TileExperiment(TileLaunch launch, measure::Session& session)
      : launch_(std::move(launch)),
        blocks_(session.device().multiprocessors),
        table_(std::lcm(launch_.block->count(), std::uint64_t{turns}) * access::warp_lanes * sizeof(std::uint32_t)),
        sums_(std::size_t{blocks_} * block_threads * sizeof(std::uint32_t)),
        cycles_(blocks_ * sizeof(std::uint64_t)),
        source_(copied_bytes(launch_)),
        mismatches_(session) {
    const std::vector<std::uint32_t> table = launch_.table();
    measure::check(cudaMemcpy(table_.data(), table.data(), table_.bytes(), cudaMemcpyHostToDevice),
                   "copy addresses to the device");
    work_ = {.table = table_.as<uint4>(),
             .parts = static_cast<std::uint32_t>(table.size() / (turns * access::warp_lanes)),
             .groups = launch_.groups,
             .iterations = launch_.iterations,
             .tile_words = static_cast<std::uint32_t>(launch_.block->tile_bytes / sizeof(std::uint32_t)),
             .salt = 0,
             .step = 0};
    with_kernel([&](auto kernel, auto... /*arguments*/) {
      cudaFuncAttributes attributes{};
      measure::check(cudaFuncGetAttributes(&attributes, kernel), "look at the kernel");
      // A build for older GPUs alone has PTX without these instructions, which a newer GPU then compiles.
      const int least = static_cast<int>(instruction_of(launch_.tile).least_capability);
      if (attributes.ptxVersion < least) {
        throw missing_capability_error("this program was not built for GPUs with these instructions: build it for sm_" +
                                       std::to_string(least) + " or later");
      }
      measure::allow_all_shared_memory(reinterpret_cast<const void*>(kernel));
    });
  }

  void launch(cudaStream_t stream) override {
    if (launch_.tile.stores()) ++work_.salt;
    if (launch_.tile.copies()) {
      with_copied(launch_, [&](auto bytes) {
        fill_source<bytes()><<<1, access::warp_lanes, 0, stream>>>(source_.as<std::uint32_t>(), work_.salt);
      });
    }
    with_kernel([&](auto kernel, auto... source) {
      kernel<<<blocks_, block_threads, launch_.block->tile_bytes, stream>>>(
          sums_.as<std::uint32_t>(), cycles_.as<std::uint64_t>(), work_, source...);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(stream);
    const bool stores = launch_.tile.stores();
    const SumOf kind = launch_.tile.copies()                  ? SumOf::copies
                       : stores || launch_.tile.matrices == 0 ? SumOf::words
                       : launch_.tile.transposed()            ? SumOf::transposed_matrices
                                                              : SumOf::matrices;
    dispatch(one_of<1, 2, 4, 8, 16>(launch_.tile.access_bytes()), [&](auto bytes) {
      check_tile_words<bytes()>
          <<<blocks_, block_threads, 0, stream>>>(sums_.as<std::uint32_t>(), work_, stores ? 1 : launch_.iterations,
                                                  kind, launch_.tile.request_lanes(), mismatches_.data());
    });
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

  /// Cycles per request of the multiprocessor in the middle, by its own clock.
  double sample() override { return measure::middle_cycles(cycles_) / static_cast<double>(launch_.requests()); }

 private:
  /// Calls visit(kernel, its arguments after the work...).
  template <class Visitor>
  void with_kernel(Visitor&& visit) const {
    if (launch_.tile.copies()) {
      return with_copied(launch_, [&](auto bytes) { visit(copy_into_tile<bytes()>, source_.as<const char>()); });
    }
    with_access(launch_, [&](auto access) {
      using Access = decltype(access);
      launch_.tile.stores() ? visit(store_tile<Access>) : visit(load_tile<Access>);
    });
  }

  TileLaunch launch_;
  unsigned blocks_;
  measure::DeviceBuffer table_;
  measure::DeviceBuffer sums_;
  measure::DeviceBuffer cycles_;
  measure::DeviceBuffer source_;  ///< of copies
  measure::MismatchCount mismatches_;
  TileWork work_ = {};
};

/// Adds the parts that need the kernels.
static Probe with_kernels(Probe probe, const TileCases& cases) {
  probe.describe = [cases](const Case& decided, const Device& device) {
    const TileLaunch launch(cases.get(decided), device);
    Workload workload = workload_of(launch, device);
    workload.kernel = tile_kernel_name(launch);
    return workload;
  };
  probe.prepare = [cases](const Case& decided, measure::Session& session) -> std::unique_ptr<measure::Experiment> {
    return std::make_unique<TileExperiment>(TileLaunch(cases.get(decided), session.device()), session);
  };
  return probe;
}

static Probe shared_pattern_probe() {
  const TileCases cases = expression_cases();
  return with_kernels(tile_pattern_probe(cases), cases);
}

GPUMEM_PROBE(shared_pattern_probe);

static Probe shared_indices_probe() {
  const TileCases cases = list_cases();
  return with_kernels(tile_indices_probe(cases), cases);
}

GPUMEM_PROBE(shared_indices_probe);

}  // namespace gpumem::shared_pattern
