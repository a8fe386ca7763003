#pragma once
// Memory of this process, read so that an address that is none is an answer and no crash: what is read belongs to the
// program, and nobody vouches for its layout.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace gpumem::inject {

/// False where not all of it is there to be read. It costs a call of the system, and takes no lock.
[[nodiscard]] bool read_safely(std::uintptr_t address, void* target, std::size_t bytes);

template <class T>
[[nodiscard]] std::optional<T> read_safely(std::uintptr_t address) {
  static_assert(std::is_trivially_copyable_v<T>);
  T value{};
  if (!read_safely(address, &value, sizeof(T))) return std::nullopt;
  return value;
}

}  // namespace gpumem::inject
