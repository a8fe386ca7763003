#pragma once
// Which cases of two reports are the same.

#include <cstddef>
#include <optional>
#include <span>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// For every case of OLD the index of the case of NEW that is the same: one of the same probe and parameters, as far as
/// both versions of gpumem have them. Equal in every value, or else in what was asked for, where a value that `auto`
/// decided counts as "auto". Of several cases that are the same, the first belongs to the first. Absent where NEW has
/// none.
[[nodiscard]] std::vector<std::optional<std::size_t>> pair_cases(std::span<const Record> old_cases,
                                                                 std::span<const Record> new_cases);

}  // namespace gpumem::report
