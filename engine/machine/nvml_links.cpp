// The part of Nvml that reads the links between GPUs.

#include <algorithm>
#include <array>
#include <cstdint>

#include "engine/machine/devices.hpp"
#include "engine/machine/nvml_library.hpp"

namespace gpumem::measure {

namespace {

// Constants of nvml.h, with its names and values.
// NOLINTBEGIN(readability-identifier-naming)
constexpr int NVML_FEATURE_ENABLED = 1;
constexpr unsigned NVML_NVLINK_MAX_LINKS = 18;
constexpr int NVML_NVLINK_CAP_VALID = 5;
constexpr int NVML_NVLINK_DEVICE_TYPE_GPU = 0;
constexpr int NVML_NVLINK_DEVICE_TYPE_IBMNPU = 1;
constexpr int NVML_NVLINK_DEVICE_TYPE_SWITCH = 2;
constexpr unsigned NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON = 90;
constexpr unsigned NVML_FI_DEV_NVLINK_LINK_COUNT = 91;
constexpr unsigned NVML_FI_DEV_NVLINK_GET_SPEED = 164;  // of the link that is the field's scope
constexpr int NVML_P2P_CAPS_INDEX_READ = 0;
constexpr int NVML_P2P_CAPS_INDEX_WRITE = 1;
constexpr int NVML_P2P_CAPS_INDEX_NVLINK = 2;
// NOLINTEND(readability-identifier-naming)

template <typename Device>
std::optional<std::uint64_t> field(const NvmlLibrary& nvml, Device gpu, unsigned id, unsigned scope = 0) {
  nvmlFieldValue_t field{};
  field.fieldId = id;
  field.scopeId = scope;
  if (nvml.field_values == nullptr || nvml.field_values(gpu, 1, &field) != NVML_SUCCESS) return std::nullopt;
  if (field.nvmlReturn != NVML_SUCCESS) return std::nullopt;  // of a GPU or driver without it
  return field.value;
}

Nvlink::Remote remote_of(int device_type) {
  switch (device_type) {
    case NVML_NVLINK_DEVICE_TYPE_GPU:
      return Nvlink::Remote::gpu;
    case NVML_NVLINK_DEVICE_TYPE_SWITCH:
      return Nvlink::Remote::nvswitch;
    case NVML_NVLINK_DEVICE_TYPE_IBMNPU:
      return Nvlink::Remote::other;
    default:
      return Nvlink::Remote::unknown;
  }
}

/// An enumerator of nvmlGpuTopologyLevel_t, which leave room for more between them.
PeerLink::Path path_of(int level) {
  using Path = PeerLink::Path;
  constexpr std::array paths = {Path::board,       Path::pcie_switch, Path::pcie_switches,
                                Path::host_bridge, Path::numa_node,   Path::system};
  const auto place = static_cast<std::size_t>(std::max(level, 0) / 10);
  return place < paths.size() ? paths[place] : Path::unknown;
}

}  // namespace

Nvlinks Nvml::nvlinks() const {
  Nvlinks all;
  const auto count = field(*library_, gpu_, NVML_FI_DEV_NVLINK_LINK_COUNT).value_or(NVML_NVLINK_MAX_LINKS);
  std::optional<std::uint64_t> megabytes_per_s = field(*library_, gpu_, NVML_FI_DEV_NVLINK_SPEED_MBPS_COMMON);
  for (unsigned i = 0; i < count; ++i) {
    const auto state = ask<int>(library_->nvlink_state, gpu_, i);
    if (!state) break;  // also where the GPU has fewer, or none
    Nvlink& link = all.links.emplace_back();
    link.up = *state == NVML_FEATURE_ENABLED;
    if (!link.up) link.there = ask<unsigned>(library_->nvlink_capability, gpu_, i, NVML_NVLINK_CAP_VALID) != 0U;
    if (const auto type = ask<int>(library_->nvlink_remote_type, gpu_, i)) link.remote = remote_of(*type);
    if (const auto pci = ask<nvmlPciInfo_t>(library_->nvlink_remote_pci, gpu_, i)) {
      link.remote_pci_bus_id = canonical_pci_bus_id(pci->busId);
    }
    if (!link.up) continue;
    if (megabytes_per_s.value_or(0) == 0) megabytes_per_s = field(*library_, gpu_, NVML_FI_DEV_NVLINK_GET_SPEED, i);
  }
  if (megabytes_per_s.value_or(0) > 0) all.bytes_per_s = static_cast<double>(*megabytes_per_s) * 1e6;
  return all;
}

std::optional<Fabric> Nvml::fabric() const {
  const auto info = ask<nvmlGpuFabricInfo_t>(library_->fabric_info, gpu_);
  if (!info || info->state > static_cast<unsigned char>(Fabric::completed)) return std::nullopt;
  return static_cast<Fabric>(info->state);
}

PeerFacts Nvml::peer(const Nvml& other) const {
  const auto status = [&](int index) -> std::optional<PeerFacts::Status> {
    const auto said = ask<int>(library_->p2p_status, gpu_, other.gpu_, index);
    if (!said) return std::nullopt;
    const auto last = static_cast<int>(PeerFacts::Status::unknown);
    return static_cast<PeerFacts::Status>(*said < 0 ? last : std::min(*said, last));
  };
  PeerFacts facts;
  if (const auto level = ask<int>(library_->common_ancestor, gpu_, other.gpu_)) facts.common_ancestor = path_of(*level);
  facts.read = status(NVML_P2P_CAPS_INDEX_READ);
  facts.write = status(NVML_P2P_CAPS_INDEX_WRITE);
  facts.nvlink = status(NVML_P2P_CAPS_INDEX_NVLINK);
  return facts;
}

}  // namespace gpumem::measure
