#include "engine/model/find_profile.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/json_reader.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/unpack.hpp"
#include "engine/base/user_folders.hpp"
#include "engine/model/profile_names.hpp"

namespace gpumem::model {

namespace {

namespace fs = std::filesystem;

std::string shipped_file(std::string_view name) { return fmt::format("configs/gpus/{}.json", name); }

Profile shipped_profile(const EmbeddedProfile& shipped) {
  Profile profile = parse_profile(shipped.json, shipped_file(shipped.name));
  profile.source = ProfileSource::shipped;
  return profile;
}

/// In the order of embedded_profiles().
std::vector<ProfileName> shipped_names() {
  std::vector<ProfileName> names;
  for (const EmbeddedProfile& shipped : embedded_profiles()) {
    const JsonText text(shipped.json, shipped_file(shipped.name));
    const JsonReader json = text.root();
    const bool node = json.has("node");
    names.push_back(
        {.name = std::string(shipped.name), .device = node ? "" : json.member("device").member("name").text()});
  }
  return names;
}

/// A file in the folder of own profiles, with the profile that it holds.
struct OwnProfile {
  fs::path file;
  std::optional<Profile> profile = {};
  std::string problem = {};  ///< without a profile: why there is none

  [[nodiscard]] ProfileName name() const {
    // An unreadable profile keeps its file name with the extension, so it cannot shadow a shipped one. Its GPU's name
    // still finds it.
    if (!profile) return {.name = file.filename().string(), .device = file.stem().string(), .own = true};
    return {.name = profile->name, .device = profile->gpus.empty() ? profile->device.name : "", .own = true};
  }
};

/// Returns the profiles in the order of their file names. Files that cannot be listed are left out.
std::vector<OwnProfile> own_profiles(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code failed;
  if (folder.empty()) return {};
  for (fs::directory_iterator entry(folder, failed), end; !failed && entry != end; entry.increment(failed)) {
    if (entry->path().extension() == ".json") files.push_back(entry->path());
  }
  std::ranges::sort(files);
  std::vector<OwnProfile> own;
  for (const fs::path& file : files) {
    own.push_back({.file = file});
    try {
      own.back().profile = parse_profile(read_input_file(file.string()), file.string());
      own.back().profile->source = ProfileSource::own;
    } catch (const Error& error) {
      own.back().problem = error.what();
    }
  }
  return own;
}

std::optional<Profile> own_profile_of(const Device& device, const fs::path& folder, const Tell& tell) {
  const fs::path usual = own_profile_file(folder, device);
  std::optional<Profile> found;
  for (OwnProfile& own : own_profiles(folder)) {
    if (!own.profile) {
      if (own.file == usual) tell("not predicting with your own profile of this GPU: " + own.problem);
    } else if (own.profile->gpus.empty() && same_gpu(own.profile->device.name, device.name)) {
      if (!found || own.file == usual) found = std::move(own.profile);
    }
  }
  return found;
}

}  // namespace

fs::path own_profiles_folder() {
  const fs::path folder = user_folder("XDG_CONFIG_HOME", ".config");
  return folder.empty() ? folder : folder / "gpus";
}

fs::path own_profile_file(const fs::path& folder, const Device& device) {
  return folder / (gpu_file_name(device.name) + ".json");
}

Profile find_profile(const std::string& name_or_path, const fs::path& own) {
  if (name_or_path == "-" || is_json_name(name_or_path) || name_or_path.find('/') != std::string::npos) {
    const std::string text = read_input_file(name_or_path);
    const std::string source = source_name(name_or_path);
    return read_document(text, source, "GPU profile", [&] { return parse_profile(text, source); });
  }
  std::vector<OwnProfile> owned = own_profiles(own);
  std::vector<ProfileName> names;
  for (const OwnProfile& profile : owned) names.push_back(profile.name());
  std::ranges::move(shipped_names(), std::back_inserter(names));
  const std::vector<std::size_t> fitting = fitting_profiles(name_or_path, names);
  if (fitting.empty()) throw usage_error(none_fits(name_or_path, names));
  if (fitting.size() > 1) throw usage_error(several_fit(name_or_path, names, fitting));
  const std::size_t place = fitting.front();
  if (place >= owned.size()) return shipped_profile(embedded_profiles()[place - owned.size()]);
  if (!owned[place].profile) throw usage_error(owned[place].problem);
  return *std::move(owned[place].profile);
}

Profile load_profile(const std::string& name_or_path) { return find_profile(name_or_path, {}); }

Profile profile_for(const Device& device, const ProfileChoice& choice, const Tell& tell) {
  if (choice.named) {
    const Profile profile = find_profile(*choice.named, choice.own);
    if (!choice.of_kind_only || is_of_kind(profile, device)) {
      if (!same_gpu(profile.device.name, device.name)) {
        tell(fmt::format("predicting with the profile of {}, measuring on {}", profile.device.name, device.name));
      }
      return adapted(profile, device);
    }
  }
  if (const auto own = own_profile_of(device, choice.own, tell)) return adapted(*own, device);
  const std::vector<ProfileName> names = shipped_names();
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (same_gpu(names[i].device, device.name)) return adapted(shipped_profile(embedded_profiles()[i]), device);
  }
  return profile_from_attributes(device);
}

Profile profile_of(const Device& device) { return profile_for(device, {}); }

bool is_of_kind(const Profile& profile, const Device& device) {
  const auto traits = [](const Device& of) {
    return std::tie(of.compute_capability, of.multiprocessors, of.l2_bytes, of.memory_bus_bits, of.memory_clock_hz);
  };
  return same_gpu(profile.device.name, device.name) || traits(profile.device) == traits(device);
}

Profile adapted(Profile profile, const Device& device) {
  if (profile.source == ProfileSource::attributes) return profile_from_attributes(device);
  if (same_gpu(profile.device.name, device.name)) {
    profile.device = device;
    profile.gpus.clear();
  }
  return profile;
}

std::vector<std::string> profile_names() {
  std::vector<std::string> names;
  for (const EmbeddedProfile& shipped : embedded_profiles()) names.emplace_back(shipped.name);
  return names;
}

}  // namespace gpumem::model
