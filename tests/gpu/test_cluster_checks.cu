// The checks of the cluster kernels find a single wrong word or sum, and nothing if all are right.

#include <string>

#include "engine/base/error.hpp"
#include "probes/shared/cluster/cluster_kernels.cuh"
#include "probes/shared/cluster/multicast_kernels.cuh"
#include "tests/catch.hpp"
#include "tests/gpu/planted.cuh"

using namespace gpumem;
using namespace gpumem::shared;
using gpumem::test::Planted;

namespace {

constexpr unsigned test_clusters = 2;
constexpr unsigned test_blocks = 4;  // of a cluster

bool has_clusters(Planted& planted) { return planted.session().device().compute_capability_major() >= 9; }

template <access::Op op>
void check_pulls(Planted& planted, PullFrom from, const std::string& name) {
  const ClusterPull pull{.from = from, .blocks = test_blocks, .pullers = 3, .stride = 5, .iterations = 3};
  constexpr std::uint64_t threads = std::uint64_t{test_clusters} * test_blocks * block_threads;
  std::uint32_t* results = planted.session().target(threads + 1024);
  auto* cycles = reinterpret_cast<std::uint64_t*>(results + threads);
  const measure::ClusterShape shape{test_clusters, test_blocks, block_threads, 4096};
  measure::ready_for_clusters(&pull_words<op>, shape);
  constexpr std::uint32_t salt = 7;
  planted.find<unsigned long long>(
      name, results, threads,
      [&] { measure::launch_clusters(&pull_words<op>, shape, planted.stream(), results, cycles, pull, salt); },
      [&](unsigned long long* found) {
        check_pulled_words<<<test_clusters * test_blocks, block_threads, 0, planted.stream()>>>(results, pull, op, salt,
                                                                                                found);
      });
}

template <bool by_multicast>
void check_fetches(Planted& planted, const std::string& name) {
  constexpr SharedTiles task{.tiles = 8, .words = 128, .steps = 11, .blocks = test_blocks};
  constexpr unsigned tile_threads = 64;
  constexpr std::uint64_t threads = std::uint64_t{test_clusters} * test_blocks * tile_threads;
  const auto* source =
      reinterpret_cast<const uint4*>(planted.session().random_source(std::uint64_t{task.tiles} * task.words * 4));
  std::uint32_t* results = planted.session().target(threads + 1024);
  auto* cycles = reinterpret_cast<std::uint64_t*>(results + threads);
  const measure::ClusterShape shape{test_clusters, test_blocks, tile_threads, ring_stages * task.words * word_bytes};
  measure::ready_for_clusters(&fetch_shared_tiles<by_multicast>, shape);
  planted.find<unsigned long long>(
      name, results, threads,
      [&] {
        measure::launch_clusters(&fetch_shared_tiles<by_multicast>, shape, planted.stream(), source, results, cycles,
                                 task);
      },
      [&](unsigned long long* found) {
        check_shared_tiles<<<test_clusters * test_blocks, tile_threads, 0, planted.stream()>>>(results, task, found);
      });
}

}  // namespace

TEST_CASE("one wrong word of another block is found") {
  Planted planted;
  if (!has_clusters(planted)) return;
  for (const PullFrom from : {PullFrom::ring, PullFrom::first}) {
    check_pulls<access::Op::load>(planted, from, "read");
    check_pulls<access::Op::store>(planted, from, "write");
    check_pulls<access::Op::atomic>(planted, from, "atomic");
  }
}

TEST_CASE("one wrong sum of a tile for all blocks is found") {
  Planted planted;
  if (!has_clusters(planted)) return;
  check_fetches<false>(planted, "each");
  check_fetches<true>(planted, "multicast");
}
