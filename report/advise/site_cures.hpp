#pragma once
// Cures for the waste of a kernel's sites.

#include <optional>
#include <string>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

/// The cost of a site per request, in the unit that counts for it, and the least that would do.
struct SiteCost {
  std::string unit;
  double each = 0;
  double least = 0;

  [[nodiscard]] bool is_waste() const;
};
/// Returns nullopt if neither its sectors nor its wavefronts are known.
[[nodiscard]] std::optional<SiteCost> cost_of(const SiteRecord& site);

/// Returns true if the site asks for more than would do, or should not be there at all (local memory).
[[nodiscard]] bool is_wasteful(const SiteRecord& site);

/// The pattern of accesses that the compiler added because a thread has more values than registers.
inline constexpr std::string_view spilled_pattern = "registers spilled";

/// Returns true if the site's accesses are spilled registers.
[[nodiscard]] bool is_spill(const SiteRecord& site);

/// A change that would remove the waste of a site.
struct SiteCure {
  std::string_view key;    ///< a stable name: "transpose_through_shared"
  std::string_view words;  ///< "let neighbouring lanes take neighbouring elements: transpose through shared memory"
};
/// Returns the cure for a site. If the kernel is a library's, the cure changes only what is passed to it. Both members
/// are empty if nothing can be done.
[[nodiscard]] SiteCure cure_of(const SiteRecord& site, std::string_view kernel);

/// Returns the words of cure_of() alone.
[[nodiscard]] std::string site_cure(const SiteRecord& site, std::string_view kernel);

/// A request in which fewer lanes of a warp take part has too few.
inline constexpr double few_lanes = 16;

}  // namespace gpumem::report
