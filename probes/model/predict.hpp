#pragma once
// The model: what a workload demands of each stage, over the rate of that stage. The slowest stage is the bottleneck
// and, with the fixed cost of a launch, gives the time. A workload of several operations takes as long as playing them
// through does (probes/model/schedule.hpp), each launch being such a time.
//
// A kernel's accesses to mapped host memory go over the link and nowhere else: stage "pcie". Loads cost per line and
// per sector of the footprint, whole stored sectors per byte, and stores that leave sectors incomplete cost each, as
// does a sector that arrives in two parts. Loads and stores at once take the longer of both and part of the shorter.
// A device that shares the host's memory has no link: there mapped memory is device memory.

#include <string_view>
#include <vector>

#include "probes/access/site.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/model/profile.hpp"
#include "probes/model/schedule.hpp"
#include "probes/probe.hpp"

namespace gpumem::model {

/// What one launch asks of the memory system.
struct Demand {
  double l2_load_sectors = 0;   ///< sectors that L1 fetches from L2
  double l2_store_sectors = 0;  ///< sectors that L1 writes to L2, each counted once
  double l2_split_sectors = 0;  ///< and how often one is written again, because several requests share it
  double l2_load_lines = 0;
  double l2_load_line_pairs = 0;
  double l2_store_lines = 0;  ///< lines that stores write without leaving sectors incomplete
  double l2_store_line_pairs = 0;
  double l2_fill_lines = 0;  ///< lines with sectors that the launch's stores leave incomplete
  double l2_fill_line_pairs = 0;
  double dram_read_bytes = 0;  ///< loads in 64-byte atoms, and the fills of sectors left incomplete
  double dram_write_bytes = 0;
  double footprint_bytes = 0;  ///< all sectors of device memory touched: cache-resident if they fit in L2
  double pcie_load_lines = 0;
  double pcie_load_sectors = 0;
  double pcie_write_bytes = 0;     ///< of sectors that stores complete
  double pcie_partial_writes = 0;  ///< stores that do not, and sectors written again
  double shared_wavefronts = 0;
};

struct Prediction {
  std::vector<access::SiteSummary> sites;  ///< as the workload's sites
  Demand demand;                           ///< of one launch
  std::vector<StageTime> stages;
  std::string_view bottleneck;  ///< the slowest stage
  double seconds = 0;           ///< one launch, or one run of the operations
  double bytes_per_s = 0;       ///< useful bytes / seconds
  bool cache_resident = false;  ///< the footprint fits in L2, so DRAM is left out; never with mapped host memory
  std::vector<measure::StageSpan> timeline;  ///< of several operations, one span each; else empty
};

[[nodiscard]] Prediction predict(const Workload& workload, const Profile& profile);

}  // namespace gpumem::model
