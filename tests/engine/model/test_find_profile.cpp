// The profile that predicts for a GPU: the chosen one, the user's own, the shipped one, or none.

#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"
#include "tests/catch.hpp"
#include "tests/environment.hpp"
#include "tests/files.hpp"

namespace gpumem::model::test_find_profile {

namespace {

using gpumem::test::put;

/// A folder of own profiles, in which every rate of launches is twice the H200's.
struct Folder {
  void add(const std::string& file, const std::string& name, const std::string& device) {
    Profile profile = load_profile("h200");
    profile.name = name;
    profile.device.name = device;
    profile.rates.launch.fixed_s *= 2;
    put(directory / file, to_json(profile));
  }
  [[nodiscard]] std::filesystem::path path() const { return directory.path(); }

  [[nodiscard]] Profile of(const std::string& device, const std::optional<std::string>& named = {}) {
    told.clear();
    return profile_for(device_called(device), {.named = named, .own = path()},
                       [&](const std::string& line) { told.push_back(line); });
  }

  [[nodiscard]] static Device device_called(const std::string& name) {
    Device device = load_profile("h200").device;
    device.name = name;
    device.multiprocessors = 16;
    return device;
  }

  [[nodiscard]] std::string error_of(const std::string& name) const {
    try {
      static_cast<void>(find_profile(name, path()));
    } catch (const Error& error) {
      return error.kind() == ErrorKind::usage ? error.what() : "an error of another kind";
    }
    return "nothing thrown";
  }

  gpumem::test::TemporaryDirectory directory;
  std::vector<std::string> told;
};

}  // namespace

TEST_CASE("the own profiles are in the folder of the user's settings", "[profile]") {
  const gpumem::test::EnvironmentVariable home("HOME", "/home/somebody");
  {
    const gpumem::test::EnvironmentVariable settings("XDG_CONFIG_HOME", "/settings");
    CHECK(own_profiles_folder() == "/settings/gpumem/gpus");
  }
  const gpumem::test::EnvironmentVariable settings("XDG_CONFIG_HOME", "relative");
  CHECK(own_profiles_folder() == "/home/somebody/.config/gpumem/gpus");
  const gpumem::test::EnvironmentVariable homeless("HOME", "");
  CHECK(own_profiles_folder().empty());
}

TEST_CASE("a GPU is predicted by the own profile of its name, else by the shipped one, else by its attributes",
          "[profile]") {
  Folder folder;
  CHECK(folder.of("NVIDIA H200").source == ProfileSource::shipped);
  CHECK(folder.of("H200").name == "h200");
  CHECK(folder.of("Some GPU").source == ProfileSource::attributes);

  folder.add("h200.json", "mine", "NVIDIA H200");
  folder.add("some-gpu.json", "theirs", "Some GPU");
  const Profile own = folder.of("NVIDIA H200");
  CHECK(own.name == "mine");
  CHECK(own.source == ProfileSource::own);
  CHECK(own.device.multiprocessors == 16);  // the very device's
  CHECK(own.rates.launch.fixed_s == Approx(2 * load_profile("h200").rates.launch.fixed_s).epsilon(1e-3));
  CHECK(folder.of("H200").name == "mine");
  CHECK(folder.of("Some GPU").name == "theirs");
  CHECK(folder.told.empty());
  CHECK(profile_of(Folder::device_called("NVIDIA H200")).name == "h200");  // nobody's own

  // If two profiles are of this GPU, the one that calibrate would write is taken.
  folder.add("a.json", "another", "NVIDIA H200");
  CHECK(folder.of("NVIDIA H200").name == "mine");
}

TEST_CASE("an own profile that cannot be used is told of, and does without", "[profile]") {
  Folder folder;
  put(folder.path() / "h200.json", "{");
  put(folder.path() / "rtx-9999.json", "[]");
  put(folder.path() / "notes.txt", "none");
  CHECK(folder.of("NVIDIA H200").source == ProfileSource::shipped);
  REQUIRE(folder.told.size() == 1);
  CHECK(folder.told[0].starts_with("not predicting with your own profile of this GPU: " +
                                   (folder.path() / "h200.json").string() + ": not valid JSON"));
  CHECK(folder.of("NVIDIA GeForce RTX 9999").source == ProfileSource::attributes);
  CHECK(folder.told.size() == 1);
  CHECK(folder.of("Some GPU").source == ProfileSource::attributes);
  CHECK(folder.told.empty());

  // Asked for, it is an error.
  CHECK(folder.error_of("NVIDIA H200").starts_with((folder.path() / "h200.json").string() + ": "));
  CHECK(folder.error_of("rtx 9999").starts_with((folder.path() / "rtx-9999.json").string() + ": "));
  CHECK(find_profile("h200", folder.path()).source == ProfileSource::shipped);
  CHECK(folder.error_of("h200.json").starts_with("cannot read 'h200.json': "));
}

TEST_CASE("own profiles are found by name, and named where none is", "[profile]") {
  Folder folder;
  folder.add("zz30.json", "NVIDIA ZZ30, calibrated", "NVIDIA ZZ30");
  folder.add("h200.json", "NVIDIA H200, calibrated", "NVIDIA H200");
  CHECK(find_profile("zz30", folder.path()).name == "NVIDIA ZZ30, calibrated");
  CHECK(find_profile("NVIDIA H200", folder.path()).source == ProfileSource::own);
  CHECK(find_profile("h200", folder.path()).source == ProfileSource::shipped);
  CHECK(folder.error_of("ZZ40").starts_with(
      "no GPU profile 'ZZ40': the nearest is 'NVIDIA ZZ30, calibrated' (NVIDIA ZZ30, your own); "));
  CHECK(folder.error_of("MI300X").starts_with(
      "no GPU profile 'MI300X': there are 'NVIDIA H200, calibrated', 'NVIDIA ZZ30, calibrated', "));

  folder.add("zz30-too.json", "another", "NVIDIA ZZ30");
  CHECK(folder.error_of("ZZ30") ==
        "'ZZ30' fits the profiles another (NVIDIA ZZ30, your own), 'NVIDIA ZZ30, calibrated' (NVIDIA ZZ30, your own); "
        "give the name of one");
}

TEST_CASE("a chosen profile keeps its device only where the GPU is of another kind", "[profile]") {
  Folder folder;
  CHECK(folder.of("NVIDIA H200", "h200").device.multiprocessors == 16);
  CHECK(folder.told.empty());
  const Profile other = folder.of("NVIDIA H200", "v100");
  CHECK(other.device.name == "Tesla V100-SXM2-16GB");
  CHECK(other.device.multiprocessors == 80);
  CHECK(folder.told ==
        std::vector<std::string>{"predicting with the profile of Tesla V100-SXM2-16GB, measuring on NVIDIA H200"});
  CHECK(folder.of("NVIDIA H200", "h200x8").gpus.empty());
}

}  // namespace gpumem::model::test_find_profile
