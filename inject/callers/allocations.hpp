#pragma once
// Allocations of GPU memory that are in use, and the places where they were made.

#include <cstdint>
#include <optional>

#include "inject/callers/frame.hpp"

namespace gpumem::inject {

/// Who gave it out. What a framework gives out lies in what it has from the driver.
enum class AllocatedBy : std::uint8_t {
  driver,
  loader,  ///< the driver, for a module's own variables
  framework
};

struct Allocation {
  std::uint64_t bytes = 0;
  const Frame* made_at = nullptr;  ///< null: nobody knows
};

// Any thread may call these, whatever locks it holds: none is waited for meanwhile but their own.

/// The calling thread makes it. A framework's takes a fraction of a microsecond. What a package of Python has from the
/// driver is not kept: it is a pool, parts of which are arrays now of this place and then of that.
void note_allocation(AllocatedBy by, std::uintptr_t address, std::uint64_t bytes);
void note_free(AllocatedBy by, std::uintptr_t address);
/// The one that the address is in, the framework's where there are two. Nothing where nobody saw it made.
[[nodiscard]] std::optional<Allocation> allocation_of(std::uintptr_t address);

}  // namespace gpumem::inject
