#pragma once
// From the readings of one case to its record.

#include "probes/model/predict.hpp"
#include "probes/probe.hpp"
#include "report/record.hpp"

namespace gpumem::app {

/// A record with what the case and its description say, and no readings yet.
[[nodiscard]] report::Record record_of(const Case& decided, const Workload& workload);

/// Adds the predicted readings.
void add_prediction(report::Record& record, const Workload& workload, const model::Prediction& prediction,
                    const model::Profile& profile);

/// Fills peak_gb_per_s, the peak that the workload refers to, and from the headline bandwidth fraction_of_peak.
void add_peak(report::Record& record, const Workload& workload, const Device& device);

/// A record of a case that could not be described or run.
[[nodiscard]] report::Record failed_record(const Case& decided, const std::string& reason);

/// Why the device cannot run the workload (memory or shared memory: needed and had), or nothing.
[[nodiscard]] std::optional<std::string> does_not_fit(const Workload& workload, const Device& device);

}  // namespace gpumem::app
