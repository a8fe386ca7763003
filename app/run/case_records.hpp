#pragma once
// Cases of a run: their description, and the records of those that did not run.

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
