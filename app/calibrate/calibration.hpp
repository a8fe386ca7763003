#pragma once
// What `gpumem calibrate` measures, and the rates that are read off it rather than fitted.

#include <map>
#include <span>
#include <string>
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

/// Few cases that between them depend on every rate of a profile but the capacities of caches (l1_bytes,
/// l2_near_share), over the probes that `registry` has. Cases that rates are read off count as fitted, all of them.
[[nodiscard]] std::vector<CalibrationSweeps> calibration_plan(const std::vector<Probe>& registry);

/// Whether a record holds readings that say something about the GPU alone.
[[nodiscard]] bool is_sound(const report::Record& record);

/// Whether rates are read off cases of that probe one by one, so that none is left to hold out.
[[nodiscard]] bool is_read_off(const std::string& probe);

/// Sets those rates of copies in the profile that measured cases of the probes `transfer` and `batching` tell (others
/// keep their values), and returns for each of them, by name, what it was read off.
std::map<std::string, std::string> read_copy_rates(std::span<const report::Record> records, model::Profile& profile);

/// The same for the latencies that sound cases of the probe `latency` tell, in random order: their medians.
std::map<std::string, std::string> read_latencies(std::span<const report::Record> records, model::Profile& profile);

/// The same for the queues of busy memories, fitted to cases of the probe `loaded-latency`: at least three for each mix
/// beside the one without traffic.
std::map<std::string, std::string> read_loaded_latencies(std::span<const report::Record> records,
                                                         model::Profile& profile);

/// The same for what one multiprocessor takes from L2, and for L2's atomics, of sound cases of the probe `neighbours`.
std::map<std::string, std::string> read_neighbour_rates(std::span<const report::Record> records,
                                                        model::Profile& profile);

/// The same for the rates of clusters that sound cases of the probes `cluster` and `multicast` tell.
std::map<std::string, std::string> read_cluster_rates(std::span<const report::Record> records, model::Profile& profile);

}  // namespace gpumem::app
