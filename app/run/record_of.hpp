#pragma once
// From the readings of one case to its record.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/run/plan.hpp"
#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Returns a record of the case and its description, if there is one, without readings.
[[nodiscard]] report::Record record_of(const Case& decided, const Workload& workload = {});

/// Adds the predicted readings; the timeline only where none was measured. If the model does not reach the workload,
/// adds what its requests cost, and the reason.
void add_prediction(report::Record& record, const Probe& probe, const Workload& workload,
                    const model::Profile& profile);
/// Does the same from a prediction that was made before.
void add_prediction(report::Record& record, const Probe& probe, const Workload& workload, const model::Profile& profile,
                    const model::Prediction& prediction);

/// Fills the measured headline and its interval from the time and its interval. `of_seconds` gives the headline for a
/// time in seconds.
void add_headline(report::HeadlineRecord& headline, const std::function<std::optional<double>(double)>& of_seconds,
                  const measure::Summary& time);

/// Fills the measured headline from what the runs sampled. At least one sample.
void add_samples(report::HeadlineRecord& headline, std::vector<double> samples);

/// Fills the headline's peak and, from its value, fraction_of_peak. Both stay absent where the peak is not known.
void add_peak(report::Record& record, const Probe& probe, const Workload& workload, const Device& device);

/// Returns how good a case is by a quick look: the greater the better. It is the headline, or its inverse if less is
/// better; 1 / `seconds` if there is no headline, or neither is better. `headline` is given if the run samples it, else
/// it follows from `seconds`.
[[nodiscard]] double goodness_of(const Probe& probe, const Workload& workload, std::optional<double> headline,
                                 double seconds);

/// True if an error concerns one case and not the whole run.
[[nodiscard]] bool concerns_case_alone(const Error& error);

/// Marks the record as skipped if a capability is missing, else as failed, with the error as its reason.
void add_failure(report::Record& record, const Error& error);

/// A record of a case that could not be described or run.
[[nodiscard]] report::Record failed_record(const Case& decided, const Error& error);

/// Records of all cases of a plan, none of which was tried.
[[nodiscard]] std::vector<report::Record> planned_records(const Plan& plan);

/// "offset offset_elements=1 op=copy": the probe, and the parameters whose names are wanted.
[[nodiscard]] std::string words_of(const report::Record& record, const std::function<bool(const std::string&)>& wanted);

/// Describes what the case does on this device. Throws a probe error if it needs more memory than there is. Throws a
/// missing-capability error if a block needs more shared memory than there is, or if the device cannot do what the case
/// is about. Errors about memory say how much is needed and how much there is.
[[nodiscard]] Workload describe(const Case& decided, const Device& device);

/// Returns the index of the GPU that times the case, on a machine with `gpus` GPUs. Absent if the case names no GPU, or
/// one that is not there; its description then says so.
[[nodiscard]] std::optional<std::uint64_t> timing_gpu(const Case& tested, std::size_t gpus);

}  // namespace gpumem::app
