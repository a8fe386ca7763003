#pragma once
// The profile that predicts for a GPU: this user's own, a shipped one, a file, or what the device says of itself.

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "engine/model/profile.hpp"

namespace gpumem::model {

/// Takes the messages that a user should read, one line a call.
using Tell = std::function<void(const std::string& line)>;

/// Returns the folder of this user's own profiles: $XDG_CONFIG_HOME/gpumem/gpus, or the same in ~/.config. Empty if
/// neither is known.
[[nodiscard]] std::filesystem::path own_profiles_folder();

/// Returns the file in `folder` for the user's own profile of such a device.
[[nodiscard]] std::filesystem::path own_profile_file(const std::filesystem::path& folder, const Device& device);

/// Returns the profile that a text names: one in the folder `own` (empty: none) or a shipped one (profile_names.hpp). A
/// text that looks like a path (has a slash or ends in .json or .json.gz) names a file, and "-" standard
/// input. Throws a usage error if a name fits none or several, or if a file is invalid.
[[nodiscard]] Profile find_profile(const std::string& name_or_path, const std::filesystem::path& own);

/// The user's choice of the profile that predicts for the GPU at hand.
struct ProfileChoice {
  std::optional<std::string> named = {};  ///< a name or file, as find_profile() takes it; absent: by the GPU's name
  std::filesystem::path own = {};         ///< the folder of this user's own; empty: there is none
  bool of_kind_only = false;              ///< the named one counts only for devices of its kind
};

/// Returns the chosen profile. Without a choice it is this user's own for this kind of device, else the shipped one,
/// else one guessed from the device's attributes. A profile of the device's kind gets the attributes of this very
/// device (part of one under MIG, say). Calls `tell` if the profile is of another kind, or an own one cannot be used.
/// Throws as find_profile() does.
[[nodiscard]] Profile profile_for(
    const Device& device, const ProfileChoice& choice, const Tell& tell = [](const std::string&) {});

/// Returns true if the profile is of this kind of GPU: it has its name, or the same multiprocessors, L2 and memory.
[[nodiscard]] bool is_of_kind(const Profile& profile, const Device& device);

/// Returns the profile adapted to this device: with the device's attributes if it is of the profile's kind, guessed
/// anew if the profile was guessed, and unchanged otherwise.
[[nodiscard]] Profile adapted(Profile profile, const Device& device);

}  // namespace gpumem::model
