// Matmul: C = A x B, step by step from one thread per element and no reuse but what caches give to what a library
// reaches. Each step moves the same product further up the memory: from L1 to shared memory, from there to registers.

#include <algorithm>
#include <cstddef>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "engine/model/arithmetic.hpp"
#include "probes/experiment.hpp"
#include "probes/kernels/matmul/cublas.hpp"
#include "probes/kernels/matmul/matmul_check.cuh"
#include "probes/kernels/matmul/matmul_kernels.cuh"
#include "probes/kernels/matmul/matmul_registers.cuh"
#include "probes/kernels/matmul/matmul_sites.hpp"

namespace gpumem::kernels {

namespace {

/// A case in numbers.
struct ProductCase {
  ProductBy by;
  std::uint32_t real_bytes;
  ProductShape shape;

  explicit ProductCase(const Case& decided)
      : by(decided[axis::matmul]), real_bytes(decided[axis::real_bytes]), shape(product_shape(decided)) {}

  [[nodiscard]] std::uint64_t bytes_of_a() const { return std::uint64_t{shape.m} * shape.k * real_bytes; }
  [[nodiscard]] std::uint64_t bytes_of_b() const { return std::uint64_t{shape.k} * shape.n * real_bytes; }
  [[nodiscard]] std::uint64_t bytes_of_c() const { return std::uint64_t{shape.m} * shape.n * real_bytes; }
  [[nodiscard]] std::uint64_t multiplications() const { return std::uint64_t{shape.m} * shape.n * shape.k; }
  /// Offsets in bytes of B and C in the one allocation: on a boundary that no access crosses.
  [[nodiscard]] std::uint64_t place_of_b() const { return whole_lines(bytes_of_a()); }
  [[nodiscard]] std::uint64_t place_of_c() const { return place_of_b() + whole_lines(bytes_of_b()); }
  [[nodiscard]] std::uint64_t allocated_bytes() const { return place_of_c() + whole_lines(bytes_of_c()); }
  [[nodiscard]] ProductLaunch launch() const { return product_launch(by, shape, real_bytes); }

  [[nodiscard]] auto real() const { return type_of_size<float, double>(real_bytes); }

 private:
  static std::uint64_t whole_lines(std::uint64_t bytes) {
    constexpr std::uint64_t boundary = 2 * access::line_bytes;
    return (bytes + boundary - 1) / boundary * boundary;
  }
};

template <auto kernel_>
struct ProductKernel {
  static constexpr auto kernel = kernel_;
};

/// Calls visit(ProductKernel<kernel>) for every variant but the library's.
template <class Real, class Visitor>
decltype(auto) with_kernel(const ProductCase& product, Visitor&& visit) {
  using Wide = typename WideWord<Real>::type;
  switch (product.by) {
    case ProductBy::row:
      return visit(ProductKernel<&product_from_global<Real, false>>{});
    case ProductBy::column:
      return visit(ProductKernel<&product_from_global<Real, true>>{});
    case ProductBy::rows_in_shared:
      return visit(ProductKernel<&product_with_rows_in_shared<Real>>{});
    case ProductBy::tile_16:
      return visit(ProductKernel<&product_in_tiles<Real, 16, 1>>{});
    case ProductBy::tile_32:
      return visit(ProductKernel<&product_in_tiles<Real, 32, 1>>{});
    case ProductBy::outputs_2:
      return visit(ProductKernel<&product_in_tiles<Real, 32, 2>>{});
    case ProductBy::outputs_64:
      return moved_at_once(product.shape, sizeof(Real)) == 1
                 ? visit(ProductKernel<&product_in_registers<Real, Real>>{})
                 : visit(ProductKernel<&product_in_registers<Real, Wide>>{});
    case ProductBy::library:
      break;
  }
  throw std::logic_error("no kernel here for what a library computes");
}

Workload describe_product(const Case& decided, const Device& /*device*/) {
  const ProductCase product(decided);
  const ProductLaunch launch = product.launch();
  Workload workload;
  if (product.by != ProductBy::library) {
    workload.kernel = dispatch(product.real(), [&](auto real) {
      return with_kernel<typename decltype(real)::type>(
          product, [](auto chosen) { return measure::kernel_name<decltype(chosen)::kernel>(); });
    });
  }
  workload.sites = product_sites(product.by, product.shape, product.real_bytes);
  workload.useful_bytes_read = product.bytes_of_a() + product.bytes_of_b();
  workload.useful_bytes_written = product.bytes_of_c();
  workload.useful_flops = 2 * product.multiplications();
  workload.double_precision = product.real_bytes == sizeof(double);
  workload.blocks = launch.blocks();
  workload.block_threads = launch.block_threads();
  workload.shared_bytes_per_block = static_cast<unsigned>(launch.shared_bytes);
  if (product.by == ProductBy::outputs_64) workload.registers_per_thread = registers_left(product.real_bytes);
  workload.allocated_bytes = product.allocated_bytes();
  workload.waits = rounds_of_product(product.by, product.shape);
  workload.in_step = in_tiles(product.by);
  if (!workload.in_step) workload.scheduler_cycles = direct_scheduler_cycles(product.shape, product.real_bytes);
  if (product.by == ProductBy::library) workload.unmodelled = "the model does not know the kernels of a library";
  return workload;
}

class ProductExperiment final : public measure::Experiment {
 public:
  ProductExperiment(const Case& decided, measure::Session& session)
      : case_(decided),
        session_(&session),
        library_(case_.by == ProductBy::library ? std::make_unique<Cublas>() : nullptr),
        matrices_(reinterpret_cast<std::byte*>(session.target(case_.allocated_bytes() / sizeof(std::uint32_t)))) {
    if (case_.by == ProductBy::rows_in_shared) {
      dispatch(case_.real(), [](auto real) {
        using Real = typename decltype(real)::type;
        measure::allow_all_shared_memory(reinterpret_cast<const void*>(&product_with_rows_in_shared<Real>));
      });
    }
    fill(session.stream().get());
  }

  void launch(cudaStream_t stream) override {
    dispatch(case_.real(), [&](auto real) { launch_in<typename decltype(real)::type>(stream); });
  }

  /// A library may take several kernels for a product.
  [[nodiscard]] std::size_t queued_commands() const override { return library_ ? 4 : 1; }

  measure::Verification verify(cudaStream_t stream) override {
    fill(stream);
    measure::poison(matrices_ + case_.place_of_c(), case_.bytes_of_c(), stream);
    launch(stream);
    const measure::CheckResult<WrongEntries> found(*session_);
    found.reset(stream);
    dispatch(case_.real(), [&](auto real) { check<typename decltype(real)::type>(found.data(), stream); });
    return found.verification(stream, "elements of C");
  }

 private:
  static constexpr unsigned check_threads = 128;

  [[nodiscard]] unsigned check_blocks() const { return session_->device().multiprocessors * 16; }
  template <class Real>
  [[nodiscard]] Real* at(std::uint64_t place) const {
    return reinterpret_cast<Real*>(matrices_ + place);
  }

  template <class Real>
  void launch_in(cudaStream_t stream) {
    const Real* const a = at<Real>(0);
    const Real* const b = at<Real>(case_.place_of_b());
    Real* const c = at<Real>(case_.place_of_c());
    if (library_) {
      library_->multiply(a, b, c, case_.shape, stream);
      return;
    }
    const ProductLaunch launch = case_.launch();
    const std::uint64_t dynamic_bytes = case_.by == ProductBy::rows_in_shared ? launch.shared_bytes : 0;
    with_kernel<Real>(case_, [&](auto chosen) {
      constexpr auto kernel = decltype(chosen)::kernel;
      kernel<<<dim3(launch.blocks_x, launch.blocks_y), dim3(launch.threads_x, launch.threads_y), dynamic_bytes,
               stream>>>(a, b, c, case_.shape);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  void fill(cudaStream_t stream) {
    dispatch(case_.real(), [&](auto real) {
      using Real = typename decltype(real)::type;
      fill_matrix<<<check_blocks(), check_threads, 0, stream>>>(at<Real>(0), 0, case_.bytes_of_a() / sizeof(Real));
      fill_matrix<<<check_blocks(), check_threads, 0, stream>>>(at<Real>(case_.place_of_b()), 1,
                                                                case_.bytes_of_b() / sizeof(Real));
    });
    measure::check(cudaGetLastError(), "launch the fill of the matrices");
  }

  /// Checks every element if that is affordable; else a sample of them, and that every element is in range.
  template <class Real>
  void check(WrongEntries* found, cudaStream_t stream) {
    const Real* const c = at<const Real>(case_.place_of_c());
    const bool whole = case_.multiplications() <= most_checked_whole;
    const std::uint64_t elements = std::uint64_t{case_.shape.m} * case_.shape.n;
    check_product<<<check_blocks(), check_threads, 0, stream>>>(
        c, case_.shape, whole ? elements : std::min<std::uint64_t>(checked_entries, elements), found);
    if (!whole) check_range<<<check_blocks(), check_threads, 0, stream>>>(c, case_.shape, found);
  }

  ProductCase case_;
  measure::Session* session_;
  std::unique_ptr<Cublas> library_;
  std::byte* matrices_;
};

std::vector<Axis> product_axes() {
  constexpr std::uint64_t largest = 65536;
  return {
      axis::product_n({.flag = "product",
                       .unit = "elements",
                       .purpose = "columns of B and C, and rows and depth of the product unless they are given",
                       .defaults = "128,1024,4096",
                       .quick = "1024",
                       .minimum = 1,
                       .maximum = largest}),
      axis::matmul({.flag = "matmul",
                    .purpose =
                        "one thread per element along rows or down columns, rows or tiles in shared memory, several "
                        "outputs a thread, or cuBLAS, of floats without tensor cores",
                    .quick = "row,column,tile-32,outputs-64",
                    .value_optional = true}),
      axis::real_bytes({.flag = "type", .purpose = "type of the matrices' elements", .quick = "float"}),
      axis::product_m({.flag = "product-m",
                       .unit = "elements",
                       .purpose = "rows of A and C; 0 for as many as --product",
                       .defaults = "0",
                       .maximum = largest,
                       .zero_follows = true}),
      axis::product_k({.flag = "product-k",
                       .unit = "elements",
                       .purpose = "columns of A and rows of B, the depth of the product; 0 for as many as --product",
                       .defaults = "0",
                       .maximum = largest,
                       .zero_follows = true})};
}

Probe matmul_probe() {
  Probe probe;
  probe.name = "matmul";
  probe.purpose = "matrix product: what tiles and outputs in registers gain";
  probe.family = Family::kernels;
  probe.axes = product_axes();
  probe.compared = axis::matmul.name;
  probe.baseline = std::string("row");
  probe.headline = flop_rate("multiplications and additions of the product per second");
  // A library's products in double go through tensor cores, where a GPU has them for doubles, whatever it is told.
  probe.headline.peak = [](const Workload& workload, const Device& device) -> std::optional<double> {
    if (workload.kernel.empty() && workload.double_precision) return std::nullopt;
    return attainable_gflop_per_s(workload, device);
  };
  probe.metrics = {intensity()};
  probe.reported = {"time_seconds", "achieved_occupancy", "load_throughput_gb_per_s", "load_efficiency"};
  probe.describe = describe_product;
  probe.fits = [](const Case& tested, const Device& device) {
    return ProductCase(tested).launch().shared_bytes <= device.shared_bytes_per_block;
  };
  probe.prepare = prepared<ProductExperiment>;
  probe.conclude = conclude_matmul;
  return probe;
}

GPUMEM_PROBE(matmul_probe);

}  // namespace

}  // namespace gpumem::kernels
