#pragma once
// Turns the sums of a launch's sites into work that can be priced.

#include <optional>
#include <vector>

#include "program/machine_code/instructions.hpp"
#include "program/price/atomic_turns.hpp"
#include "program/read/shown_requests.hpp"
#include "program/watch/raw_format.hpp"
#include "report/record/launch_work.hpp"

namespace gpumem::program {

/// The sites of a launch, whose work is asked for repeatedly, each time with other sites as good as they could be.
class SeenSites {
 public:
  /// The sites must outlive the object. `code` is the kernel's; empty if it is not known.
  SeenSites(const std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code);

  /// Sets the sums of all sites, a row for each beyond the multiprocessors. `good` has a mark for each site: a marked
  /// site touches no more sectors and lines than hold what it uses, and no local memory at all. If it scatters its
  /// stores, it loads at those addresses instead and stores in order. Empty: no site is marked.
  void add_to(report::LaunchWork& work, const std::vector<bool>& good, const LaunchBlocks& blocks) const;

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

/// Returns the work as a report keeps it: with few rows of sites, and numbers of six digits. Sites share a row if they
/// are of one space, operation and size of word, and about as far from the limits where pricing changes from one rule
/// to another.
[[nodiscard]] report::LaunchWork compact(report::LaunchWork work);

}  // namespace gpumem::program
