#pragma once
// Turns the sums of a launch's sites into the model's demand on the memory system.

#include <optional>
#include <vector>

#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "program/machine_code/instructions.hpp"
#include "program/read/shown_requests.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// Computes the demand of a launch repeatedly, each time with other sites as good as they could be.
class SiteDemand {
 public:
  /// The sites must outlive the object. `code` is the kernel's; empty if it is not known.
  SiteDemand(const std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code);

  /// Returns the demand of all sites. `good` has a mark for each site: a marked site touches no more sectors and lines
  /// than hold what it uses, and no local memory at all. If it scatters its stores, it loads at those addresses instead
  /// and stores in order. `workload` is the launch without sites.
  [[nodiscard]] model::Demand demand(const std::vector<bool>& good, Workload workload,
                                     const model::Profile& profile) const;

 private:
  struct ReadSite {
    const inject::Site* site = nullptr;
    std::optional<inject::Site> gathered = {};  ///< stores at random, turned into loads
    bool adds_floats = false;
    double least_memory = 0;   ///< sectors from memory that would do if data lay side by side
    double l1_wavefronts = 0;  ///< of loads, in the banks of L1
    double over_loaded = 0;    ///< sectors stored that loads had brought
    SectorSpread spread = {};
    ScatteredRuns scattered = {};
  };

  std::vector<ReadSite> sites_;
  unsigned turns_ = 1;
  double incomplete_share_ = 0;  ///< of sectors stored
};

}  // namespace gpumem::program
