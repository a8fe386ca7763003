#include <sstream>
#include <string>
#include <vector>

#include "app/devices_command.hpp"
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
