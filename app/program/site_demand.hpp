#pragma once
// What the sums of a launch's sites ask of the memory system, in the model's terms.

#include <optional>
#include <vector>

#include "app/program/machine_code/instructions.hpp"
#include "app/program/shown_requests.hpp"
#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "inject/raw_format.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

/// What a launch asks for, again and again, each time with other sites as good as they could be.
class SiteDemand {
 public:
  /// The sites have to outlive it. `code` is the kernel's; empty where it is not known.
  SiteDemand(const std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code);

  /// Of the sites as they are, but for those marked, one mark a site: these touch no more sectors and lines than hold
  /// what they use, and no thread's own memory at all. What is stored at random is loaded at random instead, and stored
  /// in order. `workload` is the launch without sites.
  [[nodiscard]] model::Demand demand(const std::vector<bool>& good, Workload workload,
                                     const model::Profile& profile) const;

 private:
  struct Known {
    const inject::Site* site = nullptr;
    std::optional<inject::Site> gathered = {};  ///< stores at random, turned into loads
    bool adds_floats = false;
    double least_memory = 0;   ///< sectors from memory that would do if data lay side by side
    double l1_wavefronts = 0;  ///< of loads, in the banks of L1
    double over_loaded = 0;    ///< sectors stored that loads had brought
    SectorSpread spread = {};
    ScatteredRuns scattered = {};
  };

  std::vector<Known> sites_;
  unsigned turns_ = 1;
  double incomplete_share_ = 0;  ///< of sectors stored
};

}  // namespace gpumem::app
