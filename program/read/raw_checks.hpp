#pragma once
// Checks that numbers in raw files are possible. Quantities computed from impossible ones would be nonsense, and so
// large or small that no report with them could be read back (report/read/field_reader.hpp).

#include "engine/measure/counters.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

[[nodiscard]] bool is_possible(const inject::Site& site);
[[nodiscard]] bool is_possible(const inject::DeviceEvent& device);
[[nodiscard]] bool is_possible(const inject::KernelEvent& kernel);
[[nodiscard]] bool is_possible(const inject::CodeEvent& code);
/// Does not check the sample's sites and parameters.
[[nodiscard]] bool is_possible(const inject::SampleEvent& sample);
[[nodiscard]] bool is_possible(const inject::CountsEvent& counted);
[[nodiscard]] bool is_possible(const inject::LaunchTotals& totals);
/// Checks a span of a process with these totals, which begin with its first launch.
[[nodiscard]] bool is_possible(const inject::Span& span, const inject::LaunchTotals& totals);
/// Checks the time of a launch, or the mean of several.
[[nodiscard]] bool is_possible_time(double nanoseconds);
/// Checks a value of this counter.
[[nodiscard]] bool is_possible_count(const measure::CounterField& field, double count);
/// Checks a slot that is in use.
[[nodiscard]] bool is_possible(const inject::LaunchSlot& slot);

}  // namespace gpumem::program
