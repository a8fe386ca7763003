#pragma once
// The model: what a workload demands of each stage (demand.hpp), over the rate of that stage (stages.hpp). The slowest
// stage is the bottleneck and, with the fixed cost of a launch, gives the time. A workload of several operations takes
// as long as simulating them does (schedule.hpp), each launch being such a time. Bytes that cross between GPUs take as
// long as their link takes (subjects/peer.hpp).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/model/demand.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/schedule.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

struct Prediction {
  std::vector<access::SiteSummary> sites;  ///< as the workload's sites
  Demand demand;                           ///< of one launch
  std::vector<StageTime> stages;
  std::string_view bottleneck;  ///< the slowest stage
  double seconds = 0;           ///< one launch, or one run of the operations
  double bytes_per_s = 0;       ///< useful bytes / seconds
  bool cache_resident = false;  ///< the footprint fits in L2, so DRAM is left out; never with mapped host memory
  /// The footprint fits in L2, and memory, of which a little is still asked, limits nothing.
  bool served_by_l2 = false;
  std::vector<measure::StageSpan> timeline;  ///< of several operations, one span each; else empty
};

/// If a launch has to be simulated, the number of its lines is halved `log2_fewer_lines` times: this is faster, and
/// about right.
[[nodiscard]] Prediction predict(const Workload& workload, const Profile& profile, unsigned log2_fewer_lines = 0);

/// The same, given the parts that take long: the summaries of the workload's sites, and the simulated traffic.
[[nodiscard]] Prediction predict_with(const std::optional<Traffic>& traffic, std::vector<access::SiteSummary> sites,
                                      const Workload& workload, const Profile& profile);

/// Says why only the requests of a workload are predicted: the profile does not know rates that it needs, or the model
/// has no stage for it. Empty if its time is predicted.
[[nodiscard]] std::string why_unpredicted(const Workload& workload, const Profile& profile);

/// The predicted speed-up if the accesses of each site were sorted: the site touches the same memory as now, and
/// neighbouring lanes access neighbours in memory. 1 if all sites are in order already; nullopt if the useful bytes of
/// a site are not known.
[[nodiscard]] std::optional<double> sorted_gain(const Workload& workload, const Prediction& prediction,
                                                const Profile& profile);

}  // namespace gpumem::model
