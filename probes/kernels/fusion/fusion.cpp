#include "probes/kernels/fusion/fusion.hpp"

namespace gpumem::kernels {

namespace {

constexpr std::uint32_t word_bytes = 16;
constexpr std::uint32_t block_threads = 256;

}  // namespace

Fusion::Fusion(const Case& decided)
    : fused(decided[axis::fused]), type(decided[axis::fusion_type]), bytes(decided[axis::size_bytes]) {}

global::Launch Fusion::launch() const {
  return {.op = global::Op::copy,
          .word_bytes = word_bytes,
          .count = (bytes + word_bytes - 1) / word_bytes,
          .tile = {.block_threads = block_threads, .elements_per_thread = 1}};
}

std::uint64_t Fusion::step_bytes() const {
  return (launch().count * word_bytes + access::line_bytes - 1) / access::line_bytes * access::line_bytes;
}

unsigned Fusion::kernels() const { return fused ? 1 : gelu_steps; }

unsigned Fusion::arrays_read() const {
  if (fused) return 1;
  unsigned arrays = 0;
  for (unsigned step = 0; step < gelu_steps; ++step) arrays += reads_x_too(static_cast<GeluStep>(step)) ? 2 : 1;
  return arrays;
}

std::optional<double> Fusion::scheduler_cycles() const {
  struct OfWarp {
    double fused;
    double separate;  ///< of all kernels together
  };
  // Instructions, counted in the code for compute capability 9.0. GPUs older than 8.9 convert fp8 by many more.
  const auto of_warp = [this]() -> std::optional<OfWarp> {
    switch (type) {
      case ElementType::half:
        return OfWarp{220, 770};
      case ElementType::bfloat16:
        return OfWarp{224, 780};
      case ElementType::fp8:
        return OfWarp{496, 1640};
      default:
        return std::nullopt;
    }
  }();
  if (!of_warp) return std::nullopt;
  return static_cast<double>(launch().requests()) * (fused ? of_warp->fused : of_warp->separate);
}

std::vector<access::Site> Fusion::sites() const {
  // Arrays are larger than the caches, or nothing is predicted: what a kernel reads comes from memory although an
  // earlier one had it. So every pass has addresses of its own.
  const auto site = [this](const char* name, access::Op op, unsigned passes, unsigned instructions) {
    const global::Launch kernel_launch = launch();
    return access::Site{
        .name = name,
        .op = op,
        .word_bytes = word_bytes,
        .instructions = instructions,
        .requests = passes * kernel_launch.requests(),
        .extent_bytes = passes * step_bytes(),
        .request = [kernel_launch, requests = kernel_launch.requests(), step = step_bytes()](std::uint64_t k) {
          access::WarpRequest request = global::request(kernel_launch, global::EveryElement{}, k % requests);
          for (std::uint64_t& address : request.address) address += k / requests * step;
          return request;
        }};
  };
  return {site(fused ? "source" : "sources", access::Op::load, arrays_read(), fused ? 1 : 2),
          site("target", access::Op::store, kernels(), 1)};
}

}  // namespace gpumem::kernels
