#pragma once
// A place in the code of the program or of its libraries, as raw files have it.

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

struct Frame {
  FrameLanguage language{};
  bool library = false;       ///< nobody looks there for what to change: an installed package, a generated file
  std::uint32_t line = 0;     ///< 0: not known
  std::uint64_t address = 0;  ///< native: of the instruction, as the file of the code counts
  std::uint32_t file_mark = 0;
  std::string file;               ///< of the source; native: of the code
  std::string function;           ///< native: as the linker knows it; may be empty
  std::string module;             ///< Python: its name; may be empty
  const Frame* caller = nullptr;  ///< native, of an allocation: who called it, if that is the program's own too
};

/// True if a Python file is part of an installed package or generated, and so is not the user's.
[[nodiscard]] bool is_library_source(std::string_view file, std::string_view module);
/// True if code of this path belongs to the system, the driver, CUDA or an installed package.
[[nodiscard]] bool is_library_code(std::string_view path);

/// True if the file was installed as part of a Python package.
[[nodiscard]] bool is_of_package(std::string_view path);

/// Appends the frame as events have it.
void append_frame(std::vector<std::byte>& bytes, const Frame& frame);

}  // namespace gpumem::inject
