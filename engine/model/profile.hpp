#pragma once
// The model's knowledge of a GPU: its attributes and the rates of its stages, each with how it is known.

#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine/device.hpp"
#include "engine/model/rates.hpp"

namespace gpumem::model {

/// The source of a profile: one of configs/gpus, one that this user's `gpumem calibrate` left for the GPU, a file, or
/// only the attributes of the device.
enum class ProfileSource { shipped, own, file, attributes };

[[nodiscard]] std::string_view to_string(ProfileSource source);

struct Profile {
  std::string name;  ///< "h200", or the device's name when made from its attributes
  Device device;
  Rates rates;
  std::map<std::string, std::string> how;  ///< rate name -> how its value is known
  bool from_attributes = false;            ///< states no rate: guessed from the device's attributes
  ProfileSource source = ProfileSource::file;
  /// All GPUs of a node, with their links; the first is `device`. Empty if the profile is not of a node.
  std::vector<Device> gpus = {};
};

/// Parses a profile: of a GPU, or of a node, which may name the shipped profile of its GPUs instead of repeating it.
/// Rates that it leaves out are the H200's, scaled as rate_fields.hpp says; `how` says so. If they are measured_only,
/// they stay unknown. Copy engines left out are two, one each way. Throws a usage error that names the source, the JSON
/// pointer and what was expected.
[[nodiscard]] Profile parse_profile(std::string_view text, const std::string& source);

/// Rates in the proportions measured on an H200, scaled by what the device says of itself. A guess, and marked as one.
[[nodiscard]] Profile profile_from_attributes(const Device& device);

/// Returns all rates of another GPU, scaled by the rule for rates that a profile leaves out. If both GPUs were
/// measured, this shows how good the rule is.
[[nodiscard]] Profile scaled_from(const Profile& reference, const Device& device);

/// Returns the shipped profile that a text names (profile_names.hpp). A text that looks like a path names a file, as
/// for find_profile(). Throws a usage error for a name that fits none or several, and for an invalid file.
[[nodiscard]] Profile load_profile(const std::string& name_or_path);

/// Returns the shipped profile of this kind of device, never one of a node, else one guessed from its attributes.
[[nodiscard]] Profile profile_of(const Device& device);

/// Returns the names of the shipped profiles.
[[nodiscard]] std::vector<std::string> profile_names();

/// Returns the text of a profile file, which parse_profile() reads back; for a node, that of its GPU.
[[nodiscard]] std::string to_json(const Profile& profile);

/// The shipped profiles, generated at build time from configs/gpus.
struct EmbeddedProfile {
  std::string_view name;
  std::string_view json;
};
[[nodiscard]] std::span<const EmbeddedProfile> embedded_profiles();

}  // namespace gpumem::model
