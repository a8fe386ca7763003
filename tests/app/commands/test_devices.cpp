#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

using namespace gpumem;
using namespace gpumem::app;

TEST_CASE("devices command: a GPU in words, its sizes rounded") {
  Device device;
  device.name = "Fake GPU";
  device.memory_bytes = 150'109'880'320;
  device.l2_bytes = 62'914'560;
  device.memory_bus_bits = 6016;
  device.memory_clock_hz = 3'201'000'000;
  const std::vector<Probe> registry;
  std::ostringstream out;
  std::ostringstream err;
  const Environment environment{
      .registry = registry, .out = out, .err = err, .gpus = [&] { return std::vector<Device>{device}; }};
  CHECK(run_devices_command({}, environment) == 0);
  CHECK(out.str().find("0: Fake GPU\n") == 0);
  CHECK(out.str().find("139.8 GiB of memory behind 60 MiB of L2: 6016 bits at 3201 MHz, 4814 GB/s theoretical") !=
        std::string::npos);
  CHECK(err.str().empty());
}

TEST_CASE("devices command: how a GPU is joined to the host, as far as it is known") {
  const auto text_of = [](const Device& device) {
    const std::vector<Probe> registry;
    std::ostringstream out;
    std::ostringstream err;
    const Environment environment{
        .registry = registry, .out = out, .err = err, .gpus = [&] { return std::vector<Device>{device}; }};
    CHECK(run_devices_command({}, environment) == 0);
    return out.str();
  };
  const auto says = [&](const Device& device, const std::string& line) {
    return text_of(device).find("\n  " + line + "\n") != std::string::npos;
  };
  Device device;
  CHECK(says(device, "host link unknown"));
  device.pcie_generation = 5;
  device.pcie_width = 16;
  CHECK(says(device, "PCIe gen5 x16, 63.0 GB/s theoretical each way"));
  device.copy_engines = 3;
  device.numa_node = 0;
  CHECK(says(device, "PCIe gen5 x16, 63.0 GB/s theoretical each way; 3 copy engines; NUMA node 0"));
  device.pcie_generation = 9;  // of which no rate is known
  CHECK(says(device, "PCIe gen9 x16; 3 copy engines; NUMA node 0"));
  device.link_is_pcie = false;
  device.copy_engines = 1;
  CHECK(says(device, "host link NVLink-C2C; 1 copy engine; NUMA node 0"));
  device.integrated = true;
  device.numa_node.reset();
  CHECK(says(device, "shares the host's memory; 1 copy engine"));
}
