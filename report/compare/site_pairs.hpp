#pragma once
// Finds the same access sites in two versions of a kernel. Line numbers and offsets of instructions change with any
// edit above them, so they only order sites that are otherwise alike.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// A site of OLD and the same site of NEW. One of them is null if a site went or came.
struct SitePair {
  const SiteRecord* old_site = nullptr;
  const SiteRecord* new_site = nullptr;

  [[nodiscard]] const SiteRecord& any() const { return new_site != nullptr ? *new_site : *old_site; }
};

/// The reading of a cost in two sites: predicted in both, or else counted in both.
struct CostPair {
  std::optional<double> old_value;  ///< per request; absent if the sites have no common reading
  std::optional<double> new_value;
};
[[nodiscard]] CostPair cost_pair(const SiteRecord& old_site, const SiteRecord& new_site, std::string_view unit);

/// Returns the requests of a launch times the cost in this unit, a whole number; nullopt if one of the two is unknown.
[[nodiscard]] std::optional<double> total_of(const SiteRecord& site, std::string_view unit);

/// Returns the units in which any of the sites has a reading, in the sites' order.
[[nodiscard]] std::vector<std::string> units_of(std::span<const SiteRecord* const> sites);

/// True if the site has a reading of any cost. Accesses that no callback tells of have none.
[[nodiscard]] bool has_counts(const SiteRecord& site);

/// Pairs sites that have counts. Sites are the same if they have the same file or function, space, operation and word.
/// Sites without a partner are then paired without regard to the file, the word, and at last both. Several sites that
/// are alike are paired in the order of their lines or offsets. If sites came or went, those with equal counts and
/// those with equal names are paired first. If one would have grown by that, and none would if they were ordered by
/// their counts, the lines have moved, and the counts decide. So no pairing shows growth where the sites are the same
/// in another order. With a `tolerance`, a site grows if a cost per request does by more than that share; without, if a
/// count of the launch does.
[[nodiscard]] std::vector<SitePair> pair_sites(std::span<const SiteRecord> old_sites,
                                               std::span<const SiteRecord> new_sites,
                                               std::optional<double> tolerance = {});

}  // namespace gpumem::report
