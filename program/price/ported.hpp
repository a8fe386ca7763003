#pragma once
// Prices the kernels of a report for another GPU than the one that it was recorded on.

#include <optional>
#include <string>

#include "engine/model/profile.hpp"
#include "report/ported/ported.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

/// Returns the kernels on the GPU of the profile. If the profile is of the GPU of the recording, its attributes are
/// those that the report says.
///
/// A kernel's time there is the predicted one times its residue: measured / predicted here. The residue counts in full
/// if the same stage limits there, and by its square root otherwise (docs/port.md).
[[nodiscard]] report::PortedGpu ported(const report::Report& report, const model::Profile& profile);

/// Returns why nothing of the report can be priced for another GPU; absent if some kernel can.
[[nodiscard]] std::optional<std::string> why_not_portable(const report::Report& report);

}  // namespace gpumem::program
