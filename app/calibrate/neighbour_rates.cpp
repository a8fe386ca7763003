#include <algorithm>
#include <optional>

#include "app/calibrate/calibration.hpp"
#include "engine/access/request.hpp"
#include "probes/cache/neighbours/neighbours_case.hpp"
#include "report/record/cases.hpp"

namespace gpumem::app {

namespace {

/// A victim of the probe `neighbours` by itself.
struct Alone {
  std::uint64_t split_percent;
  double bytes_per_s;
};

std::optional<Alone> alone(const report::Record& record, const std::string& victim) {
  if (record.probe != "neighbours" || !is_sound(record)) return std::nullopt;
  const auto percent = report::number_of(record, cache::axis::split);
  if (!has_value(record, cache::axis::victim, victim) || !percent) return std::nullopt;
  const double bytes_per_s = report::metric_of(record, "victim_alone_gb_per_s").measured.value_or(0) / per_giga;
  constexpr double least = 1e6;
  constexpr double most = 1e18;
  if (!(bytes_per_s >= least && bytes_per_s <= most)) return std::nullopt;
  return Alone{*percent, bytes_per_s};
}

}  // namespace

CasesOfRates read_neighbour_rates(std::span<const report::Record> records, model::Profile& profile) {
  std::optional<Alone> reads;  // on the fewest multiprocessors: their ports are the limit
  std::optional<Alone> few_atomics;
  std::optional<Alone> atomics;  // on the most: L2 is
  for (const report::Record& record : records) {
    const auto read = alone(record, "l2");
    if (read && (!reads || read->split_percent < reads->split_percent)) reads = read;
    const auto added = alone(record, "atomics");
    if (added && (!few_atomics || added->split_percent < few_atomics->split_percent)) few_atomics = added;
    if (added && (!atomics || added->split_percent > atomics->split_percent)) atomics = added;
  }
  CasesOfRates how;
  const Device& device = profile.device;
  const auto of_port = [&](const Alone& victim) {
    const unsigned multiprocessors = cache::victim_multiprocessors(victim.split_percent, device.multiprocessors);
    return victim.bytes_per_s / (multiprocessors * static_cast<double>(device.sm_clock_hz));
  };
  const bool has_clock = device.multiprocessors > 1 && device.sm_clock_hz > 0;
  const auto set = [&](model::RateId rate, double value, const char* read_off) {
    set_rate(rate, value, read_off, profile, how);
  };
  if (reads && has_clock) {
    set(model::rate_ids.l2.port_bytes_per_cycle, of_port(*reads), "a kernel that lives in L2, on few multiprocessors");
  }
  if (few_atomics && has_clock && few_atomics->split_percent < atomics->split_percent) {
    set(model::rate_ids.atomics.port_bytes_per_cycle, of_port(*few_atomics),
        "a kernel of atomics on few multiprocessors");
  }
  if (atomics) {
    set(model::rate_ids.atomics.sectors_per_s, atomics->bytes_per_s / access::sector_bytes,
        "a kernel of atomics on most multiprocessors");
  }
  return how;
}

}  // namespace gpumem::app
