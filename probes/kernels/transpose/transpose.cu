// Transpose: a matrix transposed the ways that textbooks go, and one that is built to be fast, beside a copy of it.
// Rows of the source are columns of the target, so that one side or the other strides unless a tile is turned on the
// way.

#include <string>

#include "probes/experiment.hpp"
#include "probes/kernels/transpose/transpose_case.hpp"
#include "probes/kernels/transpose/transpose_kernels.cuh"

namespace gpumem::kernels::transpose {

namespace {

template <class RealType, auto kernel>
struct Compiled {
  using Real = RealType;
  static constexpr auto function = kernel;
};

/// Calls visit(Compiled<Real, kernel>).
template <class Real, class Visitor>
decltype(auto) with_kernel_of(Variant way, std::uint32_t vector, Visitor&& visit) {
  switch (way) {
    case Variant::copy:
      return visit(Compiled<Real, &copy_matrix<Real>>{});
    case Variant::strided_write:
      return visit(Compiled<Real, &by_strided_writes<Real>>{});
    case Variant::strided_read:
      return visit(Compiled<Real, &by_strided_reads<Real>>{});
    case Variant::tile:
      return visit(Compiled<Real, &by_tiles<Real, TileLayout::plain>>{});
    case Variant::padded:
      return visit(Compiled<Real, &by_tiles<Real, TileLayout::padded>>{});
    case Variant::swizzled:
      return visit(Compiled<Real, &by_tiles<Real, TileLayout::swizzled>>{});
    case Variant::wide:
      break;
  }
  if constexpr (sizeof(Real) <= sizeof(std::uint16_t)) {
    if (vector == 8) return visit(Compiled<Real, &by_wide_tiles<Real, 8>>{});
  }
  if constexpr (sizeof(Real) <= sizeof(float)) {
    if (vector == 4) return visit(Compiled<Real, &by_wide_tiles<Real, 4>>{});
  }
  if (vector == 2) return visit(Compiled<Real, &by_wide_tiles<Real, 2>>{});
  return visit(Compiled<Real, &by_wide_tiles<Real, 1>>{});
}

/// And with that of a case.
template <class Visitor>
decltype(auto) with_kernel(const Transpose& transpose, Visitor&& visit) {
  return dispatch(type_of_size<std::uint8_t, std::uint16_t, float, double>(transpose.element_bytes), [&](auto real) {
    return with_kernel_of<typename decltype(real)::type>(transpose.way, transpose.vector, visit);
  });
}

Workload describe_transpose(const Case& decided, const Device&) {
  const Transpose transpose(decided);
  Workload workload;
  workload.kernel =
      with_kernel(transpose, [](auto kernel) { return measure::kernel_name<decltype(kernel)::function>(); });
  workload.sites = sites_of(transpose);
  workload.useful_bytes_read = transpose.matrix_bytes();
  workload.useful_bytes_written = transpose.matrix_bytes();
  workload.allocated_bytes = 2 * transpose.matrix_bytes();
  workload.blocks = std::uint64_t{transpose.tiles_across()} * transpose.tiles_down();
  workload.block_threads = block_threads;
  workload.shared_bytes_per_block = transpose.shared_bytes();
  if (transpose.element_bytes * transpose.vector < sizeof(float)) {
    // Scheduler cycles of an element that a lane moves alone, found with bytes on an H100
    // (configs/reference/h100/words-transpose.json).
    const double each = transpose.uses_shared() ? 45 : 35;
    workload.address_cycles =
        [cycles = each * static_cast<double>(workload.sites.front().requests)](const model::Rates&) { return cycles; };
  }
  return workload;
}

class TransposeExperiment final : public measure::Experiment {
 public:
  TransposeExperiment(const Case& decided, measure::Session& session)
      : one_(decided), session_(&session), source_(session.random_source(words())), target_(session.target(words())) {}

  void launch(cudaStream_t stream) override {
    const bool wide = one_.way == Variant::wide;
    const dim3 grid =
        wide ? dim3(one_.tiles_across() * one_.tiles_down()) : dim3(one_.tiles_across(), one_.tiles_down());
    const dim3 block = wide ? dim3(block_threads) : dim3(tile_side, block_rows);
    with_kernel(one_, [&](auto compiled) {
      using Real = typename decltype(compiled)::Real;
      constexpr auto kernel = decltype(compiled)::function;
      kernel<<<grid, block, 0, stream>>>(reinterpret_cast<const Real*>(source_), reinterpret_cast<Real*>(target_),
                                         one_.matrix);
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    measure::poison(target_, one_.matrix_bytes(), stream);
    launch(stream);
    const measure::CheckResult<global::Mismatches> found(*session_);
    found.reset(stream);
    check_matrix<<<session_->device().multiprocessors * 8, 256, 0, stream>>>(
        target_, measure::ContentParts::of(one_.element_bytes), one_.matrix, one_.way != Variant::copy, found.data());
    return found.verification(stream, "elements of the target");
  }

 private:
  [[nodiscard]] std::uint64_t words() const { return (one_.matrix_bytes() + 3) / sizeof(std::uint32_t); }

  Transpose one_;
  measure::Session* session_;
  const std::uint32_t* source_;
  std::uint32_t* target_;
};

Probe transpose_probe() {
  constexpr std::uint64_t most = std::uint64_t{1} << 20U;
  Probe probe;
  probe.name = "transpose";
  probe.purpose = "a matrix transposed: what strides cost, what a tile gains";
  probe.family = Family::kernels;
  probe.axes = {
      axis::matrix_columns({.flag = "matrix",
                            .unit = "elements",
                            .purpose = "columns of the matrix, and its rows unless --matrix-rows says otherwise",
                            .defaults = "1024..8192*2",
                            .quick = "4096",
                            .minimum = 1,
                            .maximum = most}),
      axis::transpose(
          {.flag = "transpose",
           .purpose = "striding on one side, a tile of 32 x 32 in shared memory without and with a cure for its bank "
                      "conflicts, or vectors in tiles of 256 bytes a row; copy does not transpose",
           .quick = "copy,strided-write,strided-read,tile,padded,wide",
           .value_optional = true}),
      axis::element_bytes({.flag = "type",
                           .purpose = "type of the matrix's elements; elements of one size cost the same",
                           .defaults = "float,double",
                           .quick = "float"}),
      axis::matrix_rows({.flag = "matrix-rows",
                         .unit = "elements",
                         .purpose = "rows of the matrix; 0: as many as columns",
                         .defaults = "0",
                         .maximum = most,
                         .zero_follows = true})};
  probe.compared = axis::transpose.name;
  probe.baseline = std::string("copy");
  probe.describe = describe_transpose;
  probe.prepare = prepared<TransposeExperiment>;
  probe.conclude = conclude_transpose;
  return probe;
}

GPUMEM_PROBE(transpose_probe);

}  // namespace

}  // namespace gpumem::kernels::transpose
