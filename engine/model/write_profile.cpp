#include <fmt/format.h>

#include <nlohmann/json.hpp>

#include "engine/model/profile.hpp"
#include "engine/model/rate_fields.hpp"

namespace gpumem::model {

namespace {

using Json = nlohmann::ordered_json;

Json to_json(const Device& device) {
  Json json = {{"name", device.name},
               {"compute_capability", device.compute_capability},
               {"multiprocessors", device.multiprocessors},
               {"l2_bytes", device.l2_bytes},
               {"memory_bytes", device.memory_bytes},
               {"memory_bus_bits", device.memory_bus_bits},
               {"memory_clock_hz", device.memory_clock_hz},
               {"sm_clock_hz", device.sm_clock_hz},
               {"shared_bytes_per_block", device.shared_bytes_per_block},
               {"shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor},
               {"threads_per_multiprocessor", device.threads_per_multiprocessor},
               {"copy_engines", device.copy_engines},
               {"integrated", device.integrated},
               {"maps_host_memory", device.maps_host_memory}};
  if (device.link_is_pcie && device.pcie_generation && device.pcie_width) {
    json["pcie"] = {{"generation", *device.pcie_generation}, {"width", *device.pcie_width}};
  }
  return json;
}

/// To four digits, which is more than any rate is known to.
double rounded(double value) { return std::stod(fmt::format("{:.4g}", value)); }

}  // namespace

std::string to_json(const Profile& profile) {
  // One line a rate: these files are read and edited by people.
  std::string text = fmt::format("{{\n  \"schema_version\": 1,\n  \"name\": {},\n", Json(profile.name).dump());
  std::string device = to_json(profile.device).dump(2);
  for (std::size_t at = 0; (at = device.find('\n', at)) != std::string::npos; at += 3) device.replace(at, 1, "\n  ");
  text += "  \"device\": " + device + ",\n  \"rates\": {";
  const char* separator = "\n";
  for (const RateField& field : rate_fields()) {
    if (!profile.how.contains(field.name)) continue;  // not known
    const Json rate = {{"value", rounded(profile.rates[field.id])}, {"how", profile.how.at(field.name)}};
    text += fmt::format("{}    {}: {}", separator, Json(field.name).dump(), rate.dump());
    separator = ",\n";
  }
  return text + "\n  }\n}\n";
}

}  // namespace gpumem::model
