#pragma once
// The demand of a workload on each part of the memory system, whatever the rates are.

#include <optional>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/traffic.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// The demand of one launch on the memory system, by the part that it is on, as the rates are (rates.hpp).
struct Demand {
  struct L1 {
    double load_lines = 0;   ///< lines that loads look up in L1, whether it has them or not
    double store_lines = 0;  ///< lines that stores pass through L1
    double load_bytes = 0;   ///< bytes that loads take, each word once a request
  };
  struct L2 {
    double load_sectors = 0;   ///< sectors that L1 fetches from L2
    double first_sectors = 0;  ///< of those, the ones that nobody fetched before
    double store_sectors = 0;  ///< sectors that L1 writes to L2, each counted once
    double split_sectors = 0;  ///< and how often one is written again, because several requests share it
    double load_lines = 0;
    double load_line_pairs = 0;
    double store_lines = 0;  ///< lines that stores write without leaving sectors incomplete
    double store_line_pairs = 0;
    double fill_lines = 0;  ///< lines with sectors that the launch's stores leave incomplete
    double fill_line_pairs = 0;
    // 0 unless the launch is simulated:
    double read_requests = 0;  ///< of L1s, each for sectors of one line
    double write_requests = 0;
    double contended_s = 0;       ///< in which stores wait that are merged for a line of several multiprocessors
    double store_collisions = 0;  ///< of stores to the same lines at the same time (traffic.hpp)
    double collision_unevenness = 1;
    double mixed_lines = 0;   ///< lines stored with sectors that are incomplete and others that are not
    double mixed_groups = 0;  ///< of four such lines
  };
  struct Dram {
    double read_bytes = 0;  ///< loads in 64-byte atoms, and the fills of sectors left incomplete
    double write_bytes = 0;
  };
  /// Accesses over the host link.
  struct Link {
    double load_lines = 0;
    double load_atoms = 0;
    double load_sectors = 0;
    double load_split_lines = 0;  ///< lines asked for again, because several requests share them
    double store_sectors = 0;     ///< all that stores touch
    double write_bytes = 0;       ///< of sectors that stores complete
    double split_writes = 0;      ///< lines of those that arrive in two parts
    double partial_writes = 0;    ///< stores that leave a sector incomplete, several to an atom of the host's memory
    double lone_writes = 0;       ///< and those that have an atom to themselves
    double lone_idle_writes = 0;  ///< lone writes x the share of the atoms' channels that none of them touches
  };

  double turns = 1;            ///< accesses in a row of a thread, a block's width apart
  bool loads = false;          ///< whether threads wait for data from beyond their multiprocessor
  bool stores = false;         ///< whether they send some there
  bool over_link = false;      ///< whether any of it is the host's
  bool simulated = false;      ///< whether what reaches memory is known from simulating the launch
  double footprint_bytes = 0;  ///< all sectors of device memory touched: cache-resident if they fit in L2
  double shared_wavefronts = 0;
  double atomic_turns = 0;  ///< that atomics take one after another, if their lines share them out (atomic_turns.cpp)
  L1 l1 = {};
  L2 l2 = {};
  Dram dram = {};
  Link link = {};
};

/// Sums the demands of the sites; `sites` holds their summaries, in the workload's order. If accesses come back to data
/// touched before, or the launch leaves data in L2 that the next one needs, its traffic is simulated (traffic.hpp),
/// with fewer lines if `log2_fewer_lines` is not 0.
[[nodiscard]] Demand demand_of(const Workload& workload, const std::vector<access::SiteSummary>& sites,
                               const Profile& profile, unsigned log2_fewer_lines = 0);

/// The two steps of demand_of(). needed_traffic() simulates the traffic if it has to be: this takes nearly all of the
/// time and depends on few rates (the caches' sizes, and l2_written_share). demand_with() sums the demands, given that
/// traffic.
[[nodiscard]] std::optional<Traffic> needed_traffic(const Workload& workload,
                                                    const std::vector<access::SiteSummary>& sites,
                                                    const Profile& profile, unsigned log2_fewer_lines = 0);
[[nodiscard]] Demand demand_with(const std::optional<Traffic>& traffic, const Workload& workload,
                                 const std::vector<access::SiteSummary>& sites, const Profile& profile);

/// The summaries of a workload's sites, in its order.
[[nodiscard]] std::vector<access::SiteSummary> summarise(const Workload& workload);

}  // namespace gpumem::model
