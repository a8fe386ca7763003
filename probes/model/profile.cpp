#include "probes/model/profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <sstream>
#include <type_traits>

#include "probes/error.hpp"

namespace gpumem::model {

namespace {

using Json = nlohmann::json;

/// What is appended to a JSON pointer for a member: "/" and its name. Control characters are escaped as in JSON, so
/// that a message stays one line whatever a file calls its members.
std::string pointer_to(const std::string& key) {
  const std::string quoted = Json((Json::json_pointer() / key).to_string()).dump();
  return quoted.substr(1, quoted.size() - 2);
}

[[noreturn]] void fail_at(const std::string& source, const std::string& pointer, const std::string& expected) {
  throw usage_error(fmt::format("{}: {}: expected {}", source, pointer, expected));
}

[[noreturn]] void refuse_member(const std::string& source, const std::string& pointer) {
  throw usage_error(fmt::format("{}: {}: there is no such member; remove it, or mend its name", source, pointer));
}

/// Text as JSON, strictly: of a repeated member other parsers take the last and say nothing.
Json parse_json(std::string_view text, const std::string& source) {
  struct Level {
    std::string key;
    std::set<std::string> seen;
  };
  std::vector<Level> objects;  // around where the parser is, outermost first
  const auto pointer = [&] {
    std::string path;
    for (const Level& level : objects) path += pointer_to(level.key);
    return path.empty() ? "/" : path;
  };
  const auto follow = [&](int, Json::parse_event_t event, Json& parsed) {
    if (event == Json::parse_event_t::object_start) objects.emplace_back();
    if (event == Json::parse_event_t::object_end) objects.pop_back();
    if (event == Json::parse_event_t::key) {
      Level& level = objects.back();
      level.key = parsed.get<std::string>();
      if (!level.seen.insert(level.key).second) fail_at(source, pointer(), "this member only once");
    }
    return true;
  };
  try {
    return Json::parse(text, follow);
  } catch (const Json::parse_error& error) {
    // The byte counts from 1, and is one past the text when that ends too early.
    const std::string_view before = text.substr(0, std::min(error.byte, text.size() + 1) - 1);
    throw usage_error(fmt::format("{}: not valid JSON at line {}, column {}", source,
                                  std::ranges::count(before, '\n') + 1, before.size() - (before.rfind('\n') + 1) + 1));
  } catch (const Json::out_of_range&) {
    fail_at(source, pointer(), "a number that fits a double");
  }
}

/// Reads members of one JSON object, naming source and JSON pointer in every complaint.
class ObjectReader {
 public:
  ObjectReader(const Json& object, std::string pointer, std::string source)
      : object_(&object), pointer_(std::move(pointer)), source_(std::move(source)) {
    if (!object.is_object()) fail(pointer_.empty() ? "/" : pointer_, "an object");
  }

  [[nodiscard]] ObjectReader object(const std::string& key) const { return {member(key), at(key), source_}; }

  [[nodiscard]] std::string text(const std::string& key) const {
    const Json& value = member(key);
    if (!value.is_string()) fail(at(key), "a string");
    return value.get<std::string>();
  }

  [[nodiscard]] bool boolean(const std::string& key) const {
    const Json& value = member(key);
    if (!value.is_boolean()) fail(at(key), "true or false");
    return value.get<bool>();
  }

  /// A number greater than 0, so far from the ends of what a double holds that no sum or product gets there.
  [[nodiscard]] double positive(const std::string& key) const {
    constexpr double least = 1e-18;
    constexpr double most = 1e24;
    const Json& value = member(key);
    if (!value.is_number() || !(value.get<double>() >= least && value.get<double>() <= most)) {
      fail(at(key), "a number from 1e-18 to 1e24");
    }
    return value.get<double>();
  }

  /// A whole number, at least `least`, that fits the target.
  template <class Integer>
  void whole_number(const std::string& key, Integer& target, Integer least = 1) const {
    const Json& value = member(key);
    if (!value.is_number_unsigned() || value.get<std::uint64_t>() < least ||
        value.get<std::uint64_t>() > std::numeric_limits<Integer>::max()) {
      fail(at(key), fmt::format("a whole number from {} to {}", least, std::numeric_limits<Integer>::max()));
    }
    target = value.get<Integer>();
  }

  [[nodiscard]] bool has(const std::string& key) const { return object_->contains(key); }
  [[nodiscard]] const Json& json() const { return *object_; }

  void allow_only(std::initializer_list<std::string_view> keys) const {
    for (const auto& [key, value] : object_->items()) {
      if (std::ranges::find(keys, key) == keys.end()) refuse_member(source_, at(key));
    }
  }

  [[noreturn]] void fail(const std::string& pointer, const std::string& expected) const {
    fail_at(source_, pointer, expected);
  }

 private:
  [[nodiscard]] std::string at(const std::string& key) const { return pointer_ + pointer_to(key); }
  [[nodiscard]] const Json& member(const std::string& key) const {
    const auto found = object_->find(key);
    if (found == object_->end()) fail(at(key), "this member, which is missing");
    return *found;
  }

  const Json* object_;
  std::string pointer_;
  std::string source_;
};

Device parse_device(const ObjectReader& reader) {
  reader.allow_only({"name", "compute_capability", "multiprocessors", "l2_bytes", "memory_bytes", "memory_bus_bits",
                     "memory_clock_hz", "sm_clock_hz", "shared_bytes_per_block", "shared_bytes_per_multiprocessor",
                     "threads_per_multiprocessor", "copy_engines", "integrated", "maps_host_memory", "pcie"});
  Device device;
  device.name = reader.text("name");
  device.compute_capability = reader.text("compute_capability");
  reader.whole_number("multiprocessors", device.multiprocessors);
  reader.whole_number("l2_bytes", device.l2_bytes);
  reader.whole_number("memory_bytes", device.memory_bytes);
  reader.whole_number("memory_bus_bits", device.memory_bus_bits);
  reader.whole_number("memory_clock_hz", device.memory_clock_hz);
  reader.whole_number("sm_clock_hz", device.sm_clock_hz);
  reader.whole_number("shared_bytes_per_block", device.shared_bytes_per_block);
  reader.whole_number("shared_bytes_per_multiprocessor", device.shared_bytes_per_multiprocessor);
  reader.whole_number("threads_per_multiprocessor", device.threads_per_multiprocessor);
  device.copy_engines = 2;
  if (reader.has("copy_engines")) reader.whole_number("copy_engines", device.copy_engines, 0U);
  if (reader.has("integrated")) device.integrated = reader.boolean("integrated");
  if (reader.has("maps_host_memory")) device.maps_host_memory = reader.boolean("maps_host_memory");
  if (reader.has("pcie")) {
    const ObjectReader pcie = reader.object("pcie");
    pcie.allow_only({"generation", "width"});
    unsigned value = 0;
    pcie.whole_number("generation", value);
    device.pcie_generation = value;
    pcie.whole_number("width", value);
    device.pcie_width = value;
  }
  return device;
}

/// Parses what a file says. With `all_rates` it must say everything; otherwise optional rates stay 0, and without
/// `how`.
Profile parse(std::string_view json, const std::string& source, bool all_rates) {
  const Json document = parse_json(json, source);
  const ObjectReader root(document, "", source);
  root.allow_only({"schema_version", "name", "device", "rates"});
  unsigned version = 0;
  root.whole_number("schema_version", version);
  if (version != 1) root.fail("/schema_version", "1");
  Profile profile;
  profile.name = root.text("name");
  profile.device = parse_device(root.object("device"));

  const ObjectReader rates = root.object("rates");
  for (const RateField& field : rate_fields()) {
    if (field.optional && !all_rates && !rates.has(field.name)) continue;
    const ObjectReader rate = rates.object(field.name);
    rate.allow_only({"value", "how"});
    profile.rates.*field.value = rate.positive("value");
    profile.how[field.name] = rate.text("how");
  }
  for (const auto& [name, value] : rates.json().items()) {
    if (!profile.how.contains(name)) refuse_member(source, "/rates" + pointer_to(name));
  }
  return profile;
}

/// The profile all of whose rates were measured, which others fall back on.
Profile reference_profile() {
  const auto& shipped = *std::ranges::find(embedded_profiles(), "h200", &EmbeddedProfile::name);
  return parse(shipped.json, "configs/gpus/h200.json", true);
}

/// How many times the reference's rates a device's are, as far as it says.
struct Factors {
  double memory = 1;
  double chip = 1;
  std::optional<double> link;

  [[nodiscard]] double of(Scale scale) const {
    switch (scale) {
      case Scale::memory:
        return memory;
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
                                  : "the H200's; not measured";
  }
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

Profile parse_profile(std::string_view json, const std::string& source) {
  Profile profile = parse(json, source, false);
  if (profile.how.size() < rate_fields().size()) complete(profile);
  return profile;
}

Profile load_profile(const std::string& name_or_path) {
  for (const auto& [name, json] : embedded_profiles()) {
    if (name == name_or_path) return parse_profile(json, "configs/gpus/" + name_or_path + ".json");
  }
  if (!name_or_path.ends_with(".json") && name_or_path.find('/') == std::string::npos) {
    throw usage_error(fmt::format("no GPU profile '{}': there are {}, or give the path of a profile file", name_or_path,
                                  fmt::join(profile_names(), ", ")));
  }
  std::ifstream file(name_or_path);
  std::stringstream text;
  if (!(file && text << file.rdbuf())) {
    throw usage_error(fmt::format("cannot read the GPU profile '{}'; check the path given to --gpu", name_or_path));
  }
  return parse_profile(text.str(), name_or_path);
}

Profile profile_of(const Device& device) {
  for (const auto& embedded : embedded_profiles()) {
    Profile profile = load_profile(std::string(embedded.name));
    if (profile.device.name == device.name) {
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
