#pragma once
// Machine code of modules that knows its source lines, kept from when a module is loaded until a kernel of it is seen.

#include <cuda.h>

#include <cstddef>
#include <cstdint>

namespace gpumem::inject {

/// Keeps the module's code if it knows lines. Called with the driver's locks held: calls nothing of the driver's.
void keep_module(CUmodule module, const char* cubin, std::size_t bytes);
/// Forgets the module. As keep_module.
void drop_module(CUmodule module);

/// The number of the module's image in the files, which it is written to when it is first asked for; 0 where there is
/// none.
[[nodiscard]] std::uint32_t image_of(CUmodule module);

}  // namespace gpumem::inject
