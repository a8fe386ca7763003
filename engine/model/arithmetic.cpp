#include "engine/model/arithmetic.hpp"

#include <algorithm>
#include <iterator>
#include <string_view>

#include "engine/base/quantity.hpp"

namespace gpumem {

std::optional<double> fma_per_cycle(const Device& device, bool double_precision) {
  struct Throughput {
    std::string_view compute_capability;
    double in_float;
    double in_double;
  };
  static constexpr Throughput known[] = {{"7.0", 64, 32}, {"7.5", 64, 2},   {"8.0", 64, 32},   {"8.6", 128, 2},
                                         {"8.9", 128, 2}, {"9.0", 128, 64}, {"10.0", 128, 64}, {"12.0", 128, 2}};
  const auto* found = std::ranges::find(known, device.compute_capability, &Throughput::compute_capability);
  if (found == std::end(known)) return std::nullopt;
  return double_precision ? found->in_double : found->in_float;
}

std::optional<double> peak_flops_per_s(const Device& device, bool double_precision) {
  const auto each = fma_per_cycle(device, double_precision);
  if (!each || device.sm_clock_hz == 0) return std::nullopt;
  return 2 * *each * device.multiprocessors * static_cast<double>(device.sm_clock_hz);
}

std::optional<double> intensity_flop_per_byte(const Workload& workload) {
  if (!workload.useful_flops || workload.useful_bytes() == 0) return std::nullopt;
  return static_cast<double>(*workload.useful_flops) / static_cast<double>(workload.useful_bytes());
}

std::optional<double> attainable_gflop_per_s(const Workload& workload, const Device& device) {
  const auto intensity = intensity_flop_per_byte(workload);
  const auto flops_per_s = peak_flops_per_s(device, workload.double_precision);
  if (!intensity || !flops_per_s) return std::nullopt;
  return std::min(*flops_per_s, *intensity * device.theoretical_bandwidth_bytes_per_s()) * per_giga;
}

}  // namespace gpumem
