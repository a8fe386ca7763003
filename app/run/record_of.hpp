#pragma once
// From the readings of one case to its record.

#include "probes/error.hpp"
#include "probes/model/predict.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// A record with what the case and its description say, and no readings yet.
[[nodiscard]] report::Record record_of(const Case& decided, const Workload& workload);

/// Adds the predicted readings; the timeline only where none was measured.
void add_prediction(report::Record& record, const Workload& workload, const model::Prediction& prediction,
                    const model::Profile& profile);

/// Fills peak_gb_per_s, the peak that the workload refers to, and from the headline bandwidth fraction_of_peak. Both
/// stay absent where the device's peak is not known. A GPU that shares the host's memory has no link: its peak is that
/// of the memory.
void add_peak(report::Record& record, const Workload& workload, const Device& device);

/// Whether an error says something about one case, and not about the whole run.
[[nodiscard]] bool concerns_case_alone(const Error& error);

/// What such an error makes of a record: skipped where a capability is missing, else failed.
void add_failure(report::Record& record, const Error& error);

/// A record of a case that could not be described or run.
[[nodiscard]] report::Record failed_record(const Case& decided, const Error& error);

/// A record of a case that nobody tried.
[[nodiscard]] report::Record skipped_record(const Case& decided, const std::string& reason);

/// What the case does on this device. Throws a probe error when it needs more memory or shared memory than there is
/// (saying how much it needs and has), and a missing-capability error when the device cannot do what it is about.
[[nodiscard]] Workload describe(const Case& decided, const Device& device);

}  // namespace gpumem::app
