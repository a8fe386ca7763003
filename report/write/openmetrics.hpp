#pragma once
// A report as gauges: what node_exporter's textfile collector exports, and a Prometheus server keeps.

#include <iosfwd>
#include <span>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Gauges in base units, in a text that is both OpenMetrics 1.0 and the classic Prometheus format. What is not known
/// is absent; of cases that were asked for twice the later one counts.
void write_openmetrics(std::ostream& out, std::span<const Report> reports);

}  // namespace gpumem::report
