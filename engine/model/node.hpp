#pragma once
// The GPUs of a node, from the member "node" of a profile: how many, which of them NVLink joins, and what joins the
// others. Every figure says how it is known, as rates do.

#include <vector>

#include "engine/base/json_reader.hpp"
#include "engine/machine/device.hpp"

namespace gpumem::model {

/// As many devices like this one as the node says, with their links and NUMA nodes. All can address each other's
/// memory. Throws a usage error with the JSON pointer.
[[nodiscard]] std::vector<Device> parse_node(const JsonReader& json, const Device& gpu);

}  // namespace gpumem::model
