#include "engine/model/profile.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/json_reader.hpp"
#include "engine/base/suggest.hpp"
#include "engine/model/complete_profile.hpp"
#include "engine/model/node.hpp"
#include "engine/model/rate_fields.hpp"

namespace gpumem::model {

namespace {

Device parse_device(const JsonReader& json) {
  json.allow_only({"name", "compute_capability", "multiprocessors", "l2_bytes", "memory_bytes", "memory_bus_bits",
                   "memory_clock_hz", "sm_clock_hz", "shared_bytes_per_block", "shared_bytes_per_multiprocessor",
                   "threads_per_multiprocessor", "copy_engines", "integrated", "maps_host_memory", "pcie"});
  Device device;
  device.name = json.member("name").text();
  device.compute_capability = json.member("compute_capability").text();
  device.multiprocessors = json.member("multiprocessors").small_whole(1);
  device.l2_bytes = json.member("l2_bytes").whole(1);
  device.memory_bytes = json.member("memory_bytes").whole(1);
  device.memory_bus_bits = json.member("memory_bus_bits").small_whole(1);
  device.memory_clock_hz = json.member("memory_clock_hz").whole(1);
  device.sm_clock_hz = json.member("sm_clock_hz").whole(1);
  device.shared_bytes_per_block = json.member("shared_bytes_per_block").whole(1);
  device.shared_bytes_per_multiprocessor = json.member("shared_bytes_per_multiprocessor").whole(1);
  device.threads_per_multiprocessor = json.member("threads_per_multiprocessor").small_whole(1);
  device.copy_engines = json.has("copy_engines") ? json.member("copy_engines").small_whole() : 2;
  if (json.has("integrated")) device.integrated = json.member("integrated").boolean();
  if (json.has("maps_host_memory")) device.maps_host_memory = json.member("maps_host_memory").boolean();
  if (json.has("pcie")) {
    const JsonReader pcie = json.member("pcie");
    pcie.allow_only({"generation", "width"});
    device.pcie_generation = pcie.member("generation").small_whole(1);
    device.pcie_width = pcie.member("width").small_whole(1);
  }
  return device;
}

std::vector<std::string> rate_names() {
  std::vector<std::string> names;
  for (const RateField& field : rate_fields()) names.emplace_back(field.name);
  return names;
}

/// Parses the device and the rates. Rates that are left out stay 0, without `how`; with `all_rates` only measured_only
/// ones may be left out.
Profile parse_gpu(const JsonReader& json, bool all_rates) {
  Profile profile;
  profile.device = parse_device(json.member("device"));
  if (!all_rates && !json.has("rates")) return profile;
  const JsonReader rates = json.member("rates");
  rates.allow_only(rate_names());
  for (const RateField& field : rate_fields()) {
    if ((!all_rates || field.measured_only) && !rates.has(field.name)) continue;
    const JsonReader rate = rates.member(field.name);
    rate.allow_only({"value", "how"});
    profile.rates[field.id] = rate.member("value").number_from(field.range.least, field.range.most);
    profile.how[field.name] = rate.member("how").text();
  }
  return profile;
}

/// Returns the profile whose rates were all measured, which others fall back on.
Profile reference_profile() {
  const auto& shipped = *std::ranges::find(embedded_profiles(), "h200", &EmbeddedProfile::name);
  return parse_gpu(JsonText(shipped.json, "configs/gpus/h200.json").root(), true);
}

/// Takes the rates that a profile leaves out from the H200's.
void complete(Profile& profile) {
  profile.from_attributes = profile.how.empty();
  const auto left_out = [&](const RateField& field) {
    return !field.measured_only && !profile.how.contains(field.name);
  };
  if (std::ranges::any_of(rate_fields(), left_out)) complete(profile, reference_profile());
}

/// The shipped profile of a node's GPUs, by its name.
Profile named_gpu(const JsonReader& name) {
  std::vector<std::string> names;
  for (const EmbeddedProfile& shipped : embedded_profiles()) {
    if (JsonText(shipped.json, std::string(shipped.name)).root().has("node")) continue;
    if (shipped.name == name.text()) return load_profile(name.text());
    names.emplace_back(shipped.name);
  }
  name.refuse(fmt::format("no profile of a GPU has this name: there are {}{}", fmt::join(names, ", "),
                          did_you_mean(name.text(), names)));
}

}  // namespace

std::string_view to_string(ProfileSource source) {
  static constexpr std::string_view names[] = {"shipped", "own", "file", "attributes"};
  return names[static_cast<std::size_t>(source)];
}

Profile parse_profile(std::string_view text, const std::string& source) {
  static const std::vector<std::string> members = {"schema_version", "name", "device", "rates", "node"};
  static const std::vector<std::string> members_by_name = {"schema_version", "name", "gpu", "node"};
  const JsonText document(text, source);
  const JsonReader json = document.root();
  const bool by_name = json.has("gpu");
  json.allow_only(by_name ? members_by_name : members);
  if (const JsonReader version = json.member("schema_version"); version.whole() != 1) version.fail("1");
  const std::string name = json.member("name").text();
  Profile profile = by_name ? named_gpu(json.member("gpu")) : parse_gpu(json, false);
  profile.name = name;
  complete(profile);
  if (by_name || json.has("node")) {
    profile.gpus = parse_node(json.member("node"), profile.device);
    profile.device = profile.gpus.front();
  }
  return profile;
}

Profile scaled_from(const Profile& reference, const Device& device) {
  Profile profile;
  profile.name = reference.name + ", scaled";
  profile.device = device;
  complete(profile, reference);
  return profile;
}

Profile profile_from_attributes(const Device& device) {
  Profile profile = scaled_from(reference_profile(), device);
  profile.name = device.name;
  profile.source = ProfileSource::attributes;
  profile.from_attributes = true;
  return profile;
}

}  // namespace gpumem::model
