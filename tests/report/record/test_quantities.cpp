// The quantities of a case or a device that an expectation can name.

#include <optional>
#include <string>

#include "report/record/quantities.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_quantities {

TEST_CASE("quantities: every name has a value where a record has it, and none where not") {
  Record record;
  record.metrics = {{"shifts_per_second", 7.0, {}}};
  CHECK_FALSE(case_quantity(record, "bandwidth_gb_per_s").has_value());
  record.headline.predicted = 100;
  CHECK(case_quantity(record, "bandwidth_gb_per_s") == 100);
  CHECK_FALSE(case_quantity(record, "measured_over_predicted").has_value());
  record.headline.measured = 90;
  CHECK(case_quantity(record, "bandwidth_gb_per_s") == 90);
  CHECK(case_quantity(record, "measured_over_predicted") == 0.9);
  CHECK(case_quantity(record, "shifts_per_second") == 7);
  CHECK_FALSE(case_quantity(record, "dram_read_bytes").has_value());
  record.counters.emplace().dram_read_bytes = 64;
  CHECK(case_quantity(record, "dram_read_bytes") == 64);
  record.status = Status::failed;
  CHECK_FALSE(case_quantity(record, "bandwidth_gb_per_s").has_value());
}

TEST_CASE("quantities: a measured case is asked for what was counted, at the worst of its sites") {
  Record record;
  record.access.resize(2);
  record.access[0].cost(sectors) = {4, 4.5};
  record.access[1].cost(sectors) = {5, std::nullopt};
  CHECK(case_quantity(record, "sectors_per_request") == 5);
  record.time.emplace();
  CHECK(case_quantity(record, "sectors_per_request") == 4.5);
  record.access[0].cost(sectors).counted.reset();
  CHECK_FALSE(case_quantity(record, "sectors_per_request").has_value());
  CHECK_FALSE(case_quantity(record, "wavefronts_per_request").has_value());
}

TEST_CASE("quantities: a headline and metrics are what was measured, else what is predicted") {
  Record record;
  record.headline = {.quantity = "latency_cycles", .better = Better::less, .predicted = 8};
  record.metrics = {{"hits_percent", {}, 50}};
  CHECK(case_quantity(record, "latency_cycles") == 8);
  CHECK(case_quantity(record, "hits_percent") == 50);
  CHECK_FALSE(case_quantity(record, "bandwidth_gb_per_s"));
  record.headline.measured = 8.25;
  record.metrics[0].measured = 49;
  CHECK(case_quantity(record, "latency_cycles") == 8.25);
  CHECK(case_quantity(record, "hits_percent") == 49);
}

TEST_CASE("quantities: those of a device are absent where it does not tell") {
  Device device;
  for (const std::string& name : device_quantity_names()) {
    CAPTURE(name);
    CHECK_FALSE(device_quantity(device, name).has_value());
  }
  device.pcie_generation = 5;
  device.memory_bytes = 1024;
  CHECK(device_quantity(device, "pcie_generation") == 5);
  CHECK(device_quantity(device, "memory_bytes") == 1024);
  CHECK_FALSE(device_quantity(device, "no such").has_value());
}

}  // namespace gpumem::report::test_quantities
