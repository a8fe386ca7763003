#pragma once
// A case of fusion in numbers, and where its kernels access memory.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/element_type.hpp"
#include "probes/global/launch.hpp"
#include "probes/kernels/fusion/gelu.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

namespace axis {
inline constexpr Size size_bytes{"size_bytes"};
inline constexpr Choice<bool> fused{"fusion", {{"separate", false}, {"fused", true}}};
inline constexpr Choice<ElementType> fusion_type{"type",
                                                 {{"float", ElementType::float32},
                                                  {"half", ElementType::half},
                                                  {"bfloat16", ElementType::bfloat16},
                                                  {"fp8", ElementType::fp8}}};
}  // namespace axis

struct Fusion {
  bool fused;
  ElementType type;     ///< of the arrays' elements
  std::uint64_t bytes;  ///< of x, and as many of y

  explicit Fusion(const Case& decided);

  /// The launch of one kernel: 16 bytes per thread, a word of 4, 8 or 16 elements. The last word is computed whole,
  /// even beyond the end of the array.
  [[nodiscard]] global::Launch launch() const;
  [[nodiscard]] std::uint64_t elements() const { return bytes / bytes_of(type); }
  /// Bytes from one array to the next: each starts on a line.
  [[nodiscard]] std::uint64_t step_bytes() const;
  [[nodiscard]] unsigned kernels() const;
  [[nodiscard]] unsigned arrays_read() const;  ///< by all kernels together

  /// Workload::scheduler_cycles of all kernels together. A word of 16 bytes holds two or four times as many narrow
  /// elements as floats, and each takes as many instructions. Absent for floats, whose kernels wait for memory.
  [[nodiscard]] std::optional<double> scheduler_cycles() const;

  [[nodiscard]] std::vector<access::Site> sites() const;
};

}  // namespace gpumem::kernels
