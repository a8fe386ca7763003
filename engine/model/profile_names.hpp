#pragma once
// Which profile a user means by "RTX 4090", "a100" or a driver's name of a GPU. Letters in either case are the same,
// separators (space, hyphen, underscore) count for nothing, and neither do NVIDIA, Tesla and GeForce.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::model {

/// What a profile is found by.
struct ProfileName {
  std::string name;    ///< of the profile: "a100-80gb"
  std::string device;  ///< of its GPU: "NVIDIA A100-SXM4-80GB"; empty of a node, which is found by its name alone
  bool own = false;    ///< this user made it: it goes before shipped ones that fit as well
};

/// "NVIDIA A100-SXM4-80GB" and "A100-SXM4-80GB" both as "a100sxm480gb".
[[nodiscard]] std::string normalised_gpu(std::string_view name);

/// Whether two names of devices are of one kind of GPU.
[[nodiscard]] bool same_gpu(std::string_view device, std::string_view other);

/// What a file of this GPU's is called, without its ending: "a100-sxm4-80gb".
[[nodiscard]] std::string gpu_file_name(std::string_view device);

/// The places in `names` of those that `text` fits: those with exactly this name, else with this name but for case and
/// separators, else of this device, else with whole words of the name or device. A user's own profile of a GPU is thus
/// reached by the GPU's name, and a shipped one by its own. Several fit where the text says too little.
[[nodiscard]] std::vector<std::size_t> fitting_profiles(std::string_view text, std::span<const ProfileName> names);

/// One line: which profiles fit, and that one of them has to be named.
[[nodiscard]] std::string several_fit(std::string_view text, std::span<const ProfileName> names,
                                      std::span<const std::size_t> fitting);

/// One line: that there is no such profile, which ones of the same family or nearly the same spelling there are (all of
/// them where none is), and what makes one.
[[nodiscard]] std::string none_fits(std::string_view text, std::span<const ProfileName> names);

}  // namespace gpumem::model
