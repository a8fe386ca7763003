#pragma once
// The line of an instruction, from the table of its code object. The tables may hold anything.

#include <cstdint>
#include <span>

#include "program/watch/callers/python_layout.hpp"

namespace gpumem::inject {

/// `instruction` counts bytes from the beginning of the code. 0: it has no line, or the table does not say.
[[nodiscard]] std::uint32_t python_line(PythonLines kind, std::span<const std::uint8_t> table, std::uint32_t first_line,
                                        std::uint64_t instruction);

}  // namespace gpumem::inject
