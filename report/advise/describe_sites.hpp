#pragma once
// Describes the access sites of a kernel of a user's program: where its requests cost more than they need to, and what
// to change there. Uses the addresses alone, so it needs no counters.

#include <string>

#include "report/record/record.hpp"
#include "report/rules/explanation.hpp"

namespace gpumem::report {

/// The brief text for a kernel without findings.
inline constexpr std::string_view fine_brief = "fine";

/// Describes a site: "stores: lanes 8192 elements (32 KiB) apart, 32 sectors where 4 would do (copy.cu:118)".
[[nodiscard]] std::string site_words(const SiteRecord& site);

/// Returns the name of what limits a kernel, as in reports: "wasteful_accesses", "uneven_work". Empty if unknown.
[[nodiscard]] std::string kernel_verdict_name(const Record& record);

/// The first cause in a kernel's explanation, and its cure. Their names are stable.
struct KernelRemedy {
  std::string_view cause;            ///< a verdict, or a kind of wasteful access: "bank_conflicts"
  std::string_view cure;             ///< "pad_rows"; empty where nothing is known that would remove the cause
  const SiteRecord* site = nullptr;  ///< of the record; null if no single site is the cause
};
/// Returns the cause and the cure in the brief text of kernel_explanation(). The cause is empty if unknown.
[[nodiscard]] KernelRemedy kernel_remedy(const Record& record);

/// The cause that kernel_remedy() names for wasteful accesses to shared memory. It is not among the verdicts.
inline constexpr std::string_view bank_conflicts_cause = "bank_conflicts";

/// Explains a result of probe `kernel` in sentences. Empty if the kernel did not run.
[[nodiscard]] Explanation kernel_explanation(const Record& record);

}  // namespace gpumem::report
