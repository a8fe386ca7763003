#pragma once
// The members of a report's JSON that say what ran where: the tool, the host and its GPUs (see fields.hpp).

#include <optional>
#include <string>
#include <vector>

#include "report/record/field_kinds.hpp"
#include "report/record/readings.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

template <class Archive>
void fields(Archive& archive, Tool& tool) {
  std::string name = "gpumem";
  archive("name", name);
  archive.later("version", known(tool.version));
  archive.later("git_commit", known(tool.git_commit));
  archive.later("compiler", known(tool.compiler));
  archive.later("cuda_compiler", known(tool.cuda_compiler));
  archive.later("build_type", known(tool.build_type));
  if (Archive::reads && name != "gpumem") archive.refuse("name", "\"gpumem\"");
}

template <class Archive>
void fields(Archive& archive, Host& host) {
  archive.later("name", known(host.name));
  archive.later("os", known(host.os));
  archive.later("cpu", known(host.cpu));
  archive.later("memory_bytes", known(host.memory_bytes));
  archive.if_any("l3_bytes", host.l3_bytes);
}

template <class Archive>
void fields(Archive& archive, HostPlacement& placement) {
  archive.later("numa_node", placement.numa_node);
  archive("how", placement.how);
}

/// A link of a GPU, and the index of the GPU that it leads to.
struct NumberedLink {
  unsigned gpu = 0;
  PeerLink link = {};
};
/// The links of a device to other GPUs.
[[nodiscard]] std::vector<NumberedLink> links_to_others(const std::vector<PeerLink>& links);
/// All links of a device, with itself at the index that is left; nullopt unless there is one link to each other GPU.
[[nodiscard]] std::optional<std::vector<PeerLink>> links_by_gpu(const std::vector<NumberedLink>& others);

template <class Archive>
void fields(Archive& archive, NumberedLink& numbered) {
  PeerLink& link = numbered.link;
  archive("gpu", numbered.gpu);
  archive("path", link.path);
  // If the path is unknown, the NVLinks were not counted, and their number is null.
  const auto count = [&](const char* name, unsigned& nvlinks) {
    std::optional<unsigned> counted;
    if (link.path != PeerLink::Path::unknown) counted = nvlinks;
    archive(name, counted);
    nvlinks = counted ? *counted : 0;
  };
  count("nvlinks", link.nvlinks);
  count("nvlinks_down", link.nvlinks_down);
  archive("nvlink_version", link.nvlink_version);
  archive("nvswitch", link.nvswitch);
  archive("bytes_per_nvlink_s", known(link.bytes_per_nvlink_s));
  archive("pcie_bytes_per_s", link.pcie_bytes_per_s);
  const auto theoretical = link.theoretical_bytes_per_s();
  archive.derived("theoretical_gb_per_s", theoretical ? std::optional(*theoretical * per_giga) : std::nullopt);
  archive("peer_access", link.access);
  archive("no_access", known(link.no_access));
}

template <class Archive>
void fields(Archive& archive, Device& device) {
  archive("name", device.name);
  archive.later("uuid", device.uuid);
  archive.later("pci_bus_id", device.pci_bus_id);
  archive.if_any("index", device.index);
  archive.later("compute_capability", device.compute_capability);
  archive.later("multiprocessors", known(device.multiprocessors));
  archive.later("l2_bytes", known(device.l2_bytes));
  archive.later("memory_bytes", known(device.memory_bytes));
  archive.later("memory_bus_bits", known(device.memory_bus_bits));
  archive.later("memory_clock_hz", known(device.memory_clock_hz));
  archive.later("sm_clock_hz", known(device.sm_clock_hz));
  const double peak = device.theoretical_bandwidth_bytes_per_s() * per_giga;
  archive.derived("theoretical_bandwidth_gb_per_s", peak > 0 ? std::optional(peak) : std::nullopt);
  archive.later("ecc", device.ecc);
  archive.later("mig", device.mig);
  archive.later("pcie", [&](auto& pcie) {
    pcie.later("generation", device.pcie_generation);
    pcie.later("width", device.pcie_width);
    const auto link = device.link_bytes_per_s();
    std::optional<double> each_way = link ? std::optional(*link * per_giga) : std::nullopt;
    const bool computed = each_way.has_value();
    pcie.later("theoretical_gb_per_s", each_way);
    // If the rate is null although it could be computed, the link is not PCI Express.
    if (Archive::reads && pcie.has("theoretical_gb_per_s")) device.link_is_pcie = each_way || !computed;
  });
  archive.later("shared_bytes_per_block", known(device.shared_bytes_per_block));
  archive.later("shared_bytes_per_multiprocessor", known(device.shared_bytes_per_multiprocessor));
  archive.later("threads_per_multiprocessor", known(device.threads_per_multiprocessor));
  archive.later("copy_engines", known(device.copy_engines));
  archive.later("integrated", device.integrated);
  archive.later("maps_host_memory", device.maps_host_memory);
  archive.later("numa_node", device.numa_node);
  archive.later("driver_version", device.driver_version);
  archive.later("runtime_version", device.runtime_version);
  std::vector<NumberedLink> others = links_to_others(device.links);
  archive.if_any("links", others);
  if constexpr (Archive::reads) {
    if (!archive.has("links")) return;
    auto links = links_by_gpu(others);
    if (!links) archive.refuse("links", "one link to each other GPU");
    device.links = std::move(*links);
  }
}

}  // namespace gpumem::report
