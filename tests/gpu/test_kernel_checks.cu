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

template <class Real>
void check_gelus(Planted& planted, const std::string& type) {
  constexpr std::uint64_t words = 1000;
  constexpr std::uint64_t count = words * GeluWord<Real>::count;
  auto* x = reinterpret_cast<uint4*>(planted.session().target(2 * words * sizeof(uint4) / sizeof(std::uint32_t)));
  uint4* y = x + words;
  fill_gelu_input<<<8, 128, 0, planted.stream()>>>(reinterpret_cast<Real*>(x), count);
  auto* target = reinterpret_cast<Real*>(y);
  const auto check = [&](bool stores_every_step) {
    return [&planted, target, stores_every_step](global::Mismatches* found) {
      check_gelu<Real><<<8, 128, 0, planted.stream()>>>(target, count, stores_every_step, found);
    };
  };
  planted.find<global::Mismatches>(
      type + " fused", target, count, [&] { fused_gelu<Real><<<8, 128, 0, planted.stream()>>>(x, y, words); },
      check(false));
  const auto steps = [&] {
    for (unsigned step = 0; step < gelu_steps; ++step) {
      gelu_step<Real><<<8, 128, 0, planted.stream()>>>(static_cast<GeluStep>(step), step == 0 ? x : y, x, y, words);
    }
  };
  planted.find<global::Mismatches>(type + " separate", target, count, steps, check(true));
}

template <class Real, class Layout>
void check_greys(Planted& planted, const std::string& layout_name, Layout layout) {
  constexpr std::uint64_t pixels = 1001;
  constexpr std::uint64_t group_pixels = grey_word_bytes / sizeof(Real);
  constexpr std::uint64_t groups = (pixels + group_pixels - 1) / group_pixels;
  const std::uint64_t elements = channels * layout.plane;
  const std::uint64_t words = (elements + groups * group_pixels) * sizeof(Real) / sizeof(std::uint32_t);
  auto* image = reinterpret_cast<Real*>(planted.session().target(words));
  Real* grey = image + elements;
  fill_channels<<<4, 256, 0, planted.stream()>>>(image, elements);
  const auto check = [&](global::Mismatches* found) {
    check_grey<<<4, 256, 0, planted.stream()>>>(grey, pixels, 0, layout, found);
  };
  planted.find<global::Mismatches>(
      layout_name, grey, pixels, [&] { grey_by_pixels<<<4, 256, 0, planted.stream()>>>(image, grey, pixels, layout); },
      check);
  planted.find<global::Mismatches>(
      layout_name + " in words", grey, pixels,
      [&] { grey_by_words<<<1, 256, 0, planted.stream()>>>(image, grey, groups, layout); }, check);
}

template <class Real>
void check_greys(Planted& planted, const std::string& type) {
  constexpr std::uint64_t plane = 1024;
  check_greys<Real>(planted, type + " packed", PackedPixels{plane});
  check_greys<Real>(planted, type + " planar", PlanarPixels{plane});
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
  check_gelus<float>(planted, "float");
  check_gelus<Half>(planted, "half");
  check_gelus<Bfloat16>(planted, "bfloat16");
  check_gelus<Fp8>(planted, "fp8");
}

TEST_CASE("GeLU without one of its steps is found") {
  Planted planted;
  constexpr std::uint64_t words = 1000;
  constexpr std::uint64_t count = words * GeluWord<Fp8>::count;
  auto* x = reinterpret_cast<uint4*>(planted.session().target(2 * words * sizeof(uint4) / sizeof(std::uint32_t)));
  uint4* y = x + words;
  fill_gelu_input<<<8, 128, 0, planted.stream()>>>(reinterpret_cast<Fp8*>(x), count);
  const measure::CheckResult<global::Mismatches> found(planted.session());
  for (unsigned left_out = 0; left_out < gelu_steps; ++left_out) {
    INFO("step " << left_out);
    for (unsigned step = 0; step < gelu_steps; ++step) {
      if (step == left_out) continue;
      const uint4* source = step == 0 || (step == 1 && left_out == 0) ? x : y;
      gelu_step<Fp8><<<8, 128, 0, planted.stream()>>>(static_cast<GeluStep>(step), source, x, y, words);
    }
    found.reset(planted.stream());
    check_gelu<<<8, 128, 0, planted.stream()>>>(reinterpret_cast<const Fp8*>(y), count, true, found.data());
    CHECK(found.read(planted.stream()).count > count / 10);
  }
}

TEST_CASE("one wrong grey pixel is found") {
  Planted planted;
  check_greys<std::uint8_t>(planted, "uint8");
  check_greys<float>(planted, "float");
  check_greys<Half>(planted, "half");
  check_greys<Bfloat16>(planted, "bfloat16");
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
