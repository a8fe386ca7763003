// The links and the memory of a device, from its attributes.

#include "engine/machine/device.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_device {

TEST_CASE("PCI Express carries per generation and lane what its specification says", "[device]") {
  struct Example {
    unsigned generation, lanes;
    double gb_per_s;
  };
  for (const auto& [generation, lanes, gb_per_s] :
       {Example{1, 1, 0.25}, Example{1, 16, 4.0}, Example{2, 16, 8.0}, Example{3, 1, 0.985}, Example{3, 16, 15.75},
        Example{4, 8, 15.75}, Example{4, 16, 31.5}, Example{5, 16, 63.0}, Example{6, 16, 121.0}}) {
    INFO("generation " << generation << ", " << lanes << " lanes");
    CHECK(pcie_bytes_per_s(generation, lanes).value() / 1e9 == Approx(gb_per_s).epsilon(0.001));
  }
  CHECK_FALSE(pcie_bytes_per_s(0, 16));
  CHECK_FALSE(pcie_bytes_per_s(7, 16));
}

TEST_CASE("a link has a theoretical bandwidth when it is PCI Express and known", "[device]") {
  Device device;
  CHECK_FALSE(device.link_bytes_per_s());
  device.pcie_generation = 5;
  CHECK_FALSE(device.link_bytes_per_s());
  device.pcie_width = 16;
  CHECK(device.link_bytes_per_s().value() / 1e9 == Approx(63.0).epsilon(0.001));
  device.pcie_width = 8;
  CHECK(device.link_bytes_per_s().value() / 1e9 == Approx(31.5).epsilon(0.001));

  Device integrated = device;
  integrated.integrated = true;
  CHECK_FALSE(integrated.link_bytes_per_s());
  Device coherent = device;
  coherent.link_is_pcie = false;
  CHECK_FALSE(coherent.link_bytes_per_s());
}

}  // namespace gpumem::test_device
