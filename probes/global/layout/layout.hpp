#pragma once
// The places of the fields of structures: the accesses of the probe `layout`.

#include <cstdint>
#include <optional>
#include <span>

#include "engine/access/host_device.hpp"
#include "engine/access/periodic.hpp"
#include "engine/access/request.hpp"
#include "probes/probe.hpp"

namespace gpumem::global {

enum class Layout {
  aos,      ///< an array of structures, its fields accessed one by one
  aligned,  ///< the same, structures padded to 4, 8, 16 or 32 bytes as `__align__` does, in words of up to 16
  soa,      ///< an array for each field
  aosoa,    ///< tiles of 32 structures, in each an array for each field
};

namespace axis {
inline constexpr Number<std::uint32_t> structure_bytes{"structure_bytes"};
inline constexpr Choice<Layout> layout{"layout", {"aos", "aligned", "soa", "aosoa"}};
inline constexpr Choice<bool> one_field{"fields", {{"all", false}, {"one", true}}};
}  // namespace axis

inline constexpr std::uint32_t field_bytes = 4;
/// Structures of a tile, as many as a warp has lanes.
inline constexpr std::uint32_t tile_structures = access::warp_lanes;

/// A placement (placement.hpp). Each thread takes a structure and accesses each of its words with one instruction. A
/// word is a field, or a vector of several fields.
struct LayoutPlacement {
  std::uint64_t structures;
  std::uint32_t word;           ///< bytes of it
  std::uint32_t words;          ///< of a structure, accessed by its thread
  std::uint32_t per_structure;  ///< words from one structure to the next within a tile
  std::uint32_t per_tile;       ///< from one tile to the next, beyond those of its structures
  std::uint64_t per_word;       ///< from one word of a structure to the next
  std::uint64_t array;          ///< words of all structures, and of what lies between them
  std::uint64_t useful_bytes;   ///< of what the threads access, without padding

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t structure, std::uint32_t which) const {
    return structure * per_structure + structure / tile_structures * per_tile + which * per_word;
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t structure, std::uint32_t /*which*/) const {
    return structure < structures;
  }
  [[nodiscard]] constexpr std::uint32_t word_bytes() const { return word; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t elements_per_thread() const { return words; }
  [[nodiscard]] constexpr std::uint64_t threads() const {
    return (structures + access::warp_lanes - 1) / access::warp_lanes * access::warp_lanes;
  }
  [[nodiscard]] constexpr std::uint64_t extent() const { return array; }
  [[nodiscard]] constexpr std::uint64_t useful() const { return structures * words; }
  [[nodiscard]] constexpr std::uint64_t period_warps() const { return 1; }
  /// The period is a tile, and holds up to the last whole tile. There is none if the words of a tile are arrays apart,
  /// because all periods would then overlap.
  [[nodiscard]] constexpr std::optional<access::Period> period() const {
    if (words > 1 && per_word > tile_structures) return std::nullopt;
    const std::uint64_t tile_words = std::uint64_t{tile_structures} * per_structure + per_tile;
    return access::Period{.requests = words,
                          .growth_bytes = static_cast<std::int64_t>(tile_words * word),
                          .regular = structures / tile_structures * words};
  }
};

/// `structure_bytes` is a multiple of 4 up to 32. With `one_field` only the first of the fields is accessed.
[[nodiscard]] LayoutPlacement layout_placement(Layout layout, std::uint32_t structure_bytes, bool one_field,
                                               std::uint64_t structures);

/// Concludes from cases of one op and choice of fields which layouts are as fast as any, and what the others cost.
[[nodiscard]] Conclusion conclude_layout(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
