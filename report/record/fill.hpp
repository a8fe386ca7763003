#pragma once
// From the readings of one case to its record.

#include <functional>
#include <optional>
#include <vector>

#include "engine/model/predict.hpp"
#include "engine/statistics/statistics.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Returns a record of the case and its description, if there is one, without readings.
[[nodiscard]] Record record_of(const Case& decided, const Workload& workload = {});

/// Adds the predicted readings; the timeline only where none was measured. If the model does not reach the workload,
/// adds what its requests cost, and the reason.
void add_prediction(Record& record, const Probe& probe, const Workload& workload, const model::Profile& profile);
/// Does the same from a prediction that was made before.
void add_prediction(Record& record, const Probe& probe, const Workload& workload, const model::Profile& profile,
                    const model::Prediction& prediction);

/// Fills the measured headline and its interval from the time and its interval. `of_seconds` gives the headline for a
/// time in seconds.
void add_headline(HeadlineRecord& headline, const std::function<std::optional<double>(double)>& of_seconds,
                  const measure::Summary& time);

/// Fills the measured headline from what the runs sampled. At least one sample.
void add_samples(HeadlineRecord& headline, std::vector<double> samples);

/// Fills the headline's peak and, from its value, fraction_of_peak. Both stay absent where the peak is not known.
void add_peak(Record& record, const Probe& probe, const Workload& workload, const Device& device);

}  // namespace gpumem::report
