// The output of `gpumem port`: the golden files.

#include <sstream>

#include "report/write/ported/ported.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_ported {

namespace {

/// The kernels of the example on two GPUs. Every number is made up.
Ported example(const Report& report) {
  Ported ported{.name = "app.json", .gpus = {}};
  for (const auto& [name, factor] : {std::pair("NVIDIA B200", 0.5), std::pair("NVIDIA L40S", 2.0)}) {
    PortedGpu gpu{.device = {}, .profile = factor < 1 ? "b200" : "l40s"};
    gpu.device.name = name;
    gpu.device.compute_capability = factor < 1 ? "10.0" : "8.9";
    gpu.other_machine_code = true;
    for (std::size_t i = 0; i < report.results.size(); ++i) {
      PortedKernel kernel{.result = i, .here_s = 1e-3, .all_here_s = 0.01 / static_cast<double>(i + 1)};
      kernel.limit_here = "dram";
      if (i == 3) {
        kernel.no_time = "its block takes 150 KiB of shared memory, and a block has 99 KiB at most there";
      } else {
        const double seconds = i == 1 ? 3 * factor * 1e-3 : factor * 1e-3;
        kernel.predicted_s = 0.9 * seconds;
        kernel.there = PortedTime{seconds, 0.8 * seconds, 1.3 * seconds};
        kernel.limit_there = i == 1 ? "latency" : "dram";
        if (i == 1) kernel.notes = {grid_note, limit_note};
        kernel.place_here = i + 1;
        kernel.place_there = i == 0 ? 2 : i == 1 ? 1 : i + 1;
        gpu.here_s += *kernel.all_here_s;
        gpu.there.seconds += kernel.all_there()->seconds;
        gpu.there.low += kernel.all_there()->low;
        gpu.there.high += kernel.all_there()->high;
      }
      gpu.kernels.push_back(kernel);
    }
    gpu.time_share = 0.656;
    ported.gpus.push_back(gpu);
  }
  return ported;
}

std::string written(const Report& report, Format format, unsigned width = 80) {
  std::ostringstream out;
  write_ported(out, example(report), report, format, {.width = width});
  return out.str();
}

}  // namespace

TEST_CASE("Kernels on other GPUs are written as the golden files show", "[ported]") {
  const Report report = examples::program();
  compare_with_golden("ported.80.txt", written(report, Format::table, 80));
  compare_with_golden("ported.200.txt", written(report, Format::table, 200));
  compare_with_golden("ported.md", written(report, Format::markdown));
  compare_with_golden("ported.csv", written(report, Format::csv));
  compare_with_golden("ported.json.txt", written(report, Format::json));
}

TEST_CASE("Without a time there a table has its reasons alone", "[ported]") {
  Report report = examples::program();
  Ported ported = example(report);
  ported.gpus.resize(1);
  for (PortedKernel& kernel : ported.gpus[0].kernels) kernel.there.reset(), kernel.no_time = "it has loops";
  std::ostringstream out;
  write_ported(out, ported, report, Format::table, {.width = 80});
  CHECK(out.str().find("Without a time there") != std::string::npos);
  CHECK(out.str().find("In all") == std::string::npos);
}

}  // namespace gpumem::report::test_ported
