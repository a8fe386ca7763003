#pragma once
// What would remove the waste of a kernel's site.

#include <optional>
#include <string>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

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

/// The pattern of accesses that the compiler added because a thread has more values than registers.
inline constexpr std::string_view spilled_pattern = "registers spilled";

/// Returns true if the site's accesses are spilled registers.
[[nodiscard]] bool is_spill(const SiteRecord& site);

/// What somebody can do about a site.
struct SiteCure {
  std::string_view key;    ///< a name that stays: "transpose_through_shared"
  std::string_view words;  ///< "let neighbouring lanes take neighbouring elements: transpose through shared memory"
};
/// For who can change the kernel, or only what is passed to it, if it is a library's. Both are empty where that one can
/// do nothing.
[[nodiscard]] SiteCure cure_of(const SiteRecord& site, std::string_view kernel);

/// Its words alone.
[[nodiscard]] std::string site_cure(const SiteRecord& site, std::string_view kernel);

/// Lanes of a warp below which too few take part in a request.
inline constexpr double few_lanes = 16;

}  // namespace gpumem::report
