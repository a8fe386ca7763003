#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "report/record/cases.hpp"

namespace gpumem::report {

/// Describes how GPUs shared the link to the host when they crossed it at the same time: how much all got together,
/// compared with what each is predicted to get alone (or could get at best); which GPUs get less than the others and
/// may therefore share a switch; and whether the host is the limit, and which part of it. Describes the case of the
/// table in which the GPUs moved most per second. `cache_bytes` is the size of the CPU's last-level cache. Empty if
/// fewer than two GPUs crossed the link at the same time.
[[nodiscard]] std::string shared_link(const Cases& table, std::optional<std::uint64_t> cache_bytes = {});

}  // namespace gpumem::report
