// Asking NVML about links: a library that stands in for it says what the real one would of two GPUs.

#include <vector>

#include "engine/machine/links.hpp"
#include "tests/catch.hpp"

namespace gpumem::measure::test_nvml_links {

using Status = PeerFacts::Status;

TEST_CASE("NVML: links, where they lead and how fast they are", "[nvml]") {
  const auto library = load_nvml(GPUMEM_STAND_IN_NVML);
  REQUIRE(library != nullptr);
  const auto gpu = Nvml::find(library, "00000000:0A:00.0");
  REQUIRE(gpu);
  const Nvlinks nvlinks = gpu->nvlinks();
  REQUIRE(nvlinks.links.size() == 3);
  CHECK(nvlinks.bytes_per_s == 26562e6);
  CHECK(nvlinks.links[0].up);
  CHECK(nvlinks.links[0].remote == Nvlink::Remote::nvswitch);
  CHECK(nvlinks.links[0].remote_pci_bus_id == "00000000:C1:00.0");
  CHECK(nvlinks.links[1].up);
  CHECK(nvlinks.links[1].remote == Nvlink::Remote::gpu);
  CHECK(nvlinks.links[1].remote_pci_bus_id == "00000000:0B:00.0");
  CHECK_FALSE(nvlinks.links[2].up);
  CHECK_FALSE(nvlinks.links[2].remote_pci_bus_id);

  CHECK_FALSE(gpu->fabric());  // a function that the library lacks
  CHECK_FALSE(gpu->pcie_link().generation);
}

TEST_CASE("NVML: a GPU without NVLink has no links, which is no error", "[nvml]") {
  const auto gpu = Nvml::find(load_nvml(GPUMEM_STAND_IN_NVML), "00000000:0B:00.0");
  REQUIRE(gpu);
  CHECK(gpu->nvlinks().links.empty());
  CHECK_FALSE(gpu->nvlinks().bytes_per_s);
}

TEST_CASE("NVML: links that are not up, of a card without a bridge and of a board that has fewer", "[nvml]") {
  const auto library = load_nvml(GPUMEM_STAND_IN_NVML);
  const auto card = Nvml::find(library, "00000000:0C:00.0");
  const auto board = Nvml::find(library, "00000000:0D:00.0");
  REQUIRE((card && board));
  const Nvlinks of_card = card->nvlinks();
  REQUIRE(of_card.links.size() == 12);
  for (const Nvlink& link : of_card.links) {
    CHECK(link.there);
    CHECK_FALSE(link.up);
    CHECK(link.remote == Nvlink::Remote::unknown);
  }
  const Nvlinks of_board = board->nvlinks();
  REQUIRE(of_board.links.size() == 3);
  CHECK(of_board.links[0].up);
  CHECK_FALSE(of_board.links[1].up);
  CHECK(of_board.links[1].remote_pci_bus_id == "00000000:0A:00.0");  // which NVML still knows
  CHECK_FALSE(of_board.links[2].there);

  std::vector<GpuFacts> machine;
  for (const char* id : {"00000000:0A:00.0", "00000000:0B:00.0", "00000000:0C:00.0", "00000000:0D:00.0"}) {
    machine.push_back({.name = id, .pci_bus_id = id, .nvlinks = Nvml::find(library, id)->nvlinks()});
  }
  CHECK(nvlinks_down(machine[0], machine) == 0);  // its third link: open or broken, who knows
  CHECK(nvlinks_down(machine[1], machine) == 0);
  CHECK(nvlinks_down(machine[2], machine) == 0);
  CHECK(nvlinks_down(machine[3], machine) == 1);
}

TEST_CASE("NVML: what it says of two GPUs, and what it says that nobody knows", "[nvml]") {
  const auto library = load_nvml(GPUMEM_STAND_IN_NVML);
  const auto gpu = Nvml::find(library, "00000000:0A:00.0");
  const auto other = Nvml::find(library, "00000000:0B:00.0");
  REQUIRE((gpu && other));
  const PeerFacts facts = gpu->peer(*other);
  CHECK(facts.common_ancestor == PeerLink::Path::host_bridge);
  CHECK(facts.read == Status::ok);
  CHECK(facts.write == Status::disabled);
  CHECK(facts.nvlink == Status::unknown);
  CHECK(other->peer(*gpu).common_ancestor == PeerLink::Path::unknown);
}

}  // namespace gpumem::measure::test_nvml_links
