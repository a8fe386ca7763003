#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/machine/devices.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_devices {

using gpumem::measure::canonical_pci_bus_id;
using gpumem::measure::DriverState;
using gpumem::measure::match_device;
using gpumem::measure::no_gpu_reason;
using gpumem::measure::sysfs_pci_name;

namespace {

Device device(std::string name, std::string uuid, std::string pci_bus_id) {
  Device result;
  result.name = std::move(name);
  result.uuid = std::move(uuid);
  result.pci_bus_id = std::move(pci_bus_id);
  return result;
}

const std::vector<Device> two = {
    device("NVIDIA H200", "GPU-12345678-90ab-cdef-0123-456789abcdef", "00000000:1B:00.0"),
    device("NVIDIA L4", "GPU-1234abcd-90ab-cdef-0123-456789abcdef", "00000001:1B:00.0"),
};

std::string failure(std::string_view selector, const std::vector<Device>& devices) {
  try {
    static_cast<void>(match_device(selector, devices));
  } catch (const gpumem::Error& error) {
    CHECK(error.kind() == ErrorKind::no_gpu);
    return error.what();
  }
  return "matched";
}

}  // namespace

TEST_CASE("PCI bus ids: every usual spelling is one id", "[devices]") {
  for (const char* text : {"00000000:1B:00.0", "00000000:1b:00.0", "0000:1b:00.0", "0000:1B:00", "1b:00.0", "1b:0"}) {
    INFO(text);
    CHECK(canonical_pci_bus_id(text) == "00000000:1B:00.0");
  }
  CHECK(canonical_pci_bus_id("1:0.0") == "00000000:01:00.0");
  CHECK(canonical_pci_bus_id("10000:e1:00.0") == "00010000:E1:00.0");  // as virtual machines have them
  CHECK(canonical_pci_bus_id("0001:1b:1f.7") == "00000001:1B:1F.7");
}

TEST_CASE("PCI bus ids: as the kernel names their folders", "[devices]") {
  CHECK(sysfs_pci_name("00000000:1B:00.0") == "0000:1b:00.0");
  CHECK(sysfs_pci_name("00000001:0A:1F.7") == "0001:0a:1f.7");
  CHECK(sysfs_pci_name("00010000:E1:00.0") == "10000:e1:00.0");  // not 4 digits alone: as virtual machines have them
}

TEST_CASE("PCI bus ids: what is not one", "[devices]") {
  for (const char* text : {"", "0", "1b", ":", "1b:", ":00.0", "1b:00.", "1b:00.00", "1bb:00.0", "xy:00.0",
                           "000000000:1b:00.0", "0:0000:1b:00.0", "GPU-12345678", "1b:00.0 "}) {
    INFO(text);
    CHECK_FALSE(canonical_pci_bus_id(text).has_value());
  }
}

TEST_CASE("selecting a GPU by index, UUID or PCI bus id", "[devices]") {
  CHECK(match_device("0", two) == 0);
  CHECK(match_device("1", two) == 1);
  CHECK(match_device("GPU-12345678-90ab-cdef-0123-456789abcdef", two) == 0);
  CHECK(match_device("gpu-1234ABCD-90AB-CDEF-0123-456789ABCDEF", two) == 1);
  CHECK(match_device("GPU-12345", two) == 0);
  CHECK(match_device("GPU-1234a", two) == 1);
  CHECK(match_device("1b:00.0", two) == 0);
  CHECK(match_device("0001:1b:00.0", two) == 1);
  CHECK(match_device("00000001:1B:00.0", two) == 1);
}

TEST_CASE("selecting a MIG instance: by its UUID, since its PCI bus id is shared", "[devices]") {
  const std::vector<Device> instances = {
      device("NVIDIA H200 MIG 1g.18gb", "MIG-aaaaaaaa-0000-0000-0000-000000000000", "00000000:1B:00.0"),
      device("NVIDIA H200 MIG 1g.18gb", "MIG-bbbbbbbb-0000-0000-0000-000000000000", "00000000:1B:00.0"),
  };
  CHECK(match_device("MIG-b", instances) == 1);
  CHECK(failure("1b:00.0", instances).starts_with("more than one GPU is 1b:00.0: this machine has 0 (NVIDIA H200 MIG"));
}

TEST_CASE("selecting a GPU that is not there lists what is", "[devices]") {
  const std::string there =
      "this machine has 0 (NVIDIA H200, GPU-12345678-90ab-cdef-0123-456789abcdef), "
      "1 (NVIDIA L4, GPU-1234abcd-90ab-cdef-0123-456789abcdef)";
  CHECK(failure("7", two) == "no GPU 7: " + there);
  CHECK(failure("2", two) == "no GPU 2: " + there);
  CHECK(failure("GPU-1234", two) == "more than one GPU is GPU-1234: " + there);
  for (const char* selector :
       {"", "-1", "0x1", "1 ", "99999999999999999999999", "GPU-9", "gpu", "MIG-1234", "12345678", "1c:00.0", "H200"}) {
    INFO(selector);
    CHECK(failure(selector, two) == "no GPU " + std::string(selector) + ": " + there);
  }
}

TEST_CASE("why there is no GPU", "[devices]") {
  DriverState state{.status = cudaErrorInsufficientDriver, .runtime_version = 13000};
  CHECK(no_gpu_reason(state) == "no NVIDIA driver is loaded (libcuda.so.1 not found)");

  state.driver_library_found = true;
  CHECK(no_gpu_reason(state) == "no NVIDIA driver is loaded (libcuda.so.1 is there but does not answer)");

  state.driver_version = 12020;
  CHECK(no_gpu_reason(state) ==
        "the NVIDIA driver supports CUDA 12.2, this program needs CUDA 13.0 or later: update the driver");

  state.status = cudaErrorNoDevice;
  CHECK(no_gpu_reason(state) == "the NVIDIA driver finds no GPU");
  state.visible_devices = "-1";
  CHECK(no_gpu_reason(state) == "no GPU is visible: CUDA_VISIBLE_DEVICES is \"-1\"");
}

TEST_CASE("why there is no GPU: every status gives one line", "[devices]") {
  for (const cudaError_t status :
       {cudaErrorInsufficientDriver, cudaErrorNoDevice, cudaErrorStubLibrary, cudaErrorSystemDriverMismatch,
        cudaErrorSystemNotReady, cudaErrorCompatNotSupportedOnDevice, cudaErrorOperatingSystem, cudaErrorUnknown,
        cudaErrorInitializationError, cudaErrorDevicesUnavailable}) {
    const std::string reason = no_gpu_reason({.status = status});
    INFO(reason);
    CHECK_FALSE(reason.empty());
    CHECK(reason.find('\n') == std::string::npos);
  }
}

}  // namespace gpumem::test_devices
