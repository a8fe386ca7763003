#include <algorithm>
#include <string_view>

#include "app/calibrate/calibration.hpp"

namespace gpumem::app {

namespace {

/// Reads rates off the cases of its probes.
struct RateReader {
  std::vector<std::string_view> probes;
  CasesOfRates (*read)(std::span<const report::Record>, model::Profile&);
};

/// All readers. One may use rates that those before it have read.
const std::vector<RateReader>& rate_readers() {
  static const std::vector<RateReader> readers = {{{"transfer", "batching"}, read_copy_rates},
                                                  {{"latency"}, read_latencies},
                                                  {{"loaded-latency"}, read_loaded_latencies},
                                                  {{"neighbours"}, read_neighbour_rates},
                                                  {{"cluster", "multicast"}, read_cluster_rates}};
  return readers;
}

}  // namespace

bool is_read_off(const std::string& probe) {
  return std::ranges::any_of(rate_readers(), [&](const RateReader& reader) {
    return std::ranges::find(reader.probes, probe) != reader.probes.end();
  });
}

CasesOfRates read_rates(std::span<const report::Record> records, model::Profile& profile) {
  CasesOfRates how;
  for (const RateReader& reader : rate_readers()) how.merge(reader.read(records, profile));
  return how;
}

}  // namespace gpumem::app
