// A report of several GPUs as the ordinary reports that it is made of.

#include <string>
#include <vector>

#include "report/explain/explain.hpp"
#include "report/record/gpus.hpp"
#include "tests/catch.hpp"
#include "tests/report/checked.hpp"

namespace gpumem::report::test_gpus {

namespace {

/// Offsets 0 and 1, each on two GPUs that CUDA calls 2 and 5.
Report two_gpus() {
  Report report = checked::measured();
  report.devices.clear();
  for (const unsigned index : {2U, 5U}) {
    Device device = *report.device;
    device.index = index;
    device.uuid = "GPU-" + std::to_string(index) + "2345678-1111";
    device.pci_bus_id = "00000000:4" + std::to_string(index) + ":00.0";
    report.devices.push_back(device);
  }
  report.device = report.devices.front();
  report.results.clear();
  for (const std::uint64_t offset : {0U, 1U}) {
    for (const std::uint64_t gpu : {2U, 5U}) {
      Record& record = report.results.emplace_back(checked::shifted(offset, "read", 4000));
      record.parameters.push_back({"device", gpu});
      record.across = "device";
    }
  }
  return report;
}

}  // namespace

TEST_CASE("each GPU's part is an ordinary report of it", "[gpus]") {
  Report report = two_gpus();
  report.checks.resize(3);
  report.checks[0].device = 5;
  report.checks[0].cases = {1, 3};
  report.checks[1].device = 2;
  report.checks[1].cases = {2};
  report.checks[2].cases = {0};
  report.conclusions = {
      {.probe = "shift", .cases = {1, 3}, .advice = "five", .quantities = {}, .facts = {{"costs", {3}, "five", {}}}},
      {.probe = "shift", .cases = {0, 1}, .advice = "of both", .quantities = {}}};
  const std::vector<GpuPart> parts = gpu_parts(report);
  REQUIRE(parts.size() == 2);
  const GpuPart& second = parts[1];
  CHECK(second.gpu == 5);
  CHECK(second.cases == Members{1, 3});
  CHECK(second.report.device->uuid == "GPU-52345678-1111");
  CHECK(second.report.devices.size() == 1);
  CHECK(gpu_parts(second.report).empty());
  CHECK(second.report.suite == report.suite);
  REQUIRE(second.report.results.size() == 2);
  CHECK(second.report.results[1].parameters == checked::shifted(1, "read", 4000).parameters);
  CHECK(second.report.results[1].across.empty());
  REQUIRE(second.report.checks.size() == 1);
  CHECK(second.report.checks[0].cases == Members{0, 1});
  REQUIRE(second.report.conclusions.size() == 1);
  CHECK(second.report.conclusions[0].advice == "five");
  CHECK(second.report.conclusions[0].cases == Members{0, 1});
  CHECK(second.report.conclusions[0].facts[0].cases == Members{1});
}

TEST_CASE("an ordinary report has no parts, and a GPU without cases has one", "[gpus]") {
  CHECK(gpu_parts(checked::measured()).empty());
  Report report = two_gpus();
  std::erase_if(report.results, [](const Record& record) { return gpu_beside_others(record) == 5; });
  const auto parts = gpu_parts(report);
  REQUIRE(parts.size() == 2);
  CHECK(parts[1].report.results.empty());
}

TEST_CASE("a kernel of a program has a device, and stands beside no other GPU", "[gpus]") {
  Record record = checked::shifted(0, "read", 1);
  record.parameters.push_back({"device", std::uint64_t{1}});
  CHECK_FALSE(gpu_beside_others(record));
  record.across = "device";
  CHECK(gpu_beside_others(record) == 1);
}

TEST_CASE("a table's cases are parted by GPU, and baselines are a GPU's own", "[gpus]") {
  Report report = two_gpus();
  report.results[3].headline.measured = 2000;
  CHECK(by_gpu(report.results, {0, 1, 2, 3}) == std::vector<Members>{{0, 2}, {1, 3}});
  CHECK(tables(report.results) == std::vector<Members>{{0, 1, 2, 3}});
  relate_to_baselines(report.results);
  CHECK(report.results[2].relative_measured == 1.0);
  CHECK(report.results[3].relative_measured == 0.5);
}

TEST_CASE("a GPU is named so that somebody can find it", "[gpus]") {
  const Report report = two_gpus();
  CHECK(gpu_identity(5, device_of(report, 5)) == "GPU 5 (00000000:45:00.0, GPU-52345678-1111)");
  CHECK(short_gpu_identity(5, device_of(report, 5)) == "GPU 5 (45:00.0, GPU-52345678)");
  CHECK(gpu_identity(9, device_of(report, 9)) == "GPU 9");
  CHECK(short_pci_bus_id("00000001:45:00.0") == "00000001:45:00.0");
  CHECK(gpu_list(std::vector<std::uint64_t>{3}) == "GPU 3");
  CHECK(gpu_list(std::vector<std::uint64_t>{0, 2, 3}) == "GPUs 0, 2 and 3");
}

}  // namespace gpumem::report::test_gpus
