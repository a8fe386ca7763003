#include "app/commands/links_in_words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// To every other GPU.
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

}  // namespace

std::string links_in_words(std::span<const Device> devices) {
  if (devices.size() < 2 || devices.front().links.empty()) return "";
  return "Links, from the GPU of the row to that of the column:\n" + matrix(devices) + legend(devices) +
         links_down(devices) + refused(devices);
}

}  // namespace gpumem::app
