#include "engine/machine/links.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>

namespace gpumem::measure {

namespace {

/// Returns the version of a GPU's NVLinks. NVML's own number is no help: drivers have returned two enumerations of
/// versions. 7 is 4.0 in one and 5.0 in the other.
std::optional<unsigned> nvlink_version(const std::string& compute_capability) {
  const std::string generation = compute_capability.substr(0, compute_capability.find('.'));
  if (generation == "6") return 1;
  if (generation == "7") return 2;
  if (generation == "8") return 3;
  if (generation == "9") return 4;
  if (generation == "10") return 5;
  return std::nullopt;
}

/// Returns the bandwidth of one NVLink, one way, in bytes/s. NVIDIA's data sheets give 160 GB/s both ways for the 4
/// links of a P100, 300 for 6 of a V100, 600 for 12 of an A100, 900 for 18 of an H100 and 1800 for 18 of a B200. NVML's
/// figure is up to 7 % more, because it counts line coding. It is less where the links are slower than usual for their
/// version, like the 14 GB/s of an RTX 3090.
double bytes_per_nvlink_s(std::optional<unsigned> version, std::optional<double> said) {
  constexpr double data_sheet[] = {20e9, 25e9, 25e9, 25e9, 50e9};
  if (!version) return said.value_or(0);
  const double usual = data_sheet[*version - 1];
  return said && *said < 0.9 * usual ? *said : usual;
}

unsigned straight(const GpuFacts& from, const GpuFacts& to) {
  return static_cast<unsigned>(std::ranges::count_if(from.nvlinks.links, [&](const Nvlink& link) {
    return link.up && link.remote_pci_bus_id && link.remote_pci_bus_id == to.pci_bus_id;
  }));
}

/// Returns how many NVLinks of the GPU lead to switches, and so to the other GPU. If NVML says that NVLinks reach that
/// GPU, links with an unknown other end count too. 0 if NVML says that they do not.
unsigned to_switches(const GpuFacts& gpu, std::optional<PeerFacts::Status> by_nvlink) {
  const PeerFacts::Status status = by_nvlink.value_or(PeerFacts::Status::unknown);
  const bool reached = status == PeerFacts::Status::ok;
  if (!reached && status != PeerFacts::Status::unknown) return 0;
  return static_cast<unsigned>(std::ranges::count_if(gpu.nvlinks.links, [&](const Nvlink& link) {
    return link.up && (link.remote == Nvlink::Remote::nvswitch || (reached && link.remote == Nvlink::Remote::unknown));
  }));
}

bool waits_for_fabric(const GpuFacts& gpu) {
  return gpu.fabric == Fabric::not_started || gpu.fabric == Fabric::in_progress;
}

std::string cause_of(PeerFacts::Status status) {
  constexpr const char* unsaid = "the driver does not say why";
  constexpr const char* causes[] = {unsaid,  // in the order of the enumerators
                                    "the host's chipset does not support it",
                                    "the GPUs do not support it",
                                    "their connection on the host does not support it (different I/O hubs)",
                                    "a setting of the driver disables it",
                                    "it is not supported between these GPUs",
                                    unsaid};
  return causes[static_cast<std::size_t>(status)];
}

std::string why_no_access(const GpuFacts& from, const GpuFacts& to, const PeerFacts& pair) {
  if (from.mig || to.mig) return "a part of a GPU (MIG) reaches no other GPU's memory";
  if (waits_for_fabric(from) || waits_for_fabric(to)) {
    return "NVLinks lead to NVSwitches that are not set up: check that nvidia-fabricmanager runs";
  }
  const PeerFacts::Status read = pair.read.value_or(PeerFacts::Status::unknown);
  return cause_of(read == PeerFacts::Status::ok ? pair.write.value_or(read) : read);
}

/// Idle links lower their generation, so that counts which they can have.
std::optional<double> pcie_bytes_per_s(const Device& device, const PcieLink& link) {
  Device busy = device;
  busy.pcie_generation = link.max_generation;
  busy.pcie_width = link.width;
  return busy.link_bytes_per_s();
}

GpuFacts facts_of(const Device& device, const std::optional<Nvml>& nvml) {
  GpuFacts facts = {.name = device.name,
                    .pci_bus_id = device.pci_bus_id,
                    .compute_capability = device.compute_capability,
                    .mig = device.uuid.value_or("").starts_with("MIG-")};
  if (!nvml) return facts;
  facts.nvlinks = nvml->nvlinks();
  facts.fabric = nvml->fabric();
  facts.pcie_bytes_per_s = pcie_bytes_per_s(device, nvml->pcie_link());
  return facts;
}

std::optional<bool> can_access(std::size_t from, std::size_t to) {
  int can = 0;
  if (cudaDeviceCanAccessPeer(&can, static_cast<int>(from), static_cast<int>(to)) == cudaSuccess) return can != 0;
  static_cast<void>(cudaGetLastError());
  return std::nullopt;
}

}  // namespace

unsigned nvlinks_down(const GpuFacts& gpu, std::span<const GpuFacts> machine) {
  const auto leads_to_switch = [](const Nvlink& link) { return link.remote == Nvlink::Remote::nvswitch; };
  const auto names_gpu = [&](const Nvlink& link) {
    return link.remote_pci_bus_id &&
           std::ranges::find(machine, link.remote_pci_bus_id, &GpuFacts::pci_bus_id) != machine.end();
  };
  unsigned down = 0;
  for (std::size_t i = 0; i < gpu.nvlinks.links.size(); ++i) {
    const Nvlink& link = gpu.nvlinks.links[i];
    if (link.up || !link.there) continue;
    const bool is_wired = std::ranges::any_of(machine, [&](const GpuFacts& other) {
      const auto& links = other.nvlinks.links;
      return other.name == gpu.name && i < links.size() && links[i].up && leads_to_switch(links[i]);
    });
    if (is_wired || leads_to_switch(link) || names_gpu(link)) ++down;
  }
  return down;
}

PeerLink link_between(const GpuFacts& from, const GpuFacts& to, const PeerFacts& pair, std::optional<bool> access) {
  PeerLink link;
  link.nvlinks = straight(from, to);
  if (link.nvlinks == 0) {
    link.nvlinks = std::min(to_switches(from, pair.nvlink), to_switches(to, pair.nvlink));
    link.nvswitch = link.nvlinks > 0;
  }
  if (link.nvlinks > 0) {
    link.path = PeerLink::Path::nvlink;
    link.nvlink_version = nvlink_version(from.compute_capability);
    link.bytes_per_nvlink_s = bytes_per_nvlink_s(link.nvlink_version, from.nvlinks.bytes_per_s);
  } else {
    link.path = pair.common_ancestor.value_or(PeerLink::Path::unknown);
  }
  if (from.pcie_bytes_per_s && to.pcie_bytes_per_s) {
    link.pcie_bytes_per_s = std::min(*from.pcie_bytes_per_s, *to.pcie_bytes_per_s);
  }
  link.access = access;
  if (access == false) link.no_access = why_no_access(from, to, pair);
  return link;
}

void add_links(std::vector<Device>& devices) {
  const auto library = load_nvml();
  std::vector<std::optional<Nvml>> nvml;
  std::vector<GpuFacts> facts;
  for (const Device& device : devices) {
    nvml.push_back(Nvml::find(library, device));
    facts.push_back(facts_of(device, nvml.back()));
  }
  for (std::size_t from = 0; from < devices.size(); ++from) {
    std::vector<PeerLink>& links = devices[from].links;
    links.assign(devices.size(), {.path = PeerLink::Path::itself});
    const unsigned down = nvlinks_down(facts[from], facts);
    for (std::size_t to = 0; to < devices.size(); ++to) {
      if (from == to) continue;
      const PeerFacts pair = nvml[from] && nvml[to] ? nvml[from]->peer(*nvml[to]) : PeerFacts{};
      links[to] = link_between(facts[from], facts[to], pair, can_access(from, to));
      links[to].nvlinks_down = down;
    }
  }
}

}  // namespace gpumem::measure
