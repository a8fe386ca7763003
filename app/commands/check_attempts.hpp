#pragma once
// The failed checks of `gpumem check` that are measured again although nobody asked.

#include <span>

#include "report/record/record.hpp"

namespace gpumem::app {

/// The least number of attempts for these checks. Programs on other GPUs, and other virtual machines of the same host,
/// take a share of its memory, mostly for less than a second. On a host of which four H100s were lent, a link fell from
/// 53 to 25 GB/s for 60 ms in one of three checks.
inline constexpr unsigned attempts_unasked = 3;

/// Returns true if every case of a check that was measured uses the host, or if the check says that the GPU was faster
/// before: its limit is so near that a short disturbance would exceed it.
[[nodiscard]] bool tried_unasked(const report::Report& report, const report::CheckRecord& check);

/// Returns the words that say why these checks are measured again, to append to a note.
[[nodiscard]] const char* why_unasked(std::span<const report::CheckRecord> failed);

}  // namespace gpumem::app
