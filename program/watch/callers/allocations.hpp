#pragma once
// Allocations of GPU memory that are in use, and the places where they were made.

#include <cstdint>
#include <optional>

#include "program/watch/callers/frame.hpp"

namespace gpumem::inject {

/// The allocator. Memory from a framework lies within memory that the framework has from the driver.
enum class AllocatedBy : std::uint8_t {
  driver,
  loader,  ///< the driver, for a module's own variables
  framework
};

struct Allocation {
  std::uint64_t bytes = 0;
  const Frame* made_at = nullptr;  ///< null: not known
};

// Any thread may call these, whatever locks it holds: they wait for no locks but their own.

/// Notes an allocation that the calling thread makes. For one of a framework this takes a fraction of a microsecond.
/// Driver memory of a Python package is not kept: it is a pool, and its parts become arrays of one place now and of
/// another later.
void note_allocation(AllocatedBy by, std::uintptr_t address, std::uint64_t bytes);
void note_free(AllocatedBy by, std::uintptr_t address);
/// The allocation that the address is in, the framework's if there are two; nullopt if none was noted.
[[nodiscard]] std::optional<Allocation> allocation_of(std::uintptr_t address);

}  // namespace gpumem::inject
