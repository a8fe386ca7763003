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

/// What a site costs a request in the unit that counts for it, and what would do.
struct SiteCost {
  std::string unit;
  double each = 0;
  double least = 0;

  [[nodiscard]] bool is_waste() const;
};
/// Absent where neither sectors nor wavefronts of it are known.
[[nodiscard]] std::optional<SiteCost> cost_of(const SiteRecord& site);

/// Whether it asks for more than would do, or should not be there at all (local memory).
[[nodiscard]] bool is_wasteful(const SiteRecord& site);

/// "stores: lanes 8192 elements (32 KiB) apart, 32 sectors where 4 would do (copy.cu:118)".
[[nodiscard]] std::string site_words(const SiteRecord& site);

/// What would remove the waste of a wasteful one: "transpose through shared memory".
[[nodiscard]] std::string site_cure(const SiteRecord& site);

/// A result of probe `kernel` in sentences; its reason where it was not seen.
[[nodiscard]] Explanation kernel_explanation(const Record& record);

}  // namespace gpumem::report
