#pragma once
// The steps of GeLU, a case of fusion in numbers, and where its kernels access memory.

#include <cstdint>
#include <vector>

#include "engine/access/host_device.hpp"
#include "engine/access/site.hpp"
#include "probes/global/launch.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

/// The steps in their order. Each makes a new t of the t before it, the first of x.
enum class GeluStep : unsigned { square, cube, scale_cube, add_x, scale_sum, tanh, add_one, times_x, halve };
inline constexpr unsigned gelu_steps = 9;

/// True if the step reads x beside t.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool reads_x_too(GeluStep step) {
  return step == GeluStep::cube || step == GeluStep::add_x || step == GeluStep::times_x;
}

namespace axis {
inline constexpr Size size_bytes{"size_bytes"};
inline constexpr Choice<bool> fused{"fusion", {{"separate", false}, {"fused", true}}};
}  // namespace axis

struct Fusion {
  bool fused;
  std::uint64_t bytes;  ///< of x, and as many of y

  explicit Fusion(const Case& decided);

  /// The launch of one kernel: 16 bytes per thread, a word of four floats. The last word is computed whole, even beyond
  /// the end of the array.
  [[nodiscard]] global::Launch launch() const;
  /// Bytes from one array to the next: each starts on a line.
  [[nodiscard]] std::uint64_t step_bytes() const;
  [[nodiscard]] unsigned kernels() const;
  [[nodiscard]] unsigned arrays_read() const;  ///< by all kernels together

  [[nodiscard]] std::vector<access::Site> sites() const;
};

}  // namespace gpumem::kernels
