#include "engine/model/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/suggest.hpp"
#include "engine/model/node.hpp"

namespace gpumem::model {

namespace {

Device parse_device(const JsonReader& json) {
  static const std::vector<std::string> members = {"name",
                                                   "compute_capability",
                                                   "multiprocessors",
                                                   "l2_bytes",
                                                   "memory_bytes",
                                                   "memory_bus_bits",
                                                   "memory_clock_hz",
                                                   "sm_clock_hz",
                                                   "shared_bytes_per_block",
                                                   "shared_bytes_per_multiprocessor",
                                                   "threads_per_multiprocessor",
                                                   "copy_engines",
                                                   "integrated",
                                                   "maps_host_memory",
                                                   "pcie"};
  json.allow_only(members);
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
    static const std::vector<std::string> pcie_members = {"generation", "width"};
    pcie.allow_only(pcie_members);
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

/// The device and the rates. With `all_rates` it must say everything; otherwise optional rates stay 0, and without
/// `how`.
Profile parse_gpu(const JsonReader& json, bool all_rates) {
  static const std::vector<std::string> rate_members = {"value", "how"};
  Profile profile;
  profile.device = parse_device(json.member("device"));
  const JsonReader rates = json.member("rates");
  rates.allow_only(rate_names());
  for (const RateField& field : rate_fields()) {
    if (field.optional && !all_rates && !rates.has(field.name)) continue;
    const JsonReader rate = rates.member(field.name);
    rate.allow_only(rate_members);
    profile.rates.*field.value = rate.member("value").number_from(field.least, field.most);
    profile.how[field.name] = rate.member("how").text();
  }
  return profile;
}

/// The profile all of whose rates were measured, which others fall back on.
Profile reference_profile() {
  const auto& shipped = *std::ranges::find(embedded_profiles(), "h200", &EmbeddedProfile::name);
  return parse_gpu(JsonText(shipped.json, "configs/gpus/h200.json").root(), true);
}

/// How many times the reference's rates a device's are, as far as it says.
struct Factors {
  double memory = 1;
  double banks = 1;  ///< of memory, as many as its bus is wide
  double chip = 1;
  std::optional<double> link;

  [[nodiscard]] double of(Scale scale) const {
    switch (scale) {
      case Scale::memory:
        return memory;
      case Scale::banks:
        return banks;
      case Scale::chip:
        return chip;
      case Scale::link:
        return link.value_or(1);
      case Scale::nothing:
        break;
    }
    return 1;
  }
};

Factors factors_of(const Device& device, const Device& reference) {
  // Not every GPU tells its clocks (one that shares the host's memory may not), and no rate may be 0.
  const auto ratio = [](double own, double other, double unknown) { return own > 0 ? own / other : unknown; };
  Factors factors;
  factors.chip = ratio(device.shared_peak_bytes_per_s(), reference.shared_peak_bytes_per_s(), 1);
  factors.memory =
      ratio(device.theoretical_bandwidth_bytes_per_s(), reference.theoretical_bandwidth_bytes_per_s(), factors.chip);
  factors.banks = ratio(device.memory_bus_bits, reference.memory_bus_bits, factors.memory);
  const std::optional<double> own_link = device.link_bytes_per_s();
  const std::optional<double> other_link = reference.link_bytes_per_s();
  if (own_link && other_link) factors.link = *own_link / *other_link;
  return factors;
}

/// Takes the rates that a profile leaves out from the reference, and says so.
void complete(Profile& profile) {
  const Profile reference = reference_profile();
  const Factors factors = factors_of(profile.device, reference.device);
  for (const RateField& field : rate_fields()) {
    if (profile.how.contains(field.name)) continue;
    profile.rates.*field.value = reference.rates.*field.value * factors.of(field.scale);
    profile.how[field.name] = field.scale == Scale::link && factors.link
                                  ? "the H200's, scaled by the links' theoretical bandwidths; not measured"
                              : field.scale == Scale::banks
                                  ? "the H200's, scaled by the width of the memory's bus; not measured"
                              : field.scale == Scale::chip
                                  ? "the H200's, scaled by multiprocessors x clock; not measured"
                                  : "the H200's; not measured";
  }
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

/// Rates in the proportions measured on an H200, scaled by what the device says of itself. A guess, and marked as one.
Profile profile_from_attributes(const Device& device) {
  const Profile reference = reference_profile();
  const Factors factors = factors_of(device, reference.device);
  Profile profile;
  profile.name = device.name;
  profile.device = device;
  profile.from_attributes = true;
  for (const RateField& field : rate_fields()) {
    profile.rates.*field.value = reference.rates.*field.value * factors.of(field.scale);
  }
  return profile;
}

}  // namespace

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
  if (profile.how.size() < rate_fields().size()) complete(profile);
  if (by_name || json.has("node")) {
    profile.gpus = parse_node(json.member("node"), profile.device);
    profile.device = profile.gpus.front();
  }
  return profile;
}

Profile load_profile(const std::string& name_or_path) {
  for (const auto& [name, json] : embedded_profiles()) {
    if (name == name_or_path) return parse_profile(json, "configs/gpus/" + name_or_path + ".json");
  }
  if (!name_or_path.ends_with(".json") && name_or_path.find('/') == std::string::npos) {
    throw usage_error(fmt::format("no GPU profile '{}': there are {}, or give the path of a profile file{}",
                                  name_or_path, fmt::join(profile_names(), ", "),
                                  did_you_mean(name_or_path, profile_names())));
  }
  return parse_profile(read_input_file(name_or_path), name_or_path);
}

Profile profile_of(const Device& device) {
  for (const auto& embedded : embedded_profiles()) {
    Profile profile = load_profile(std::string(embedded.name));
    if (profile.gpus.empty() && profile.device.name == device.name) {
      // The rates are the kind's, the attributes the very device's (part of it under MIG, say).
      profile.device = device;
      return profile;
    }
  }
  return profile_from_attributes(device);
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const auto& profile : embedded_profiles()) names.emplace_back(profile.name);
  return names;
}

}  // namespace gpumem::model
