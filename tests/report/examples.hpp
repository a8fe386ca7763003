#pragma once
// Reports like those of real runs, for the tests of writers and findings. Every number in them is made up by a formula.

#include <cstdint>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report::examples {

/// Offsets 0..32 copied and measured, with one failed case and some flags.
[[nodiscard]] Report measured_copy();

/// Strides read and written, predicted from a profile.
[[nodiscard]] Report model();

/// Shared-memory strides, with a metric and predicted as well as counted wavefronts.
[[nodiscard]] Report banks();

/// A plan of which nothing ran: offsets of two operations.
[[nodiscard]] Report dry_run();

/// One case each of several operations and word sizes, one of them skipped for a long reason.
[[nodiscard]] Report single_cases();

/// Kinds of host memory compared over sizes, measured in both directions one at a time: a table each.
[[nodiscard]] Report transfers();

/// Numbers of streams compared over alternatives, with timelines.
[[nodiscard]] Report overlap();

/// The same, predicted, and two numbers of streams only.
[[nodiscard]] Report predicted_overlap();

/// Every pair of the eight GPUs of a node, by copies and by kernels that read: one pair is slow both ways, one has no
/// access, one moved wrong data, and one GPU was throttled in a case.
[[nodiscard]] Report node();

/// Pairs of eight GPUs in two islands, which PCI Express joins.
[[nodiscard]] Report islands();

/// Pairs of so many GPUs, by copies, all alike.
[[nodiscard]] Report even_node(std::uint64_t gpus);

/// Offsets copied on each of eight GPUs, of which the last is slower than the others.
[[nodiscard]] Report all_gpus();

/// Probes that go with the examples: "transfer" concludes how much faster pinned memory is and a fixed cost, "overlap"
/// which number of streams is the fastest; those of global and shared memory are the real ones. Others are not known.
[[nodiscard]] const Probe* find_example_probe(std::string_view name);

/// A time whose summary follows from the median, with as many samples.
[[nodiscard]] TimeRecord time_record(double median_seconds, std::size_t samples);

/// A site with predicted readings.
[[nodiscard]] SiteRecord global_site(const std::string& name, const std::string& op, double sectors_per_request);

}  // namespace gpumem::report::examples
