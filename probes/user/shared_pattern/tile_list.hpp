#pragma once
// Index arrays of elements in shared memory: from a case of the probe `shared-indices` to its list.

#include "probes/user/indices/index_values.hpp"
#include "probes/user/shared_pattern/shared_case.hpp"

namespace gpumem::shared_pattern {

constexpr std::uint64_t most_listed = std::uint64_t{1}
                                      << 20U;  ///< accesses of a list; the host counts each in every case

/// Returns the tile of a case. A file's accesses are all taken. Notation is repeated for `free_accesses`, with its own
/// delta. Throws a usage error for files that hold no indices, lists that are too long, and values that do not go
/// together; UnusableItem for one of several Spatter configurations.
[[nodiscard]] TileCase tile_of_list(const Case& chosen, global::IndexFiles& files);

}  // namespace gpumem::shared_pattern
