#include "engine/machine/peer_link.hpp"

#include <fmt/format.h>

#include <array>

namespace gpumem {

namespace {

struct PathWords {
  std::string_view short_name;
  std::string_view words;
};

// In the order of the enumerators. NVLinks are counted, and have words of their own.
constexpr std::array<PathWords, std::size(PeerLink::path_names)> paths = {
    {{"?", "unknown"},
     {"X", "the GPU itself"},
     {"NV", "NVLink"},
     {"PSB", "PCIe on one board"},
     {"PIX", "PCIe through one switch"},
     {"PXB", "PCIe through several switches"},
     {"PHB", "PCIe through the host's bridge"},
     {"NODE", "PCIe through several bridges of one NUMA node"},
     {"SYS", "PCIe and what joins the NUMA nodes"}}};

const PathWords& words_of(PeerLink::Path path) { return paths[static_cast<std::size_t>(path)]; }

}  // namespace

std::string in_words(const PeerLink& link) {
  if (link.nvlinks == 0) return std::string(words_of(link.path).words);
  return fmt::format("{} NVLink{}{}{}", link.nvlinks, link.nvlinks == 1 ? "" : "s",
                     link.nvlink_version ? fmt::format(" of version {}", *link.nvlink_version) : "",
                     link.nvswitch ? " through NVSwitch" : "");
}

std::string short_name(const PeerLink& link) {
  const std::string name(words_of(link.path).short_name);
  return link.nvlinks == 0 ? name : name + std::to_string(link.nvlinks);
}

}  // namespace gpumem
