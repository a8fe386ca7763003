#include <map>
#include <string>

#include "app/command_line/settings.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_settings {

using gpumem::app::test::error_of;
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

}  // namespace gpumem::app::test_settings
