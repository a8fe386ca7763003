#pragma once
// What a launch's kernel finds in constant bank 0: its parameters, its block and its grid.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpumem::app {

/// A launch as its kernel sees it.
struct LaunchConstants {
  std::string_view parameters = {};         ///< their bytes; empty: not known
  std::uint32_t parameter_offset = 0;       ///< in the bank; 0: not known
  std::array<std::uint32_t, 3> grid = {};   ///< 0: not known
  std::array<std::uint32_t, 3> block = {};  ///< 0: not known
};

class ConstantBank {
 public:
  ConstantBank(const LaunchConstants& launch, unsigned major) : launch_(launch), major_(major) {}

  /// What is `bytes` wide, 4 at most, at an offset in bytes; nothing where it is not known.
  [[nodiscard]] std::optional<std::uint32_t> value(std::uint64_t offset, std::uint32_t bytes) const;
  [[nodiscard]] const LaunchConstants& launch() const { return launch_; }

 private:
  LaunchConstants launch_;
  unsigned major_;
};

}  // namespace gpumem::app
