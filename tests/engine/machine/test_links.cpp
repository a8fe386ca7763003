// The links between two GPUs, from NVML's and CUDA's answers on nodes of every kind. The answers are made up.

#include <string>
#include <vector>

#include "engine/machine/links.hpp"
#include "tests/catch.hpp"

namespace gpumem::measure::test_links {

namespace {

using Path = PeerLink::Path;
using Remote = Nvlink::Remote;
using Status = PeerFacts::Status;

constexpr double pcie5_x16 = 63e9;

std::string bus_id(unsigned gpu) { return "00000000:" + std::to_string(10 + gpu) + ":00.0"; }

GpuFacts gpu(unsigned index, const std::string& compute_capability) {
  return {.pci_bus_id = bus_id(index), .compute_capability = compute_capability, .pcie_bytes_per_s = pcie5_x16};
}

/// An H200 of a node with NVSwitches, which say in NVML where their links lead.
GpuFacts h200(unsigned index, unsigned down = 0) {
  GpuFacts facts = gpu(index, "9.0");
  for (unsigned i = 0; i < 18; ++i) {
    Nvlink link = {.up = i >= down};
    if (link.up) {
      link.remote = Remote::nvswitch;
      link.remote_pci_bus_id = "00000000:0" + std::to_string(1 + i % 4) + ":00.0";
    }
    facts.nvlinks.links.push_back(link);
  }
  facts.nvlinks.bytes_per_s = 26562e6;
  facts.fabric = Fabric::completed;
  return facts;
}

/// A V100 with a link to each of these GPUs, by index.
GpuFacts v100(unsigned index, const std::vector<unsigned>& neighbours) {
  GpuFacts facts = gpu(index, "7.0");
  for (const unsigned neighbour : neighbours) {
    facts.nvlinks.links.push_back({.up = true, .remote = Remote::gpu, .remote_pci_bus_id = bus_id(neighbour)});
  }
  facts.nvlinks.bytes_per_s = 25781e6;
  return facts;
}

PeerFacts pair(Path ancestor, Status nvlink = Status::ok) {
  return {.common_ancestor = ancestor, .read = Status::ok, .write = Status::ok, .nvlink = nvlink};
}

}  // namespace

TEST_CASE("links: eight GPUs behind NVSwitches are joined by all links, each two of them", "[links]") {
  for (unsigned from = 0; from < 8; ++from) {
    for (unsigned to = 0; to < 8; ++to) {
      if (from == to) continue;
      const PeerLink link = link_between(h200(from), h200(to), pair(Path::system), true);
      CHECK(link.path == Path::nvlink);
      CHECK(link.nvlinks == 18);
      CHECK(link.nvlink_version == 4U);
      CHECK(link.nvswitch);
      CHECK(link.theoretical_bytes_per_s() == 450e9);  // not the 478 of what NVML says, line coding included
      CHECK(link.access == true);
      CHECK(link.no_access.empty());
    }
  }
}

TEST_CASE("links: one that is down is missing both ways", "[links]") {
  const PeerLink away = link_between(h200(0, 1), h200(1), pair(Path::system), true);
  CHECK(away.nvlinks == 17);
  CHECK(away.theoretical_bytes_per_s() == 425e9);
  const PeerLink back = link_between(h200(1), h200(0, 1), pair(Path::system), true);
  CHECK(back.nvlinks == 17);
  // All of them: what is left is PCI Express.
  const PeerLink none = link_between(h200(0, 18), h200(1), pair(Path::numa_node), true);
  CHECK(none.path == Path::numa_node);
  CHECK(none.nvlinks == 0);
  CHECK_FALSE(none.nvswitch);
  CHECK(none.theoretical_bytes_per_s() == pcie5_x16);
}

TEST_CASE("links: those are down that lead to a switch on other GPUs of the kind", "[links]") {
  const std::vector<GpuFacts> node = {h200(0, 1), h200(1), h200(2, 18)};
  CHECK(nvlinks_down(node[0], node) == 1);
  CHECK(nvlinks_down(node[1], node) == 0);
  CHECK(nvlinks_down(node[2], node) == 18);
  // A board that leaves six of them open on every GPU, and another kind of GPU beside it.
  std::vector<GpuFacts> open = {h200(0, 6), h200(1, 6), h200(2)};
  open[2].name = "another";
  CHECK(nvlinks_down(open[0], open) == 0);
  CHECK(nvlinks_down(open[1], open) == 0);
}

TEST_CASE("links: those of a card are down only where NVML says what they led to", "[links]") {
  const auto card = [](unsigned index) {
    GpuFacts facts = gpu(index, "8.0");
    facts.nvlinks.links.resize(12);  // none is up
    return facts;
  };
  std::vector<GpuFacts> cards = {card(0), card(1), v100(2, {3, 3}), v100(3, {2, 2})};
  cards[2].nvlinks.links.resize(12);
  for (const GpuFacts& facts : cards) CHECK(nvlinks_down(facts, cards) == 0);
  cards[0].nvlinks.links[3].remote_pci_bus_id = bus_id(1);
  cards[0].nvlinks.links[4].remote_pci_bus_id = "00000000:00:00.0";  // nothing of this machine
  cards[0].nvlinks.links[5].remote = Remote::nvswitch;
  cards[0].nvlinks.links[6] = {.there = false, .remote = Remote::nvswitch};
  CHECK(nvlinks_down(cards[0], cards) == 2);
  CHECK(nvlinks_down(cards[1], cards) == 0);
}

TEST_CASE("links: straight ones lead to one neighbour, and to the others there is PCI Express", "[links]") {
  // Two islands of two, two links in each.
  const std::vector<GpuFacts> node = {v100(0, {1, 1}), v100(1, {0, 0}), v100(2, {3, 3}), v100(3, {2, 2})};
  const PeerLink near = link_between(node[0], node[1], pair(Path::pcie_switch), true);
  CHECK(near.path == Path::nvlink);
  CHECK(near.nvlinks == 2);
  CHECK(near.nvlink_version == 2U);
  CHECK_FALSE(near.nvswitch);
  CHECK(near.theoretical_bytes_per_s() == 50e9);
  const PeerLink far = link_between(node[1], node[2], pair(Path::system, Status::not_supported), true);
  CHECK(far.path == Path::system);
  CHECK(far.nvlinks == 0);
  CHECK_FALSE(far.nvlink_version);
  CHECK(far.theoretical_bytes_per_s() == pcie5_x16);
}

TEST_CASE("links: switches join those of one island", "[links]") {
  const PeerLink link = link_between(h200(0), h200(4), pair(Path::system, Status::not_supported), true);
  CHECK(link.path == Path::system);
  CHECK(link.nvlinks == 0);
}

TEST_CASE("links: where NVML does not say what is at their ends, it may say whether they reach", "[links]") {
  const auto unknown = [](unsigned index) {
    GpuFacts facts = h200(index);
    for (Nvlink& link : facts.nvlinks.links) link = {.up = link.up};
    return facts;
  };
  CHECK(link_between(unknown(0), unknown(1), pair(Path::system), true).nvlinks == 18);
  CHECK(link_between(unknown(0), unknown(1), pair(Path::system, Status::not_supported), true).nvlinks == 0);
  CHECK(link_between(unknown(0), unknown(1), {}, true).nvlinks == 0);
  // Links known to lead to switches count without that.
  CHECK(link_between(h200(0), h200(1), {}, true).nvlinks == 18);
  CHECK(link_between(h200(0), h200(1), pair(Path::system, Status::unknown), true).nvlinks == 18);
}

TEST_CASE("links: GPUs behind one PCI Express switch go at the pace of the narrower", "[links]") {
  GpuFacts narrow = gpu(1, "8.9");
  narrow.pcie_bytes_per_s = pcie5_x16 / 2;
  const PeerLink link = link_between(gpu(0, "8.9"), narrow, pair(Path::pcie_switch, Status::not_supported), true);
  CHECK(link.path == Path::pcie_switch);
  CHECK_FALSE(link.nvlink_bytes_per_s());
  CHECK(link.theoretical_bytes_per_s() == pcie5_x16 / 2);
  narrow.pcie_bytes_per_s.reset();
  CHECK_FALSE(link_between(gpu(0, "8.9"), narrow, pair(Path::pcie_switch), true).theoretical_bytes_per_s());
}

TEST_CASE("links: those of each generation are as fast as its data sheet says, or as slow as NVML does", "[links]") {
  struct Example {
    const char* compute_capability;
    double said;
    std::optional<unsigned> version;
    double expected;
  };
  for (const auto& [compute_capability, said, version, expected] :
       {Example{"6.0", 19531e6, 1, 20e9}, Example{"7.0", 25781e6, 2, 25e9}, Example{"8.0", 25781e6, 3, 25e9},
        Example{"8.6", 14062e6, 3, 14062e6}, Example{"9.0", 26562e6, 4, 25e9}, Example{"10.0", 53125e6, 5, 50e9},
        Example{"99.0", 100e9, {}, 100e9}}) {
    INFO(compute_capability);
    GpuFacts from = v100(0, {1});
    from.compute_capability = compute_capability;
    from.nvlinks.bytes_per_s = said;
    const PeerLink link = link_between(from, v100(1, {0}), pair(Path::system), true);
    CHECK(link.nvlink_version == version);
    CHECK(link.theoretical_bytes_per_s() == expected);
  }
  GpuFacts silent = v100(0, {1});
  silent.nvlinks.bytes_per_s.reset();
  CHECK(link_between(silent, v100(1, {0}), {}, true).theoretical_bytes_per_s() == 25e9);
  silent.compute_capability = "99.0";
  CHECK_FALSE(link_between(silent, v100(1, {0}), {}, true).theoretical_bytes_per_s());
}

TEST_CASE("links: why there is no access is said in words", "[links]") {
  const auto reason = [](PeerFacts facts, const GpuFacts& from = gpu(0, "9.0"), const GpuFacts& to = gpu(1, "9.0")) {
    const PeerLink link = link_between(from, to, facts, false);
    CHECK(link.access == false);
    return link.no_access;
  };
  const auto refused = [](Status read) { return PeerFacts{.read = read, .write = Status::ok}; };
  CHECK(reason(refused(Status::chipset_not_supported)) == "the host's chipset does not support it");
  CHECK(reason(refused(Status::gpu_not_supported)) == "the GPUs do not support it");
  CHECK(reason(refused(Status::topology_not_supported)) ==
        "their connection on the host does not support it (different I/O hubs)");
  CHECK(reason(refused(Status::disabled)) == "a setting of the driver disables it");
  CHECK(reason(refused(Status::not_supported)) == "it is not supported between these GPUs");
  CHECK(reason(refused(Status::unknown)) == "the driver does not say why");
  CHECK(reason(refused(Status::ok)) == "the driver does not say why");
  CHECK(reason({}) == "the driver does not say why");
  CHECK(reason({.read = Status::ok, .write = Status::disabled}) == "a setting of the driver disables it");

  GpuFacts waiting = h200(0);
  waiting.fabric = Fabric::in_progress;
  const std::string fabric = "NVLinks lead to NVSwitches that are not set up: check that nvidia-fabricmanager runs";
  CHECK(reason(refused(Status::not_supported), waiting, h200(1)) == fabric);
  waiting.fabric = Fabric::not_started;
  CHECK(reason(refused(Status::not_supported), h200(1), waiting) == fabric);
  GpuFacts part = h200(0);
  part.mig = true;
  CHECK(reason(refused(Status::not_supported), h200(1), part) == "a part of a GPU (MIG) reaches no other GPU's memory");
}

TEST_CASE("links: without NVML there is what CUDA says, and nothing else", "[links]") {
  const GpuFacts bare = {.pci_bus_id = bus_id(0), .compute_capability = "9.0"};
  const GpuFacts other = {.pci_bus_id = bus_id(1), .compute_capability = "9.0"};
  const PeerLink link = link_between(bare, other, {}, true);
  CHECK(link.path == Path::unknown);
  CHECK(link.nvlinks == 0);
  CHECK(link.access == true);
  CHECK_FALSE(link.theoretical_bytes_per_s());
  CHECK_FALSE(link_between(bare, other, {}, std::nullopt).access);
  CHECK(link_between(bare, other, {}, std::nullopt).no_access.empty());
}

TEST_CASE("links: no GPU is no error", "[links]") {
  std::vector<Device> none;
  add_links(none);
  CHECK(none.empty());
}

}  // namespace gpumem::measure::test_links
