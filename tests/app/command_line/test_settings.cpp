#include <map>
#include <string>
#include <vector>

#include "app/command_line/settings.hpp"
#include "app/commands/commands.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_settings {

using gpumem::app::test::error_of;
using gpumem::app::test::fake_probes;
using gpumem::test::put;
using gpumem::test::TemporaryDirectory;

namespace {

auto variables(std::map<std::string, std::string> values) {
  return [values](const char* name) {
    const auto found = values.find(name);
    return found == values.end() ? std::string() : found->second;
  };
}

}  // namespace

TEST_CASE("Defaults are read from a file, and those of the environment count more") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "config.json";
  put(file, R"({"backend": "model", "gpu": "l40s", "ci_width": "2%"})");
  const Settings settings = read_settings(file, variables({{"GPUMEM_BACKEND", "auto"}}));
  REQUIRE(settings.gpu);
  CHECK(settings.gpu->text == "l40s");
  CHECK(settings.gpu->source == file.string());
  REQUIRE(settings.options.size() == 2);
  CHECK(settings.options[0].option == "ci-width");
  CHECK(settings.options[1].option == "backend");
  CHECK(settings.options[1].text == "auto");
  CHECK(settings.options[1].source == "GPUMEM_BACKEND");
  CHECK(read_settings(file, variables({{"GPUMEM_GPU", "h100"}})).gpu->text == "h100");
}

TEST_CASE("Without a file and variables there are no defaults") {
  const TemporaryDirectory folder;
  for (const std::filesystem::path& file : {std::filesystem::path(), folder.path() / "config.json"}) {
    const Settings settings = read_settings(file, variables({}));
    CHECK(settings.options.empty());
    CHECK_FALSE(settings.gpu);
  }
}

TEST_CASE("A file of defaults that cannot be used is named with what is wrong in it") {
  const TemporaryDirectory folder;
  const auto file = folder.path() / "config.json";
  const auto refusal = [&](const std::string& text) {
    put(file, text);
    return error_of([&] { static_cast<void>(read_settings(file, variables({}))); });
  };
  CHECK(refusal("{").starts_with(file.string()));
  CHECK(refusal(R"({"bakend": "model"})").find("'backend'") != std::string::npos);
  CHECK(refusal(R"({"backend": 1})").find("/backend") != std::string::npos);
}

TEST_CASE("command line: defaults of the user's count where the line says nothing") {
  const std::vector<Probe> registry = fake_probes();
  const KnownNames known{
      .probes = registry, .settings = [] {
        return Settings{.options = {{"backend", "model", "GPUMEM_BACKEND"}, {"ci-width", "2%", "config.json"}}};
      }};
  const auto parsed = [&](std::vector<std::string> arguments) {
    return std::any_cast<ProbeArguments>(parse_command_line(arguments, known).arguments);
  };
  CHECK(parsed({"probe"}).backend == BackendChoice::model);
  CHECK(parsed({"probe"}).effort.ci_width == 0.02);
  CHECK(parsed({"probe", "--backend", "auto", "--ci-width=1%"}).backend == BackendChoice::automatic);
  CHECK(parsed({"probe", "--backend", "auto", "--ci-width=1%"}).effort.ci_width == 0.01);
  // A command without these options has no use for them.
  CHECK(std::any_cast<DevicesArguments>(parse_command_line({"devices"}, known).arguments).json == false);

  const KnownNames wrong{.probes = registry, .settings = [] {
                           return Settings{.options = {{"backend", "gpu", "GPUMEM_BACKEND"}}};
                         }};
  try {
    static_cast<void>(parse_command_line({"probe"}, wrong));
    FAIL();
  } catch (const Error& error) {
    CHECK(std::string(error.what()).ends_with("; GPUMEM_BACKEND says 'gpu'"));
  }
}

}  // namespace gpumem::app::test_settings
