#pragma once
// Finds the profile that a user means by "RTX 4090", "a100" or a driver's name of a GPU. Upper and lower case are the
// same. Separators (space, hyphen, underscore) and the words NVIDIA, Tesla and GeForce are ignored.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::model {

/// The names by which a profile is found.
struct ProfileName {
  std::string name;    ///< of the profile: "a100-80gb"
  std::string device;  ///< of its GPU: "NVIDIA A100-SXM4-80GB"; empty for a node, which is found by its name alone
  bool own = false;    ///< this user made it: it goes before shipped ones that fit as well
};

/// The name in lower case, without separators and makers: "a100sxm480gb" for both "NVIDIA A100-SXM4-80GB" and
/// "A100-SXM4-80GB".
[[nodiscard]] std::string normalised_gpu(std::string_view name);

/// True if two device names mean the same kind of GPU.
[[nodiscard]] bool same_gpu(std::string_view device, std::string_view other);

/// The name of a file for this GPU, without its extension: "a100-sxm4-80gb".
[[nodiscard]] std::string gpu_file_name(std::string_view device);

/// The places in `names` of the profiles that `text` fits. Four rules are tried in this order, and the first that any
/// profile meets decides: exactly this name; this name but for case and separators; this device; whole words of the
/// name or device. A user's own profile goes before shipped ones of the same name or GPU: the GPU's name reaches the
/// user's own profile, and a shipped one's name the shipped one. Several profiles fit if the text says too little.
[[nodiscard]] std::vector<std::size_t> fitting_profiles(std::string_view text, std::span<const ProfileName> names);

/// One line that lists the profiles that fit and asks for the name of one.
[[nodiscard]] std::string several_fit(std::string_view text, std::span<const ProfileName> names,
                                      std::span<const std::size_t> fitting);

/// One line that says that there is no such profile, lists the nearest ones (of the same family, or of nearly the same
/// spelling; all profiles if there is none), and says how to make one.
[[nodiscard]] std::string none_fits(std::string_view text, std::span<const ProfileName> names);

}  // namespace gpumem::model
