#pragma once
// Tensor stores (TMA), which no sanitizer's library tells of, by the tensor maps among a launch's parameters.

#include <vector>

#include "program/price/pricing.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// A site for each instruction that stores boxes of tensors: together they store each element once of the tensors that
/// have a map and that nothing loads, but no more boxes than warps can have come to these instructions. Nothing where
/// it cannot be told which tensors are stored: some loads are not counted, all tensors are loaded, or the maps lie in
/// memory. `launch` has the sites that were seen, the code and what it was launched with; `major` is of the compute
/// capability that the code is for.
[[nodiscard]] std::vector<inject::Site> tensor_stores(const LaunchSums& launch, unsigned major);

}  // namespace gpumem::program
