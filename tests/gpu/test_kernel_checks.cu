// The checks of the classic kernels find a single wrong element in the output of every variant, and nothing if all are
// right. Products have tests of their own: test_matmul_check.cu.

#include <string>

#include "probes/kernels/divergence/divergence_kernels.cuh"
#include "probes/kernels/fusion/fusion_kernels.cuh"
#include "probes/kernels/grayscale/grayscale_kernels.cuh"
#include "probes/kernels/launch/launch_kernels.cuh"
#include "probes/kernels/occupancy/occupancy_kernel.cuh"
#include "probes/kernels/transpose/transpose_kernels.cuh"
#include "tests/catch.hpp"
#include "tests/gpu/planted.cuh"

using namespace gpumem;
using namespace gpumem::kernels;
using gpumem::test::Planted;

namespace {

template <class Real>
void check_transposes(Planted& planted, const std::string& type) {
  using namespace transpose;
  constexpr Matrix matrix{.rows = 65, .columns = 333};
  constexpr auto parts_of_element = measure::ContentParts::of(sizeof(Real));
  constexpr std::uint64_t words = (matrix.count() * sizeof(Real) + 3) / sizeof(std::uint32_t);
  const auto* source = reinterpret_cast<const Real*>(planted.session().random_source(words));
  auto* target = reinterpret_cast<Real*>(planted.session().target(words));
  const auto way = [&](const std::string& name, auto kernel, dim3 grid, dim3 block) {
    planted.find<global::Mismatches>(
        type + " " + name, target, matrix.count(),
        [&] { kernel<<<grid, block, 0, planted.stream()>>>(source, target, matrix); },
        [&](global::Mismatches* found) {
          check_matrix<<<32, 256, 0, planted.stream()>>>(reinterpret_cast<const std::uint32_t*>(target),
                                                         parts_of_element, matrix, name != "copy", found);
        });
  };
  const dim3 tiles(parts(matrix.columns, tile_side), parts(matrix.rows, tile_side));
  const dim3 block(tile_side, block_rows);
  way("copy", &copy_matrix<Real>, tiles, block);
  way("strided-write", &by_strided_writes<Real>, tiles, block);
  way("strided-read", &by_strided_reads<Real>, tiles, block);
  way("tile", &by_tiles<Real, TileLayout::plain>, tiles, block);
  way("padded", &by_tiles<Real, TileLayout::padded>, tiles, block);
  way("swizzled", &by_tiles<Real, TileLayout::swizzled>, tiles, block);
  constexpr std::uint32_t side = wide_side(sizeof(Real), 1);
  way("wide", &by_wide_tiles<Real, 1>, dim3(parts(matrix.columns, side) * parts(matrix.rows, side)),
      dim3(block_threads));
}

template <class Layout>
void check_greys(Planted& planted, const std::string& layout_name, Layout layout, std::uint64_t plane_bytes) {
  constexpr std::uint64_t pixels = 1001;
  const std::uint64_t groups = (pixels + pixels_per_word - 1) / pixels_per_word;
  const auto* image = reinterpret_cast<const std::uint8_t*>(planted.session().random_source(plane_bytes));
  auto* grey = reinterpret_cast<std::uint8_t*>(planted.session().target(plane_bytes / sizeof(std::uint32_t)));
  const auto check = [&](global::Mismatches* found) {
    check_grey<<<4, 256, 0, planted.stream()>>>(grey, pixels, 0, layout, found);
  };
  planted.find<global::Mismatches>(
      layout_name, grey, pixels, [&] { grey_by_pixels<<<4, 256, 0, planted.stream()>>>(image, grey, pixels, layout); },
      check);
  planted.find<global::Mismatches>(
      layout_name + " in words", grey, pixels,
      [&] { grey_by_words<<<1, 64, 0, planted.stream()>>>(image, grey, groups, layout); }, check);
}

}  // namespace

TEST_CASE("one wrong element of a transpose is found") {
  Planted planted;
  check_transposes<float>(planted, "float");
  check_transposes<double>(planted, "double");
  check_transposes<std::uint16_t>(planted, "half");
  check_transposes<std::uint8_t>(planted, "int8");
}

TEST_CASE("one wrong element of GeLU is found") {
  Planted planted;
  constexpr std::uint64_t words = 1000;
  constexpr std::uint64_t count = 4 * words;
  auto* x = reinterpret_cast<float4*>(planted.session().target(2 * count));
  float4* y = x + words;
  fill_gelu_input<<<8, 128, 0, planted.stream()>>>(reinterpret_cast<float*>(x), count);
  const auto check = [&](global::Mismatches* found) {
    check_gelu<<<8, 128, 0, planted.stream()>>>(reinterpret_cast<const float*>(y), count, found);
  };
  auto* target = reinterpret_cast<float*>(y);
  planted.find<global::Mismatches>(
      "fused", target, count, [&] { fused_gelu<<<8, 128, 0, planted.stream()>>>(x, y, words); }, check);
  const auto steps = [&] {
    for (unsigned step = 0; step < gelu_steps; ++step) {
      gelu_step<<<8, 128, 0, planted.stream()>>>(static_cast<GeluStep>(step), step == 0 ? x : y, x, y, words);
    }
  };
  planted.find<global::Mismatches>("separate", target, count, steps, check);
}

TEST_CASE("one wrong grey pixel is found") {
  Planted planted;
  constexpr std::uint64_t plane_bytes = 1024;
  check_greys(planted, "packed", PackedPixels{plane_bytes}, plane_bytes);
  check_greys(planted, "planar", PlanarPixels{plane_bytes}, plane_bytes);
}

TEST_CASE("one wrong result of paths, sums or launches is found") {
  Planted planted;
  std::uint32_t* results = planted.session().target(4096);
  constexpr unsigned paths = 4;
  auto* cycles = reinterpret_cast<std::uint64_t*>(results + 2048);
  const auto walk = [&](const std::string& name, Branching kind, auto kernel) {
    planted.find<unsigned long long>(
        name, results, divergent_block_threads,
        [&] { kernel<<<1, divergent_block_threads, 0, planted.stream()>>>(results, cycles); },
        [&](unsigned long long* found) {
          check_walks<<<1, divergent_block_threads, 0, planted.stream()>>>(results, kind, paths, found);
        });
  };
  walk("lanes", Branching::by_lane, &split_paths<ByLane, paths>);
  walk("syncwarp", Branching::by_lane, &split_paths<ByLaneAndSync, paths>);
  walk("warps", Branching::by_warp, &split_paths<ByWarp, paths>);
  walk("loops", Branching::unequal, &unequal_loops<paths>);

  constexpr std::uint32_t kernels = 100;
  planted.find<unsigned long long>(
      "launch", results, kernels,
      [&] {
        for (std::uint32_t k = 0; k < kernels; ++k) store_word<<<1, 1, 0, planted.stream()>>>(results, k);
      },
      [&](unsigned long long* found) {
        check_stored_words<<<1, 128, 0, planted.stream()>>>(results, kernels, kernels, found);
      });

  constexpr std::uint64_t vectors = std::uint64_t{most_occupancy_threads} * loads_of_thread;
  const auto* words = reinterpret_cast<const uint4*>(planted.session().random_source(vectors * 4));
  constexpr unsigned change = loads_of_thread / 2;
  planted.find<unsigned long long>(
      "occupancy", results, most_occupancy_threads,
      [&] { read_holding_registers<8><<<1, most_occupancy_threads, 0, planted.stream()>>>(words, results, 7, change); },
      [&](unsigned long long* found) {
        check_read<<<1, most_occupancy_threads, 0, planted.stream()>>>(results, 8, 7, change, found);
      });
}
