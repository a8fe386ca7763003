#pragma once
// Facts about a sweep of accesses: where they are fastest, what they cost elsewhere, and whether what each request
// touches explains it.

#include <span>
#include <string>

#include "probes/comparison.hpp"

namespace gpumem {

/// The unit in which the requests of the accesses are counted.
enum class RequestUnit { sectors, wavefronts };

/// Returns the facts of cases that differ in the first axis alone. Sentences call its values by its flag: "offset 1".
/// `accesses` is their subject in the plural: "reads".
[[nodiscard]] Conclusion conclude_sweep(std::span<const Outcome> outcomes, const std::string& accesses,
                                        RequestUnit unit);

}  // namespace gpumem
