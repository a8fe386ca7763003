#pragma once
// Reports of raw files that a test wrote, and a process that launches two kernels.

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "program/results/program.hpp"
#include "report/record/kernels.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::reports_of_raw {

using gpumem::test::RawWriter;
using gpumem::test::streaming;

constexpr std::uint64_t requests = 1 << 20;

inline report::Report report_of(const std::vector<RawWriter>& processes, const ProgramRun& run = {}) {
  const gpumem::test::TemporaryDirectory folder;
  for (const RawWriter& process : processes) process.write(folder.path());
  return program_report(read_raw_data(folder.path()), run);
}

/// Threads for the requests of `streaming`.
constexpr std::uint32_t blocks = requests / 8;

/// A process that launches two kernels: one strided, one not.
inline RawWriter two_kernels(std::uint32_t process = 100) {
  RawWriter writer(process);
  writer.device(gpumem::test::h200()).kernel(1, "_Z4goodPKfPf").kernel(2, "_Z3badPKfPf");
  writer.slot(1, 10, 100e3, blocks);
  writer.slot(2, 10, 300e3, blocks);
  writer.sample(0, {streaming(inject::RawOp::load, requests), streaming(inject::RawOp::store, requests, 4, 0x90)});
  writer.sample(1, {streaming(inject::RawOp::load, requests, 32), streaming(inject::RawOp::store, requests, 4, 0x90)});
  writer.totals.sampling_ns = 20'000'000;
  return writer;
}

inline const Value& parameter(const report::Record& record, const std::string& name) {
  return std::ranges::find(record.parameters, name, &Parameter::name)->value;
}

inline std::optional<double> metric(const report::Record& record, const char* name) {
  return std::ranges::find(record.metrics, name, &report::MetricRecord::name)->value();
}

inline bool notes_contain(const report::Report& report, const std::string& text) {
  return std::ranges::any_of(report.program->notes,
                             [&](const std::string& note) { return note.find(text) != std::string::npos; });
}

}  // namespace gpumem::program::reports_of_raw
