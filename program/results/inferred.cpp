#include "program/results/inferred.hpp"

#include <algorithm>

#include "program/read/other_grids.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::program {

namespace {

report::MetricRecord& metric_named(report::Record& record, const char* name) {
  return *std::ranges::find(record.metrics, name, &report::MetricRecord::name);
}

void infer_time(report::Record& record, const MergedRun& run, const MergedKernel& kernel, const OtherGrids& timed) {
  constexpr double most_times = 2;
  report::MetricRecord& time = metric_named(record, report::gpu_time_name);
  const auto launches = static_cast<double>(kernel.launches);
  if (const auto other = timed.nearest(kernel, most_times)) {
    const MergedKernel& grid = run.kernels[*other];
    const double each_s = *grid.gpu_s() / static_cast<double>(grid.launches);
    time.predicted = each_s * warps_of(kernel) / warps_of(grid) * launches;
    record.flags.emplace_back("time_of_another_grid");
  } else if (record.predicted_s) {
    time.predicted = *record.predicted_s * launches;
    record.flags.emplace_back("time_predicted");
  }
}

void infer_saving(report::Record& record, report::Record& seen) {
  const auto own_s = metric_named(record, report::gpu_time_name).value();
  const auto seen_s = metric_named(seen, report::gpu_time_name).value();
  if (!record.bottleneck) record.bottleneck = seen.bottleneck;
  record.verdict = seen.verdict;
  record.why = seen.why;
  record.why_brief = seen.why_brief;
  if (!own_s || seen_s.value_or(0) <= 0) return;
  for (const char* name : {report::could_save_name, report::could_save_low_name, report::could_save_high_name}) {
    const auto saved_s = metric_named(seen, name).value();
    if (saved_s) metric_named(record, name).predicted = *saved_s * *own_s / *seen_s;
  }
}

}  // namespace

void infer_times(std::vector<report::Record>& records, const MergedRun& run) {
  const OtherGrids timed(run.kernels, [](const MergedKernel& kernel) { return kernel.gpu_s().has_value(); });
  double all_s = 0;
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (!run.kernels[i].gpu_s()) infer_time(records[i], run, run.kernels[i], timed);
    all_s += metric_named(records[i], report::gpu_time_name).value().value_or(0);
  }
  if (all_s <= 0) return;
  for (report::Record& record : records) {
    const report::MetricRecord& time = metric_named(record, report::gpu_time_name);
    report::MetricRecord& share = metric_named(record, report::gpu_share_name);
    if (time.measured) {
      share.measured = *time.measured / all_s;
    } else if (time.predicted) {
      share.predicted = *time.predicted / all_s;
    }
  }
}

void infer_savings(std::vector<report::Record>& records, const MergedRun& run) {
  for (std::size_t i = 0; i < records.size(); ++i) {
    if (run.kernels[i].like) infer_saving(records[i], records[*run.kernels[i].like]);
  }
}

}  // namespace gpumem::program
