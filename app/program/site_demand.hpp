#pragma once
// What the sums of a launch's sites ask of the memory system, in the model's terms.

#include <vector>

#include "inject/raw_format.hpp"
#include "probes/model/demand.hpp"
#include "probes/model/profile.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

/// One site's sums, as they are or as they could be. In sectors, lines, wavefronts of the whole launch.
struct SiteSums {
  const inject::Site* site = nullptr;
  bool good = false;  ///< as it could be: the data side by side, the lanes too
  double sectors = 0;
  double lines = 0;
  double wavefronts = 0;
  double l2_sectors = 0;
  double l2_requests = 0;
  double memory_sectors = 0;
  double written_sectors = 0;  ///< that memory gets of stores and atomics
};

/// The sites as they are, but for those marked: these touch no more sectors and lines than hold what they use, and no
/// thread's own memory at all. Sites that use what others brought are as good for it.
[[nodiscard]] std::vector<SiteSums> site_sums(const std::vector<inject::Site>& sites, const std::vector<bool>& good);

/// `workload` is the launch without sites.
[[nodiscard]] model::Demand demand_of(const std::vector<SiteSums>& sites, Workload workload,
                                      const model::Profile& profile);

}  // namespace gpumem::app
