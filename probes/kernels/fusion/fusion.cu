// Fusion: GeLU as a framework without fusion runs it, a kernel for every operation, against one kernel for all of them.
// The arithmetic is the same; what differs is how often whole arrays pass through device memory.

#include <cstddef>
#include <span>
#include <string>

#include "engine/base/error.hpp"
#include "probes/experiment.hpp"
#include "probes/kernels/fusion/fusion.hpp"
#include "probes/kernels/fusion/fusion_kernels.cuh"

namespace gpumem::kernels {

/// x, and t, which ends as y.
constexpr std::uint64_t arrays = 2;

static auto real_of(ElementType type) {
  return real_among<ElementType::float32, ElementType::half, ElementType::bfloat16, ElementType::fp8>(type);
}

static Workload describe_fusion(const Case& decided, const Device&) {
  const Fusion fusion(decided);
  Workload workload;
  workload.kernel = dispatch(real_of(fusion.type), [&](auto real) {
    using Real = typename decltype(real)::Real;
    return fusion.fused ? measure::kernel_name<&fused_gelu<Real>>() : measure::kernel_name<&gelu_step<Real>>();
  });
  workload.sites = fusion.sites();
  workload.useful_bytes_read = fusion.bytes;
  workload.useful_bytes_written = fusion.bytes;
  workload.useful_flops = gelu_steps * fusion.elements();  // tanh for one
  workload.scheduler_cycles = fusion.scheduler_cycles();
  workload.allocated_bytes = arrays * fusion.step_bytes();
  workload.blocks = fusion.kernels() * fusion.launch().blocks();
  workload.block_threads = fusion.launch().tile.block_threads;
  workload.launches = fusion.kernels();
  return workload;
}

/// Sectors that the kernels ask for, in bytes, over the useful ones.
static double moved_over_useful(const Workload& workload) {
  double bytes = 0;
  for (const access::Site& site : workload.sites) {
    bytes += static_cast<double>(site.requests) * access::summarise(site).cost.sectors_per_request;
  }
  return bytes * access::sector_bytes / static_cast<double>(workload.useful_bytes());
}

class FusionExperiment final : public measure::Experiment {
 public:
  FusionExperiment(const Case& decided, measure::Session& session)
      : case_(decided),
        session_(&session),
        arrays_(reinterpret_cast<std::byte*>(session.target(arrays * case_.step_bytes() / sizeof(std::uint32_t)))) {
    fill(session.stream().get());
  }

  void launch(cudaStream_t stream) override {
    const global::Launch kernel_launch = case_.launch();
    const auto grid = static_cast<unsigned>(kernel_launch.blocks());
    const unsigned block = kernel_launch.tile.block_threads;
    const auto* x = array<uint4>(0);
    auto* t = array<uint4>(1);
    dispatch(real_of(case_.type), [&](auto real) {
      using Real = typename decltype(real)::Real;
      if (case_.fused) {
        fused_gelu<Real><<<grid, block, 0, stream>>>(x, t, kernel_launch.count);
        return;
      }
      for (unsigned step = 0; step < gelu_steps; ++step) {
        const uint4* source = step == 0 ? x : t;
        gelu_step<Real><<<grid, block, 0, stream>>>(static_cast<GeluStep>(step), source, x, t, kernel_launch.count);
      }
    });
    measure::check(cudaGetLastError(), "launch the kernels");
  }

  [[nodiscard]] std::size_t queued_commands() const override { return case_.kernels(); }

  measure::Verification verify(cudaStream_t stream) override {
    fill(stream);
    measure::poison(array<void>(1), case_.step_bytes(), stream);
    launch(stream);
    const measure::CheckResult<global::Mismatches> found(*session_);
    found.reset(stream);
    dispatch(real_of(case_.type), [&](auto real) {
      check_gelu<<<check_blocks(), check_threads, 0, stream>>>(array<typename decltype(real)::Real>(1),
                                                               case_.elements(), !case_.fused, found.data());
    });
    return found.verification(stream, "elements of y");
  }

 private:
  static constexpr unsigned check_threads = 256;

  [[nodiscard]] unsigned check_blocks() const { return session_->device().multiprocessors * 8; }
  template <class T>
  [[nodiscard]] T* array(unsigned number) const {
    return reinterpret_cast<T*>(arrays_ + number * case_.step_bytes());
  }
  void fill(cudaStream_t stream) {
    dispatch(real_of(case_.type), [&](auto real) {
      fill_gelu_input<<<check_blocks(), check_threads, 0, stream>>>(array<typename decltype(real)::Real>(0),
                                                                    case_.step_bytes() / bytes_of(case_.type));
    });
    measure::check(cudaGetLastError(), "launch the fill of x");
  }

  Fusion case_;
  measure::Session* session_;
  std::byte* arrays_;
};

static void validate(const Case& chosen) {
  const std::uint64_t bytes = chosen[axis::size_bytes];
  const std::uint32_t real = bytes_of(chosen[axis::fusion_type]);
  if (bytes % real == 0) return;
  throw usage_error("--fusion-size " + std::to_string(bytes) + " is not a multiple of the " + std::to_string(real) +
                    " bytes of a " + chosen.name(axis::fusion_type) + "; use " +
                    std::to_string((bytes + real - 1) / real * real));
}

/// About a kernel for every operation, and one for all of them, of the same size.
static Fact fusion_gain(const PairAtNumber& pair, const char* gains, const char* no_gain) {
  const auto& [bytes, separate, fused] = pair;
  return gain_fact(*separate, *fused, gains, no_gain,
                   {{"size_bytes", static_cast<double>(bytes)},
                    {"kernels", static_cast<double>(gelu_steps)},
                    gain_value("gain_ratio", *separate, *fused),
                    {"fused_s", fused->seconds},
                    {"separate_s", separate->seconds}});
}

/// About the passes that one kernel saves, and for types narrower than float also about the roundings.
static Fact cost_of_passes(const PairAtNumber& pair, double moved_ratio) {
  const auto& [bytes, separate, fused] = pair;
  Fact fact{FactKind::costs,
            {separate->index, fused->index},
            "{kernels} kernels take {separate_s} and move {moved_ratio} the bytes. One takes {fused_s}: values between "
            "operations stay in registers",
            {{"kernels", static_cast<double>(gelu_steps)},
             {"separate_s", separate->seconds},
             {"moved_ratio", moved_ratio},
             {"fused_s", fused->seconds}}};
  if (fused->tested[axis::fusion_type] == ElementType::float32) {
    fact.says += ".";
  } else {
    fact.says += " as float, and are rounded to {type} once instead of {kernels} times.";
    fact.values.emplace_back("type", fused->tested.name(axis::fusion_type));
  }
  return fact;
}

/// Concludes for the largest size that ran both fused and not, and for the smallest if its gain differs.
static Conclusion conclude_fusion(std::span<const Outcome> outcomes) {
  std::vector<PairAtNumber> pairs = pairs_of(by_number(outcomes, axis::fused, false, axis::size_bytes),
                                             by_number(outcomes, axis::fused, true, axis::size_bytes));
  std::erase_if(pairs, [](const auto& pair) { return pair.first->seconds <= 0 || pair.second->seconds <= 0; });
  if (pairs.empty()) return {};
  const PairAtNumber& smallest = pairs.front();
  const auto& [bytes, separate, fused] = pairs.back();
  Conclusion conclusion;
  conclusion.facts.push_back(fusion_gain(
      pairs.back(),
      "Fuse elementwise operations that follow each other: GeLU of {size_bytes} is {gain_ratio} as fast in one kernel "
      "as in {kernels}.",
      "GeLU of {size_bytes} is no faster in one kernel than in {kernels}."));
  const auto separate_moved = separate->metric("moved_over_useful");
  const auto fused_moved = fused->metric("moved_over_useful");
  if (separate_moved && fused_moved) {
    conclusion.facts.push_back(cost_of_passes(pairs.back(), *separate_moved / *fused_moved));
  }
  if (differs(gain(*smallest.first, *smallest.second) / gain(*separate, *fused))) {
    conclusion.facts.push_back(
        fusion_gain(smallest, "At {size_bytes} one kernel is {gain_ratio} as fast: {fused_s} instead of {separate_s}.",
                    "At {size_bytes} one kernel is no faster: {fused_s} instead of {separate_s}."));
  }
  return conclusion;
}

static Probe fusion_probe() {
  Probe probe;
  probe.name = "fusion";
  probe.purpose = "GeLU as a kernel for every operation, against one for all";
  probe.family = Family::kernels;
  probe.axes = {axis::size_bytes({.flag = "fusion-size",
                                  .purpose = "size of the array; a small one stays in L2 from one kernel to the next",
                                  .defaults = "1MiB..1GiB*4",
                                  .quick = "256MiB",
                                  .minimum = 1}),
                axis::fused({.flag = "fusion",
                             .purpose = "a kernel for every operation, or one for all of them",
                             .value_optional = true}),
                axis::fusion_type({.flag = "type",
                                   .purpose = "type of the array's elements; all are computed with as float",
                                   .defaults = "float",
                                   .zero_follows = true})};
  probe.compared = axis::fused.name;
  probe.baseline = std::string("separate");
  probe.metrics = {
      {{"moved_over_useful", "bytes that the kernels move, over those of x and y once each", Better::less},
       [](const Workload& workload, double) -> std::optional<double> { return moved_over_useful(workload); }},
      intensity()};
  probe.metrics.front().essential = true;
  probe.describe = describe_fusion;
  probe.validate = validate;
  probe.prepare = prepared<FusionExperiment>;
  probe.conclude = conclude_fusion;
  return probe;
}

GPUMEM_PROBE(fusion_probe);

}  // namespace gpumem::kernels
