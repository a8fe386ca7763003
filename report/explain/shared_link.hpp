#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/record/cases.hpp"

namespace gpumem::report {

/// What the cases of a table show of GPUs that crossed the link to the host at the same time: how much all got together
/// against what each alone is predicted to get (or could at best), who gets less than the others and may therefore
/// share a switch, and whether the host is the limit, and what of it: `cache_bytes` is the size of the CPU's last
/// cache. Of all that were asked for, the one of which the GPUs moved most. Empty where fewer than two GPUs did.
[[nodiscard]] std::string shared_link(const Cases& table, std::optional<std::uint64_t> cache_bytes = {});

}  // namespace gpumem::report
