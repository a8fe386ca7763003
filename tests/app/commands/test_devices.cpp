#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "engine/model/profile.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_devices {

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
  CHECK(out.str().ends_with(
      "\n  predicted from its attributes: there is no profile of it, which gpumem calibrate makes\n"));
  device.name = "H200";
  CHECK(run_devices_command({}, environment) == 0);
  CHECK(out.str().ends_with("\n  predicted from profile 'h200', shipped\n"));
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

TEST_CASE("devices command: what joins several GPUs is a matrix with its meaning, and what is wrong") {
  std::vector<Device> devices = model::load_profile("h200x8").gpus;
  devices.resize(3);
  for (Device& device : devices) device.links.resize(3);
  const auto text_of = [&](const DevicesArguments& arguments) {
    const std::vector<Probe> registry;
    std::ostringstream out;
    std::ostringstream err;
    const Environment environment{.registry = registry, .out = out, .err = err, .gpus = [&] { return devices; }};
    CHECK(run_devices_command(arguments, environment) == 0);
    return out.str();
  };
  const std::string heading = "\n\nLinks, from the GPU of the row to that of the column:\n        0    1    2\n";
  CHECK(text_of({}).ends_with(heading +
                              "0       X NV18 NV18\n"
                              "1    NV18    X NV18\n"
                              "2    NV18 NV18    X\n"
                              "  NV18  18 NVLinks of version 4 through NVSwitch, 450.0 GB/s theoretical each way\n"));

  for (PeerLink* link : {&devices[0].links[2], &devices[2].links[0]}) {
    *link = {.path = PeerLink::Path::system, .access = false, .no_access = "a setting disables it"};
  }
  devices[1].links[0].nvlinks = 17;
  devices[1].links[0].nvlinks_down = 1;
  CHECK(text_of({}).ends_with(heading +
                              "0       X NV18  SYS\n"
                              "1    NV17    X NV18\n"
                              "2     SYS NV18    X\n"
                              "  NV17  17 NVLinks of version 4 through NVSwitch, 425.0 GB/s theoretical each way\n"
                              "  NV18  18 NVLinks of version 4 through NVSwitch, 450.0 GB/s theoretical each way\n"
                              "  SYS   PCIe and what joins the NUMA nodes\n"
                              "  GPU 1 has 1 NVLink down\n"
                              "  no access to the other's memory, 0 to 2, 2 to 0: a setting disables it\n"));
  CHECK(text_of({.json = true}).find("\"no_access\": \"a setting disables it\"") != std::string::npos);

  for (Device& device : devices) {
    for (PeerLink& link : device.links) {
      if (link.path != PeerLink::Path::itself) link = {.access = false, .no_access = "the GPUs do not support it"};
    }
  }
  CHECK(
      text_of({}).ends_with("  ?     unknown\n"
                            "  no access to the other's memory, whichever two: the GPUs do not support it\n"));

  devices.resize(1);
  devices[0].links.resize(1);
  CHECK(text_of({}).find("Links") == std::string::npos);
  CHECK(text_of({.json = true}).find("links") == std::string::npos);
}

}  // namespace gpumem::app::test_devices
