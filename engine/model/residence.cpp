#include "engine/model/residence.hpp"

#include <cmath>
#include <numbers>

namespace gpumem::model {

namespace {

/// The share of data that L2 has lost when a launch comes back to them, if they fill `filled` of it: a normal
/// distribution around the point where half is lost.
double lost_share(double filled, double half_lost_at) {
  constexpr double width = 0.05;
  constexpr double hardly = 0.01;
  const double lost = std::erfc((half_lost_at - filled) / (width * std::numbers::sqrt2)) / 2;
  return lost < hardly ? 0 : lost > 1 - hardly ? 1 : lost;
}

}  // namespace

bool fits_in_l2(const Workload& workload, const Demand& demand, const Device& device) {
  const double of_launch = demand.footprint_bytes / workload.launches;
  return of_launch > 0 && of_launch <= static_cast<double>(device.l2_bytes) && !demand.over_link && !workload.cold;
}

double memory_share(const Workload& workload, const Demand& demand, const Profile& profile) {
  const double read = demand.dram.read_bytes;
  const double written = demand.dram.write_bytes;
  if (demand.simulated) {
    constexpr double little = 0.02;  // a launch that finds nearly all in L2 still fetches a little
    return read + written < little * demand.footprint_bytes ? 0 : 1;
  }
  if (demand.footprint_bytes <= 0 || demand.over_link || workload.cold) return 1;
  const double filled = demand.footprint_bytes / workload.launches / static_cast<double>(profile.device.l2_bytes);
  // An L2 of two parts keeps data of one part in the other too. Lines that were stored leave it before others do.
  const bool two_parts = profile.rates.l2.near_share < 1;
  const double reads_lost = lost_share(filled, two_parts ? 0.76 : 1);
  const double writes_lost = lost_share(filled, two_parts ? 0.67 : 1);
  return read + written > 0 ? (read * reads_lost + written * writes_lost) / (read + written) : reads_lost;
}

}  // namespace gpumem::model
