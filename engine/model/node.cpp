#include "engine/model/node.hpp"

#include <algorithm>
#include <array>

namespace gpumem::model {

namespace {

constexpr unsigned most_gpus = 256;  // each with a link to each
constexpr unsigned most_nvlinks = 1024;

/// Returns the value of a figure. Its `how` has to be there, but is only for people who read the file.
JsonReader value_of(const JsonReader& figures, std::string_view name) {
  const JsonReader figure = figures.member(name);
  figure.allow_only({"value", "how"});
  static_cast<void>(figure.member("how").text());
  return figure.member("value");
}

/// The number of each GPU's group; absent for one in none.
using Groups = std::vector<std::optional<unsigned>>;

Groups parse_groups(const JsonReader& lists, std::size_t gpus) {
  Groups groups(gpus);
  unsigned number = 0;
  for (const JsonReader& list : lists.items()) {
    for (const JsonReader& item : list.items()) {
      auto& group = groups[item.whole(0, gpus - 1)];
      if (group) item.refuse("this GPU is in a group already");
      group = number;
    }
    ++number;
  }
  return groups;
}

struct Nvlink {
  Groups groups;
  PeerLink link;  ///< from a GPU to each other one of its group
};

Nvlink parse_nvlink(const JsonReader& json, std::size_t gpus) {
  json.allow_only({"groups", "links", "version", "bytes_per_s", "switch"});
  Nvlink nvlink;
  nvlink.groups = parse_groups(value_of(json, "groups"), gpus);
  nvlink.link.path = PeerLink::Path::nvlink;
  nvlink.link.nvlinks = static_cast<unsigned>(value_of(json, "links").whole(1, most_nvlinks));
  nvlink.link.nvlink_version = value_of(json, "version").small_whole(1);
  nvlink.link.bytes_per_nvlink_s = value_of(json, "bytes_per_s").number_from(1, 1e15);
  nvlink.link.nvswitch = value_of(json, "switch").boolean();
  return nvlink;
}

PeerLink::Path parse_pcie_path(const JsonReader& json) {
  using Path = PeerLink::Path;
  constexpr std::array paths = {Path::pcie_switch, Path::pcie_switches, Path::host_bridge, Path::numa_node};
  const auto found = std::ranges::find(paths, json.text(), [](Path path) { return to_string(path); });
  if (found == paths.end()) json.fail("pcie_switch, pcie_switches, host_bridge or numa_node");
  return *found;
}

bool same(const Groups& groups, std::size_t a, std::size_t b) { return groups[a] && groups[a] == groups[b]; }

}  // namespace

std::vector<Device> parse_node(const JsonReader& json, const Device& gpu) {
  json.allow_only({"gpus", "nvlink", "numa_nodes", "pcie_path"});
  std::vector<Device> gpus(value_of(json, "gpus").whole(1, most_gpus), gpu);
  const JsonReader numa_figure = value_of(json, "numa_nodes");
  const Groups numa_nodes = parse_groups(numa_figure, gpus.size());
  if (!std::ranges::all_of(numa_nodes, &std::optional<unsigned>::has_value)) numa_figure.fail("every GPU in a group");
  const PeerLink::Path near = parse_pcie_path(value_of(json, "pcie_path"));
  Nvlink nvlink = {.groups = Groups(gpus.size()), .link = {}};
  if (json.has("nvlink")) nvlink = parse_nvlink(json.member("nvlink"), gpus.size());

  for (std::size_t from = 0; from < gpus.size(); ++from) {
    gpus[from].numa_node = numa_nodes[from];
    gpus[from].links.resize(gpus.size());
    for (std::size_t to = 0; to < gpus.size(); ++to) {
      PeerLink& link = gpus[from].links[to];
      if (to == from) {
        link.path = PeerLink::Path::itself;
        continue;
      }
      if (same(nvlink.groups, from, to)) {
        link = nvlink.link;
      } else {
        link.path = same(numa_nodes, from, to) ? near : PeerLink::Path::system;
      }
      link.pcie_bytes_per_s = gpu.link_bytes_per_s();
      link.access = true;
    }
  }
  return gpus;
}

}  // namespace gpumem::model
