#pragma once
// What the sites of a kernel of a user's program say: where its requests cost more than what they ask for, and what to
// change there. From its addresses alone, so it needs no counters.

#include <optional>
#include <string>

#include "report/explain/explain.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// In brief, of a kernel of which there is nothing to say.
inline constexpr std::string_view fine_brief = "fine";

/// "stores: lanes 8192 elements (32 KiB) apart, 32 sectors where 4 would do (copy.cu:118)".
[[nodiscard]] std::string site_words(const SiteRecord& site);

/// What limits a kernel, as reports name it: "wasteful_accesses", "uneven_work". Empty where nobody knows.
[[nodiscard]] std::string kernel_verdict_name(const Record& record);

/// What a kernel's explanation is about first, by names that stay.
struct KernelRemedy {
  std::string_view cause;            ///< a verdict, or what of wasteful accesses it is: "bank_conflicts"
  std::string_view cure;             ///< "pad_rows"; empty where nothing is known that would remove the cause
  const SiteRecord* site = nullptr;  ///< of the record; null where it is about no single one
};
/// Of the same that `kernel_explanation` says in brief. Without a cause where nobody knows.
[[nodiscard]] KernelRemedy kernel_remedy(const Record& record);

/// Causes beside the verdicts: what wasteful accesses outside global memory are.
inline constexpr std::string_view bank_conflicts_cause = "bank_conflicts";

/// A result of probe `kernel` in sentences; its reason where it was not seen.
[[nodiscard]] Explanation kernel_explanation(const Record& record);

}  // namespace gpumem::report
