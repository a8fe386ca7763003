#pragma once
// Machine code of modules, kept from when a module is loaded for when a kernel of it is seen.

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpumem::inject {

/// Keeps the module's code. Called with the driver's locks held: calls nothing of the driver's.
void keep_module(CUmodule module, const char* cubin, std::size_t bytes);
/// Forgets the module. As keep_module.
void drop_module(CUmodule module);

/// The number of the module's image in the files, which it is written to when it is first asked for; 0 where there is
/// none that knows source lines.
[[nodiscard]] std::uint32_t image_of(CUmodule module);
/// Writes the code of a kernel of the module, by its name as the linker knows it, if it is there.
void write_code(std::uint32_t kernel, CUmodule module, const std::string& name);

/// Traits of a kernel, as far as its machine code tells.
struct CodeTraits {
  bool independent = false;  ///< no block of it can wait for another
  bool loops = true;
};
[[nodiscard]] CodeTraits traits_of(CUmodule module, const std::string& name);

}  // namespace gpumem::inject
