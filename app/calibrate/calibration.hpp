#pragma once
// The measurements that `gpumem calibrate` makes, and the rates that are read off them rather than fitted.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/plan.hpp"
#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

enum class CalibrationUse {
  fitted,   ///< the rates of launches are fitted to it
  held_out  ///< the fitted rates are only held against it: patterns that none of them was fitted to
};

struct CalibrationSweeps {
  CalibrationUse use = CalibrationUse::fitted;
  Plan plan;
};

/// A few cases that together depend on every rate of a profile except the capacities of caches (l1_bytes,
/// l2_near_share), over the probes in `registry`. All cases that rates are read off count as fitted.
[[nodiscard]] std::vector<CalibrationSweeps> calibration_plan(const std::vector<Probe>& registry);

/// True if the record ran, was not found wrong, has a positive time, and was neither throttled nor contended nor
/// measured over a degraded link.
[[nodiscard]] bool is_sound(const report::Record& record);

/// True if rates are read off single cases of this probe, so that none of its cases can be held out.
[[nodiscard]] bool is_read_off(const std::string& probe);

/// By the name of each rate that is read off cases, these cases.
using CasesOfRates = std::map<std::string, std::string>;

/// Sets all rates in the profile that measured cases determine without a fit; other rates keep their values. Returns,
/// by the name of each rate set, the cases it was read off.
CasesOfRates read_rates(std::span<const report::Record> records, model::Profile& profile);

/// Its part for copies: what measured cases of the probes `transfer` and `batching` determine.
CasesOfRates read_copy_rates(std::span<const report::Record> records, model::Profile& profile);

/// The same for latencies: the medians of sound cases of the probe `latency` in random order.
CasesOfRates read_latencies(std::span<const report::Record> records, model::Profile& profile);

/// The same for the queues of busy memories, fitted to cases of the probe `loaded-latency`. Each mix needs the case
/// without traffic and at least three with traffic.
CasesOfRates read_loaded_latencies(std::span<const report::Record> records, model::Profile& profile);

/// The same for the bytes that one multiprocessor takes from L2, and for L2's atomics, from sound cases of the probe
/// `neighbours`.
CasesOfRates read_neighbour_rates(std::span<const report::Record> records, model::Profile& profile);

/// The same for the rates of clusters, from sound cases of the probes `cluster` and `multicast`.
CasesOfRates read_cluster_rates(std::span<const report::Record> records, model::Profile& profile);

/// True if the case has this value of the parameter.
[[nodiscard]] bool has_value(const report::Record& record, std::string_view parameter, const Value& value);

/// Sets a rate in the profile, and notes in `how`, by the rate's name, what it was read off. Ignores a value that no
/// profile may have.
void set_rate(model::RateId rate, double value, const std::string& read_off, model::Profile& profile,
              CasesOfRates& how);

}  // namespace gpumem::app
