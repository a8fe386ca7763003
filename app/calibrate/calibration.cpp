#include "app/calibrate/calibration.hpp"

#include <algorithm>

namespace gpumem::app {

bool is_sound(const report::Record& record) {
  return record.status == report::Status::ok && record.verified != false && record.time &&
         record.time->summary.median.count() > 0 && std::ranges::none_of(record.flags, [](const std::string& flag) {
           return flag == "throttled" || flag == "contended" || flag == "link_degraded";
         });
}

bool is_read_off(const std::string& probe) { return probe == "transfer" || probe == "batching" || probe == "latency"; }

}  // namespace gpumem::app
