#pragma once
// Constant bank 0 as a launch's kernel finds it: its parameters, its block and its grid.

#include <array>
#include <cstdint>
#include <optional>
#include <string_view>

namespace gpumem::program {

/// A thread of a launch, by its indices in the block and in the grid.
struct ThreadPlace {
  std::array<std::uint32_t, 3> thread = {};
  std::array<std::uint32_t, 3> block = {};
};

/// A launch as its kernel sees it.
struct LaunchConstants {
  std::string_view parameters = {};         ///< their bytes; empty: not known
  std::uint32_t parameter_offset = 0;       ///< in the bank; 0: not known
  std::array<std::uint32_t, 3> grid = {};   ///< 0: not known
  std::array<std::uint32_t, 3> block = {};  ///< 0: not known
  std::optional<ThreadPlace> place = {};    ///< of the only thread that is looked at; absent: all threads are
};

class ConstantBank {
 public:
  ConstantBank(const LaunchConstants& launch, unsigned major) : launch_(launch), major_(major) {}

  /// The value of `bytes` bytes, 4 at most, at an offset in bytes; nullopt if it is not known.
  [[nodiscard]] std::optional<std::uint32_t> value(std::uint64_t offset, std::uint32_t bytes) const;
  [[nodiscard]] const LaunchConstants& launch() const { return launch_; }

 private:
  LaunchConstants launch_;
  unsigned major_;
};

}  // namespace gpumem::program
