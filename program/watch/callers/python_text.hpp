#pragma once
// Python's objects that hold text, read safely.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "program/watch/callers/python_layout.hpp"

namespace gpumem::inject {

/// Types by which objects are told apart.
struct PythonTypes {
  std::uintptr_t code = 0;
  std::uintptr_t text = 0;
  std::uintptr_t bytes = 0;
  std::uintptr_t dictionary = 0;
};

[[nodiscard]] bool has_type(std::uintptr_t object, std::uintptr_t type);
/// A str as UTF-8, no more than `most` characters of it. Nothing where it is none.
[[nodiscard]] std::optional<std::string> python_text(std::uintptr_t object, const PythonTypes& types,
                                                     const PythonLayout& layout, std::size_t most);
/// The content of a bytes object of at most `most` bytes. Nothing where it is none.
[[nodiscard]] std::optional<std::vector<std::uint8_t>> python_bytes(std::uintptr_t object, const PythonTypes& types,
                                                                    std::size_t most);
/// The value of a key among the first entries of a dictionary, as it is; 0: not found there.
[[nodiscard]] std::uintptr_t python_entry(std::uintptr_t dictionary, const char* key, const PythonTypes& types,
                                          const PythonLayout& layout);

}  // namespace gpumem::inject
