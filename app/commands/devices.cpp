#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <span>
#include <sstream>
#include <utility>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/output/terminal.hpp"
#include "engine/base/error.hpp"
#include "engine/base/quantity.hpp"
#include "engine/base/words.hpp"
#include "engine/model/find_profile.hpp"
#include "report/text/text.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

namespace {

std::string in_json(const std::vector<Device>& devices) {
  std::ostringstream text;
  report::write_devices_json(text, devices);
  return text.str();
}

std::string on_or_off(std::optional<bool> state) { return state ? (*state ? "on" : "off") : "unknown"; }

/// The GPU's connection to the host: "PCIe gen5 x16, 63.0 GB/s theoretical each way; 3 copy engines; NUMA node 0".
std::string host_side(const Device& device) {
  std::string text = "host link unknown";
  if (device.integrated) {
    text = "shares the host's memory";
  } else if (!device.link_is_pcie) {
    text = "host link NVLink-C2C";
  } else if (device.pcie_generation && device.pcie_width) {
    text = fmt::format("PCIe gen{} x{}", *device.pcie_generation, *device.pcie_width);
  }
  if (const auto link = device.link_bytes_per_s())
    text += fmt::format(", {:.1f} GB/s theoretical each way", *link * per_giga);
  if (device.copy_engines > 0) text += "; " + report::counted(device.copy_engines, "copy engine");
  if (device.numa_node) text += fmt::format("; NUMA node {}", *device.numa_node);
  return text;
}

/// Names the profile that predicts the GPU, "from profile 'h200', shipped", or says that there is none.
std::string predicting(const Device& device, const Environment& environment) {
  const model::Profile profile = model::profile_for(device, {.named = {}, .own = environment.own_profiles},
                                                    [&](const std::string& line) { say(environment.err, line); });
  if (profile.source == model::ProfileSource::attributes) {
    return "from its attributes: there is no profile of it, which gpumem calibrate makes";
  }
  return fmt::format("from profile '{}', {}", report::one_line(profile.name),
                     profile.source == model::ProfileSource::own ? "your own" : "shipped");
}

std::string in_words(const Device& device) {
  return fmt::format(
      "  compute capability {}, {} multiprocessors at up to {:.0f} MHz\n"
      "  {} of memory behind {} of L2: {} bits at {:.0f} MHz, {:.0f} GB/s theoretical\n"
      "  ECC {}, MIG {}\n"
      "  {}\n"
      "  driver {}, runtime {}\n"
      "  {}, PCI {}\n",
      device.compute_capability, device.multiprocessors, static_cast<double>(device.sm_clock_hz) / 1e6,
      size_text(device.memory_bytes), size_text(device.l2_bytes), device.memory_bus_bits,
      static_cast<double>(device.memory_clock_hz) / 1e6, device.theoretical_bandwidth_bytes_per_s() * per_giga,
      on_or_off(device.ecc), on_or_off(device.mig), host_side(device), device.driver_version.value_or("unknown"),
      device.runtime_version.value_or("unknown"), device.uuid.value_or("UUID unknown"),
      device.pci_bus_id.value_or("unknown"));
}

/// Visits the links of each GPU to every other one.
template <class Visit>
void for_each_link(std::span<const Device> devices, Visit visit) {
  for (std::size_t from = 0; from < devices.size(); ++from) {
    for (std::size_t to = 0; to < devices[from].links.size(); ++to) {
      if (to != from) visit(from, to, devices[from].links[to]);
    }
  }
}

std::string matrix(std::span<const Device> devices) {
  std::string text = fmt::format("{:<4}", "");
  for (std::size_t to = 0; to < devices.size(); ++to) text += fmt::format("{:>5}", to);
  text += "\n";
  for (std::size_t from = 0; from < devices.size(); ++from) {
    text += fmt::format("{:<4}", from);
    for (const PeerLink& link : devices[from].links) text += fmt::format("{:>5}", short_name(link));
    text += "\n";
  }
  return text;
}

std::string legend(std::span<const Device> devices) {
  std::set<std::pair<std::string, std::string>> meanings;
  for_each_link(devices, [&](std::size_t, std::size_t, const PeerLink& link) {
    const auto peak = link.theoretical_bytes_per_s();
    meanings.emplace(
        short_name(link),
        in_words(link) + (peak ? fmt::format(", {:.1f} GB/s theoretical each way", *peak * per_giga) : ""));
  });
  std::string text;
  for (const auto& [name, meaning] : meanings) text += fmt::format("  {:<5} {}\n", name, meaning);
  return text;
}

std::string links_down(std::span<const Device> devices) {
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    unsigned down = 0;
    for (const PeerLink& link : devices[i].links) down = std::max(down, link.nvlinks_down);
    if (down > 0) text += fmt::format("  GPU {} has {} down\n", i, report::counted(down, "NVLink"));
  }
  return text;
}

std::string refused(std::span<const Device> devices) {
  std::map<std::string, std::vector<std::string>> pairs;
  for_each_link(devices, [&](std::size_t from, std::size_t to, const PeerLink& link) {
    if (link.access == false) pairs[link.no_access].push_back(fmt::format("{} to {}", from, to));
  });
  std::string text;
  for (const auto& [cause, which] : pairs) {
    const bool all = which.size() == devices.size() * (devices.size() - 1);
    text += fmt::format("  no access to the other's memory, {}: {}\n",
                        all ? "whichever two" : fmt::format("{}", fmt::join(which, ", ")), cause);
  }
  return text;
}

/// The links between GPUs: a matrix with a row for each GPU and a column for each GPU that its links lead to, the
/// meaning of the short names, links that are down, and GPUs that cannot address each other's memory. Empty if there is
/// only one GPU, or if nothing is known of links.
std::string links_in_words(std::span<const Device> devices) {
  if (devices.size() < 2 || devices.front().links.empty()) return "";
  return "Links, from the GPU of the row to that of the column:\n" + matrix(devices) + legend(devices) +
         links_down(devices) + refused(devices);
}

}  // namespace

int run_devices_command(const DevicesArguments& arguments, const Environment& environment) {
  std::vector<Device> devices;
  try {
    devices = environment.gpus();
  } catch (const Error&) {
    if (arguments.json) write_result(environment.out, in_json({}));
    throw;
  }
  std::string text;
  for (std::size_t i = 0; i < devices.size(); ++i) {
    text += fmt::format("{}{}: {}\n{}  predicted {}\n", i > 0 ? "\n" : "", i, devices[i].name, in_words(devices[i]),
                        predicting(devices[i], environment));
  }
  if (const std::string links = links_in_words(devices); !links.empty()) text += "\n" + links;
  write_result(environment.out, arguments.json ? in_json(devices) : text);
  return 0;
}

MakeRequest devices_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<DevicesArguments>();
  options.add_switch("json", arguments->json,
                     "Print JSON with the names of a report's \"device\", e.g. to pick a GPU by its UUID");
  options.footer(
      "Examples:\n"
      "  gpumem devices          an index, UUID or PCI id of these goes with --device\n"
      "  gpumem devices --json");
  return [arguments] { return Request(*arguments, run_devices_command); };
}

}  // namespace gpumem::app
