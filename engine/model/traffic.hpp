#pragma once
// Simulates L1s and L2 to find how much of a launch's accesses reaches each level. A sample of the lines is simulated,
// in the order in which the launch comes to them.

#include <optional>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

inline constexpr unsigned lines_of_group = 4;  ///< memory fetches and writes them best together

/// The traffic of one launch when many of the same follow each other.
struct Traffic {
  double l1_wavefronts = 0;    ///< passes of loads through L1's banks
  double l1_store_passes = 0;  ///< of stores: one for each line of a pass of 128 bytes of words
  /// A measure of stores that meet in the same lines. Each turn of blocks that are resident together adds the square
  /// root of the sum of n^2 over its lines, n being the number of stores to the line. The more stores meet in few
  /// lines, the longer they wait for each other.
  double store_collisions = 0;
  /// The factor by which more stores meet than if those of a turn were shared out evenly to its lines: 1 or more.
  double collision_unevenness = 1;
  double contended_stores = 0;    ///< requests merged while other multiprocessors store to the same lines
  double l2_read_requests = 0;    ///< of L1s: one for each line of a request that they lack something of
  double l2_read_sectors = 0;     ///< that these ask for
  double l2_write_requests = 0;   ///< one for each line of a store, but for merged ones (store_merging.hpp)
  double l2_write_sectors = 0;    ///< each time that one is stored, but for the next
  double l2_split_sectors = 0;    ///< stored again by a neighbour in the launch soon after
  double l2_shared_requests = 0;  ///< of stores, to lines that a neighbour has stored to soon before
  double fetched_lines = 0;       ///< times that L2 begins to fetch a line for loads
  double fetched_line_pairs = 0;
  double fetched_bytes = 0;  ///< from memory for loads, in atoms
  double written_lines = 0;  ///< times that L2 writes sectors of a line to memory
  double written_line_pairs = 0;
  double written_bytes = 0;
  double filled_lines = 0;  ///< lines written of which a sector had to be fetched first
  double filled_line_pairs = 0;
  double filled_bytes = 0;           ///< sectors fetched because stores left them incomplete
  double mixed_lines = 0;            ///< lines filled of which other sectors were complete
  double mixed_groups = 0;           ///< of four such lines
  double incomplete_sectors = 0;     ///< written complete, but by blocks that each left them incomplete
  double stored_lines_of_warps = 0;  ///< by some warps next to each other, in all their turns
  double incomplete_lines = 0;       ///< lines that wait for other blocks to complete them at a time, on average

  void add(const Traffic& other);
  [[nodiscard]] Traffic times(double factor) const;
};

/// Simulates a launch. Returns nullopt if no site accesses device memory, or if one that does cannot give its requests
/// in order (Site::fill). The number of simulated lines is divided by 2^log2_fewer_lines, as long as enough of them
/// remain to tell one launch from another.
[[nodiscard]] std::optional<Traffic> traffic_of(const Workload& workload, const Profile& profile,
                                                unsigned log2_fewer_lines = 0);

}  // namespace gpumem::model
