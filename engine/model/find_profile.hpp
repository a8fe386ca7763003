#pragma once
// The profile that predicts for a GPU: this user's own, a shipped one, a file, or what the device says of itself.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/model/profile.hpp"

namespace gpumem::model {

/// Is told what a user should know, a line each.
using Tell = std::function<void(const std::string& line)>;

/// Where this user's own profiles are: $XDG_CONFIG_HOME/gpumem/gpus, or the same in ~/.config. Empty where neither is
/// known.
[[nodiscard]] std::filesystem::path own_profiles_folder();

/// The file in `folder` that is the own profile of such a device.
[[nodiscard]] std::filesystem::path own_profile_file(const std::filesystem::path& folder, const Device& device);

/// The profile that a text names, of those in the folder `own` (empty: none) and of the shipped ones
/// (profile_names.hpp), or, if it looks like a path (has a slash or ends in .json, .json.gz or .json.xz), of a file, or
/// of standard input ("-"). Throws a usage error for a name that fits none or several, and for an invalid file.
[[nodiscard]] Profile find_profile(const std::string& name_or_path, const std::filesystem::path& own);

/// Which profile predicts for the GPU at hand.
struct ProfileChoice {
  std::optional<std::string> named = {};  ///< a name or file, as find_profile() takes it; absent: by the GPU's name
  std::filesystem::path own = {};         ///< the folder of this user's own; empty: there is none
};

/// The chosen profile; without a choice this user's own of this kind of device, else the shipped one, else one guessed
/// from its attributes. Its attributes are the very device's (part of one under MIG, say) unless it is of another kind.
/// Tells of a profile of another kind, and of an own one that cannot be used. Throws as find_profile() does.
[[nodiscard]] Profile profile_for(
    const Device& device, const ProfileChoice& choice, const Tell& tell = [](const std::string&) {});

/// The profile now that this is known of the device: with its attributes if it is of the profile's kind, guessed anew
/// if the profile was guessed, and as it is otherwise.
[[nodiscard]] Profile adapted(Profile profile, const Device& device);

}  // namespace gpumem::model
