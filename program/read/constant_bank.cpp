#include "program/read/constant_bank.hpp"

#include <cstring>

namespace gpumem::program {

std::optional<std::uint32_t> ConstantBank::value(std::uint64_t offset, std::uint32_t bytes) const {
  // The offsets of blockDim and of gridDim, as nvcc compiles them.
  const std::uint32_t block_at = major_ < 10 ? 0x0 : 0x360;
  const std::uint32_t grid_at = major_ < 10 ? 0xc : 0x370;
  constexpr std::uint32_t word = sizeof(std::uint32_t);
  const auto dimension = [&](const std::array<std::uint32_t, 3>& of, std::uint32_t at) -> std::optional<std::uint32_t> {
    const bool inside = offset >= at && offset < at + of.size() * word && (offset - at) % word == 0 && bytes == word;
    if (!inside || of[(offset - at) / word] == 0) return std::nullopt;
    return of[(offset - at) / word];
  };
  if (const auto known = dimension(launch_.block, block_at)) return known;
  if (const auto known = dimension(launch_.grid, grid_at)) return known;
  if (launch_.parameter_offset == 0 || offset < launch_.parameter_offset) return std::nullopt;
  const std::uint64_t at = offset - launch_.parameter_offset;
  const std::uint64_t size = launch_.parameters.size();
  if (at > size || bytes > size - at) return std::nullopt;
  std::uint32_t value = 0;
  std::memcpy(&value, launch_.parameters.data() + at, bytes);
  return value;
}

}  // namespace gpumem::program
