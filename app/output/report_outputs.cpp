#include "app/output/report_outputs.hpp"

#include <sstream>

#include "report/explain/completed.hpp"

namespace gpumem::app {

namespace {

/// Reports up to this size are written after every case however long it takes.
constexpr std::size_t always_written_results = 100;

}  // namespace

Outputs::Outputs(const ResultRequest& request, bool why, const StandardOutput& standard_output)
    : outputs_(request, report::table_formats(), standard_output), why_(why) {}

void Outputs::update_files(const report::Report& report) {
  if (!outputs_.has_files()) return;
  const auto start = std::chrono::steady_clock::now();
  if (report.results.size() > always_written_results && start - written_at_ < 4 * writing_took_) return;
  const report::Report whole = report::completed(report);
  outputs_.update(render(whole));
  written_at_ = std::chrono::steady_clock::now();
  writing_took_ = written_at_ - start;
}

void Outputs::finish(const report::Report& report) {
  const report::Report whole = report::completed(report);
  outputs_.write(render(whole));
}

ResultOutputs::Render Outputs::render(const report::Report& report) const {
  return [&report, why = why_](report::Format format, report::TableStyle style) {
    style.why = why;
    std::ostringstream text;
    report::write(text, report, format, style);
    return std::move(text).str();
  };
}

}  // namespace gpumem::app
