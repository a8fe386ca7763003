#pragma once
// Mutations of JSON as a tree: bytes changed at random rarely leave a report that is one.

#include <cstddef>
#include <cstdint>

namespace gpumem::fuzz {

/// Changes the text of `size` bytes in `data`, which has room for `most`, and returns the new size: values swapped for
/// hostile ones or for others of the text, members renamed or removed, items repeated. Now and then, and where the text
/// is no JSON, its bytes are changed instead.
std::size_t mutate_json(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed);

}  // namespace gpumem::fuzz
