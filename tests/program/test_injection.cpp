// The places where the injected library is looked for.

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include "program/start/injection.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::program::test_injection {

using namespace gpumem::test;

namespace {

namespace fs = std::filesystem;

/// A machine of its own: what is installed is below `root`.
struct Machine {
  TemporaryDirectory directory;
  fs::path root = fs::canonical(directory.path());
  std::map<std::string, std::string> variables = {};

  void install(const std::string& file) const { put(root / file, "x"); }
  [[nodiscard]] Places places() const {
    return {.program = root / "usr/bin/gpumem",
            .variable = [this](const char* name) -> std::optional<std::string> {
              const auto found = variables.find(name);
              return found == variables.end() ? std::nullopt : std::optional(found->second);
            },
            .systems = {root / "usr/local", root / "opt"}};
  }
  /// Below the root; empty: nowhere.
  [[nodiscard]] std::string relative(const std::optional<fs::path>& path) const {
    return path ? fs::relative(fs::canonical(*path), root).string() : "";
  }
  [[nodiscard]] std::string library() const { return relative(injected_library(places())); }
  [[nodiscard]] std::string sanitizer(const std::string& command = "app") const {
    return relative(find_library(sanitizer_library(), places(), command).file);
  }
};

const std::string sanitizer_name = "libsanitizer-public.so";
const std::string in_toolkit = "compute-sanitizer/" + sanitizer_name;
const std::string in_python = "lib/python3.11/site-packages/nvidia/cu13/" + in_toolkit;

}  // namespace

TEST_CASE("injection: the injected library is beside the program or where it is installed") {
  const Machine machine;
  CHECK(machine.library().empty());
  for (const std::string place :
       {"usr/lib64/gpumem/", "usr/lib/x86_64-linux-gnu/gpumem/", "usr/lib/gpumem/", "usr/bin/"}) {
    machine.install(place + "libgpumem_inject.so");
    CHECK(machine.library() == place + "libgpumem_inject.so");  // before those of the places so far
  }
}

TEST_CASE("injection: the injected library is not taken from where others can write") {
  const Machine machine;
  machine.install("usr/lib/gpumem/libgpumem_inject.so");
  fs::permissions(machine.root / "usr/lib", fs::perms::others_write, fs::perm_options::add);
  CHECK(machine.library().empty());
}

TEST_CASE("injection: the sanitizer's library is found in toolkits, the newest first") {
  const Machine machine;
  CHECK(machine.sanitizer().empty());
  for (const std::string toolkit : {"opt/cuda/", "usr/local/cuda-9.2/", "usr/local/cuda-12.8/", "usr/local/cuda-13.0/",
                                    "usr/local/cuda-13.10/", "usr/local/cuda/"}) {
    machine.install(toolkit + in_toolkit);
    CHECK(machine.sanitizer() == toolkit + in_toolkit);
  }
}

TEST_CASE("injection: the environment says which sanitizer's library") {
  Machine machine;
  machine.install("usr/local/cuda/" + in_toolkit);
  machine.install("home/venv/" + in_python);
  machine.variables["VIRTUAL_ENV"] = machine.root / "home/venv";
  CHECK(machine.sanitizer() == "home/venv/" + in_python);
  machine.install("home/cuda/extras/Sanitizer/" + sanitizer_name);
  machine.variables["CUDA_HOME"] = machine.root / "home/cuda";
  CHECK(machine.sanitizer() == "home/cuda/extras/Sanitizer/" + sanitizer_name);
  machine.install("home/mine.so");
  machine.variables["GPUMEM_SANITIZER"] = machine.root / "home/mine.so";
  CHECK(machine.sanitizer() == "home/mine.so");
  machine.variables["GPUMEM_SANITIZER"] = machine.root / "home/missing.so";
  CHECK_THROWS_WITH(machine.sanitizer(),
                    "GPUMEM_SANITIZER: there is no file '" + (machine.root / "home/missing.so").string() + "'");
}

TEST_CASE("injection: the sanitizer's library is found in Python's packages") {
  Machine machine;
  machine.install("home/user/.local/" + in_python);
  machine.variables["HOME"] = machine.root / "home/user";
  CHECK(machine.sanitizer() == "home/user/.local/" + in_python);

  const std::string system = "usr/local/lib/python3.12/dist-packages/nvidia/cuda_sanitizer_api/" + in_toolkit;
  machine.install(system);
  CHECK(machine.sanitizer() == system);

  // A virtual environment's python3 is a link out of it.
  machine.install("usr/bin/python3.11");
  machine.install("venv/" + in_python);
  fs::create_directories(machine.root / "venv/bin");
  fs::create_symlink(machine.root / "usr/bin/python3.11", machine.root / "venv/bin/python3");
  machine.variables["PATH"] = (machine.root / "nowhere").string() + ":" + (machine.root / "venv/bin").string();
  CHECK(machine.sanitizer() == "venv/" + in_python);

  // The command's own before whatever is installed.
  machine.install("other/bin/python3");
  machine.install("other/" + in_python);
  machine.install("usr/local/cuda/" + in_toolkit);
  CHECK(machine.sanitizer() == "usr/local/cuda/" + in_toolkit);
  CHECK(machine.sanitizer(machine.root / "other/bin/python3") == "other/" + in_python);
  CHECK(machine.sanitizer("python3") == "venv/" + in_python);
}

TEST_CASE("injection: what is beside a command is taken only if that is a Python's") {
  const Machine machine;
  machine.install("home/x/app");
  machine.install("home/" + in_python);
  CHECK(machine.sanitizer(machine.root / "home/x/app").empty());  // home/lib belongs to nobody in particular
  machine.install("home/bin/torchrun");
  CHECK(machine.sanitizer(machine.root / "home/bin/torchrun").empty());
  machine.install("home/bin/python3");
  CHECK(machine.sanitizer(machine.root / "home/bin/torchrun") == "home/" + in_python);
  CHECK(machine.sanitizer(machine.root / "home/x/app").empty());
}

TEST_CASE("injection: nothing is taken from where others can write") {
  Machine machine;
  machine.install("home/venv/" + in_python);
  machine.variables["VIRTUAL_ENV"] = machine.root / "home/venv";
  const auto search = [&] { return find_library(sanitizer_library(), machine.places(), "app"); };
  CHECK(search().file);
  const fs::path library = machine.root / "home/venv" / in_python;
  for (const fs::path& writable : {library, library.parent_path(), machine.root / "home/venv", machine.root / "home"}) {
    CAPTURE(writable.string());
    fs::permissions(writable, fs::perms::others_write, fs::perm_options::add);
    CHECK_FALSE(search().file);
    CHECK(search().others == library);
    // In a folder as /tmp is, nobody can replace what is another's.
    fs::permissions(writable, fs::perms::sticky_bit, fs::perm_options::add);
    CHECK(search().file.has_value() == fs::is_directory(writable));
    fs::permissions(writable, fs::perms::others_write | fs::perms::sticky_bit, fs::perm_options::remove);
  }
  // The next place is taken instead.
  machine.install("usr/local/cuda/" + in_toolkit);
  fs::permissions(library, fs::perms::others_write, fs::perm_options::add);
  CHECK(machine.sanitizer() == "usr/local/cuda/" + in_toolkit);
  CHECK(search().others == library);
  // A link out of a folder of one's own leads there all the same.
  fs::remove(machine.root / "usr/local/cuda" / in_toolkit);
  fs::create_symlink(library, machine.root / "usr/local/cuda" / in_toolkit);
  CHECK_FALSE(search().file);
  // Whoever names a file has looked at it.
  machine.variables["GPUMEM_SANITIZER"] = library;
  CHECK(search().file == library);
}

TEST_CASE("injection: CUPTI is found in toolkits and in Python's packages") {
  Machine machine;
  const std::string name = cupti_library().file;
  const auto found = [&] { return machine.relative(find_library(cupti_library(), machine.places(), "app").file); };
  CHECK(found().empty());
  for (const std::string place : {"home/user/.local/lib/python3.12/site-packages/nvidia/cu13/lib/",
                                  "usr/local/cuda/lib64/", "usr/local/cuda/extras/CUPTI/lib64/"}) {
    machine.install(place + name);
    machine.variables["HOME"] = machine.root / "home/user";
    CHECK(found() == place + name);
  }
}

TEST_CASE("injection: the injected library is told what was asked for") {
  WatchOptions options;
  options.kernel = "a|b";
  options.launches = 3;
  options.max_overhead = 0.05;
  const auto told = injected_variables("/lib.so", std::nullopt, "/folder", options);
  const std::map<std::string, std::string> all(told.begin(), told.end());
  CHECK(all.at("CUDA_INJECTION64_PATH") == "/lib.so");
  CHECK(all.at("GPUMEM_RUN_FOLDER") == "/folder");
  CHECK(all.at("GPUMEM_RUN_SANITIZER").empty());  // set all the same: an outer gpumem's would be inherited
  CHECK(all.at("GPUMEM_RUN_ENGINE").empty());
  CHECK(all.at("GPUMEM_RUN_KERNEL") == "a|b");
  CHECK(all.at("GPUMEM_RUN_LAUNCHES") == "3");
  CHECK(all.at("GPUMEM_RUN_MAX_OVERHEAD") == "0.05");
}

TEST_CASE("injection: counters take their own library") {
  WatchOptions options;
  options.counters = true;
  options.replay = true;
  const auto told = injected_variables("/lib.so", "/libcupti.so", "/folder", options);
  const std::map<std::string, std::string> all(told.begin(), told.end());
  CHECK(all.at("GPUMEM_RUN_ENGINE") == "counters");
  CHECK(all.at("GPUMEM_RUN_CUPTI") == "/libcupti.so");
  CHECK(all.at("GPUMEM_RUN_SANITIZER").empty());
  CHECK(all.at("GPUMEM_RUN_REPLAY") == "1");
}

TEST_CASE("injection: a machine with a driver's file may have a GPU") {
  const Machine machine;
  Places places = machine.places();
  places.drivers = {machine.root / "dev/nvidiactl", machine.root / "dev/dxg"};
  CHECK_FALSE(has_driver(places));
  machine.install("dev/dxg");
  CHECK(has_driver(places));
}

}  // namespace gpumem::program::test_injection
