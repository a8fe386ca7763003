#pragma once
// What numbers in raw files can be at all: whatever is computed from others would be nonsense, and so far from any
// quantity that no report could be read back with it (report/read/field_reader.hpp).

#include "engine/measure/counters.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::app {

[[nodiscard]] bool is_possible(const inject::Site& site);
[[nodiscard]] bool is_possible(const inject::DeviceEvent& device);
[[nodiscard]] bool is_possible(const inject::KernelEvent& kernel);
[[nodiscard]] bool is_possible(const inject::CodeEvent& code);
/// Apart from its sites and parameters.
[[nodiscard]] bool is_possible(const inject::SampleEvent& sample);
[[nodiscard]] bool is_possible(const inject::CountsEvent& counted);
[[nodiscard]] bool is_possible(const inject::LaunchTotals& totals);
/// Checks a span of a process with these totals, which begin with its first launch.
[[nodiscard]] bool is_possible(const inject::Span& span, const inject::LaunchTotals& totals);
/// Of a launch, or of launches in the mean.
[[nodiscard]] bool is_possible_time(double nanoseconds);
/// Of what is counted there.
[[nodiscard]] bool is_possible_count(const measure::CounterField& field, double count);
/// Of one in use.
[[nodiscard]] bool is_possible(const inject::LaunchSlot& slot);

}  // namespace gpumem::app
