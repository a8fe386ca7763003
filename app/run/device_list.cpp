#include "app/run/device_list.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "engine/machine/devices.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

std::vector<std::string> device_list(const std::string& text) {
  std::vector<std::string> parts = report::split(text, ',');
  if (std::ranges::find(parts, "") != parts.end()) {
    throw usage_error(
        fmt::format("--device: '{}' has an empty place in its list; give all, or a list such as 0,2", text));
  }
  if (parts.size() > 1 && std::ranges::find(parts, "all") != parts.end()) {
    throw usage_error(fmt::format("--device: 'all' stands alone, and not in '{}'", text));
  }
  return parts;
}

bool may_be_several(const std::string& text) { return text == "all" || text.find(',') != std::string::npos; }

std::vector<Device> devices_of(const std::string& text, std::span<const Device> gpus) {
  std::vector<std::size_t> indices;
  for (const std::string& part : device_list(text)) {
    if (part == "all") {
      for (std::size_t i = 0; i < gpus.size(); ++i) indices.push_back(i);
      continue;
    }
    const std::size_t index = measure::match_device(part, gpus);
    if (std::ranges::find(indices, index) != indices.end()) {
      throw usage_error(fmt::format("--device: '{}' names GPU {} twice", text, index));
    }
    indices.push_back(index);
  }
  std::vector<Device> devices;
  for (const std::size_t index : indices) {
    devices.push_back(gpus[index]);
    devices.back().index = static_cast<unsigned>(index);
  }
  return devices;
}

}  // namespace gpumem::app
