#pragma once
// Counting a pattern on the GPU that is about to run it: of launches of which every access has to be evaluated.

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "engine/machine/device.hpp"
#include "engine/measure/module.hpp"
#include "probes/user/pattern/user_pattern.hpp"

namespace gpumem::global {

/// On the current device. For one thread.
class PatternCounter {
 public:
  /// The same as known_of() finds on the host. `bound_elements` is what no element reaches, as far as that is known and
  /// little enough for a map of them; else 0, and the launch is evaluated twice. Absent where the host has to: where
  /// the device is only described, a launch is too small to be worth a compilation, an expression may divide by zero,
  /// no access takes part, an element is negative (which it then says), or something is missing: NVRTC, memory.
  [[nodiscard]] std::optional<KnownPattern> count(const UserPattern& pattern, const Launch& launch,
                                                  std::uint64_t bound_elements, const Device& device);

  /// Accesses of a launch from which on it is worth it.
  static constexpr std::uint64_t fewest_accesses = std::uint64_t{1} << 25U;

 private:
  [[nodiscard]] const measure::Module& kernel(const UserPattern& pattern, const Launch& launch, const Device& device);

  std::map<std::string, std::unique_ptr<const measure::Module>> modules_;  ///< until the end, see LoadedPatterns
};

}  // namespace gpumem::global
