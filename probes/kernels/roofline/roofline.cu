// Roofline: the same words read, and more and more multiply-adds on each of them. With few of them memory is the limit,
// with many of them arithmetic (Williams, Waterman and Patterson, Roofline, CACM 2009).

#include <algorithm>
#include <span>

#include "probes/experiment.hpp"
#include "probes/kernels/real_bytes.hpp"
#include "probes/kernels/roofline/roofline_kernels.cuh"
#include "probes/requests.hpp"

namespace gpumem::kernels {

namespace axis {
constexpr Number<unsigned> fma_per_word{"fma_per_word"};
}

/// A case in numbers.
struct RooflineCase {
  std::uint32_t real_bytes;
  unsigned steps;  ///< multiply-adds on each word
  std::uint64_t blocks;

  RooflineCase(const Case& decided, const Device& device)
      : real_bytes(decided[axis::real_bytes]), steps(decided[axis::fma_per_word]) {
    // Sixteen times L2, so that reads go to memory.
    const std::uint64_t bytes = std::min(16 * device.l2_bytes, device.memory_bytes / 8);
    blocks = std::max(bytes / block_bytes, std::uint64_t{1});
  }

  static constexpr std::uint64_t block_bytes = std::uint64_t{16} * roofline_loads * roofline_threads;

  /// Steps one after another in the machine code: 8, so that the loop around them hardly shows, or 1 if 8 does not
  /// divide the steps.
  [[nodiscard]] unsigned fused() const { return steps % 8 == 0 ? 8 : 1; }
  [[nodiscard]] std::uint64_t bytes() const { return blocks * block_bytes; }
  [[nodiscard]] bool doubles() const { return real_bytes == sizeof(double); }
  [[nodiscard]] std::uint64_t words() const { return bytes() / real_bytes; }
  [[nodiscard]] std::uint64_t threads() const { return blocks * roofline_threads; }

  /// A warp issues its multiply-adds, which in double take two cycles each, and beside them the loads, sums and loops
  /// counted in the code for compute capability 9.0.
  [[nodiscard]] double scheduler_cycles() const {
    constexpr double of_warp = 46;
    constexpr double of_round = 3;
    const double warps = static_cast<double>(threads()) / access::warp_lanes;
    const double multiply_adds = static_cast<double>(steps) * static_cast<double>(words()) / access::warp_lanes;
    return multiply_adds * (doubles() ? 2 : 1) + warps * (of_warp + of_round * steps / fused());
  }

  // These select the kernel of the case among the compiled ones.
  [[nodiscard]] auto real() const { return type_of_size<float, double>(real_bytes); }
  [[nodiscard]] auto compiled_fused() const { return one_of<1, 8>(fused()); }
};

static Workload describe_roofline(const Case& decided, const Device& device) {
  const RooflineCase roofline(decided, device);
  Workload workload;
  workload.kernel = dispatch(roofline.real(), roofline.compiled_fused(), [](auto real, auto fused) {
    using Real = typename decltype(real)::type;
    return measure::kernel_name<&multiply_add_words<Real, Vector<Real>, fused()>>();
  });
  workload.sites.push_back({.name = "words",
                            .op = access::Op::load,
                            .word_bytes = 16,
                            .instructions = roofline_loads,
                            .requests = roofline.bytes() / 16 / access::warp_lanes,
                            .extent_bytes = roofline.bytes(),
                            .request = [](std::uint64_t k) { return consecutive_request(16, k); }});
  workload.useful_bytes_read = roofline.bytes();
  workload.useful_flops = 2 * roofline.steps * roofline.words();
  workload.double_precision = roofline.doubles();
  workload.scheduler_cycles = roofline.scheduler_cycles();
  workload.allocated_bytes = roofline.bytes() + roofline.threads() * sizeof(double);
  workload.blocks = roofline.blocks;
  workload.block_threads = roofline_threads;
  return workload;
}

class RooflineExperiment final : public measure::Experiment {
 public:
  RooflineExperiment(const Case& decided, measure::Session& session)
      : case_(decided, session.device()),
        multiprocessors_(session.device().multiprocessors),
        words_(session.target(case_.bytes() / sizeof(std::uint32_t))),
        sums_(case_.threads() * sizeof(double)),
        mismatches_(session) {
    fill(session.stream().get());
  }

  void launch(cudaStream_t stream) override { launch(nullptr, stream); }

  measure::Verification verify(cudaStream_t stream) override {
    fill(stream);
    measure::poison(sums_, stream);
    mismatches_.reset(stream);
    launch(sums_.data(), stream);
    dispatch(case_.real(), [&](auto real) {
      using Real = typename decltype(real)::type;
      check_sums<Real>
          <<<grid(), roofline_threads, 0, stream>>>(sums_.as<Real>(), case_.steps, step<Real>(), mismatches_.data());
    });
    return {.mismatches = mismatches_.read(stream), .what = "threads' sums"};
  }

 private:
  template <class Real>
  static constexpr Step<Real> step() {
    return {static_cast<Real>(0.999), static_cast<Real>(0.001)};
  }

  [[nodiscard]] unsigned grid() const { return static_cast<unsigned>(case_.blocks); }

  void fill(cudaStream_t stream) {
    dispatch(case_.real(), [&](auto real) {
      using Real = typename decltype(real)::type;
      fill_words<<<multiprocessors_ * 8, 256, 0, stream>>>(reinterpret_cast<Real*>(words_), case_.words());
    });
    measure::check(cudaGetLastError(), "launch the fill of the words");
  }

  void launch(void* sums, cudaStream_t stream) {
    dispatch(case_.real(), case_.compiled_fused(), [&](auto real, auto fused) {
      using Real = typename decltype(real)::type;
      multiply_add_words<Real, Vector<Real>, fused()><<<grid(), roofline_threads, 0, stream>>>(
          reinterpret_cast<const Vector<Real>*>(words_), static_cast<Real*>(sums), case_.steps / case_.fused(),
          step<Real>());
    });
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  RooflineCase case_;
  unsigned multiprocessors_;
  std::uint32_t* words_;
  measure::DeviceBuffer sums_;
  measure::MismatchCount mismatches_;
};

/// Concludes the intensity at which memory's slope meets the roof of arithmetic, for the cases of one type.
static Conclusion conclude_roofline(std::span<const Outcome> outcomes) {
  const Outcome& fastest = *std::ranges::max_element(outcomes, {}, &Outcome::bytes_per_s);
  const Outcome& densest = best_of(outcomes);
  // The ridge is not known without a case on either side of it.
  constexpr double on_the_roof = 2;
  if (fastest.bytes_per_s <= 0 || densest.bytes_per_s * on_the_roof > fastest.bytes_per_s) return {};
  const double gb_per_s = fastest.bytes_per_s * per_giga;
  const double ridge = densest.headline / gb_per_s;
  return {.facts =
              {{FactKind::limit,
                {fastest.index, densest.index},
                "In {type} the ridge is at {flop_per_byte}: a kernel with less gains from moving fewer bytes, one with "
                "more from fewer operations.",
                {{"flop_per_byte", ridge}, {"type", densest.tested.name(axis::real_bytes)}}},
               {FactKind::limit,
                {fastest.index, densest.index},
                "The slope of memory, {rate_gb_per_s}, meets the roof of arithmetic, {roof_gflop_per_s}, at the ridge.",
                {{"rate_gb_per_s", gb_per_s}, headline_value("roof_gflop_per_s", densest)}}},
          .quantities = {{"ridge_flop_per_byte", ridge, all_of(outcomes)}}};
}

static Probe roofline_probe() {
  Probe probe;
  probe.name = "roofline";
  probe.purpose = "multiply-adds per word: from when on arithmetic is the limit";
  probe.family = Family::kernels;
  probe.axes = {axis::fma_per_word(
                    {.flag = "fma-per-word",
                     .unit = "multiply-adds",
                     .purpose = "on each word that is read: twice as many flops over 4 or 8 bytes is the intensity",
                     .defaults = "1..512*2",
                     .quick = "1,8,32,256",
                     .minimum = 1,
                     .maximum = 1U << 16U}),
                axis::real_bytes({.flag = "type", .purpose = "type of the arrays' elements", .quick = "float"})};
  probe.baseline = std::uint64_t{1};
  probe.headline = flop_rate("floating-point operations per second");
  probe.metrics = {intensity()};
  probe.describe = describe_roofline;
  probe.prepare = prepared<RooflineExperiment>;
  probe.concluded = {{"ridge_flop_per_byte",
                      "intensity at which the memory's slope meets the roof: the best flops over the best bandwidth",
                      Better::neither}};
  probe.conclude = conclude_roofline;
  return probe;
}

GPUMEM_PROBE(roofline_probe);

}  // namespace gpumem::kernels
