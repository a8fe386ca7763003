#pragma once
// What of a launch's accesses goes how far: L1s and L2 are simulated, with a sample of the lines, in the order in
// which the launch comes to them.

#include <cstdint>
#include <optional>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

inline constexpr unsigned lines_of_group = 4;  ///< that memory fetches and writes best together

/// Of one launch, when many of the same follow each other.
struct Traffic {
  double l1_wavefronts = 0;    ///< passes of loads through L1's banks
  double l1_store_passes = 0;  ///< of stores: one for each line of a pass of 128 bytes of words
  /// Of each turn of blocks that are resident together, the root of the sum over its lines of the square of how often
  /// each is stored: the more stores meet in few lines the longer they wait for each other.
  double store_collisions = 0;
  /// How many times more such stores meet than if they were shared out evenly to the lines stored in that turn: 1 or
  /// more.
  double meeting_unevenness = 1;
  double l2_read_requests = 0;    ///< of L1s: one for each line of a request that they lack something of
  double l2_read_sectors = 0;     ///< that these ask for
  double l2_write_requests = 0;   ///< one for each line of a store
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

/// Absent where a site that asks for sectors of device memory does not say its requests in order (Site::fill). Of the
/// lines that it takes to know the launch by, one in 2^log2_fewer_lines is simulated, as long as that leaves enough to
/// see one launch from another.
[[nodiscard]] std::optional<Traffic> traffic_of(const Workload& workload, const Profile& profile,
                                                unsigned log2_fewer_lines = 0);

}  // namespace gpumem::model
