#include "app/command_line/settings.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <system_error>
#include <utility>

#include "engine/base/json_reader.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/user_folders.hpp"

namespace gpumem::app {

namespace {

void set(Settings& settings, Setting setting) {
  if (setting.option == "gpu") {
    settings.gpu = std::move(setting);
    return;
  }
  std::erase_if(settings.options, [&](const Setting& other) { return other.option == setting.option; });
  settings.options.push_back(std::move(setting));
}

}  // namespace

Settings read_settings(const std::filesystem::path& file,
                       const std::function<std::string(const char* name)>& variable) {
  Settings settings;
  std::error_code failed;
  if (!file.empty() && std::filesystem::exists(file, failed)) {
    const std::string source = file.string();
    const JsonText text(read_input_file(source), source);
    const JsonReader json = text.root();
    json.allow_only({"backend", "gpu", "color", "ci_width", "time_budget", "numa"});
    for (const auto& [name, value] : json.members()) {
      std::string option = name;
      std::ranges::replace(option, '_', '-');
      set(settings, {.option = std::move(option), .text = value.text(), .source = source});
    }
  }
  constexpr std::array<std::pair<const char*, const char*>, 2> variables = {
      {{"backend", "GPUMEM_BACKEND"}, {"gpu", "GPUMEM_GPU"}}};
  for (const auto& [option, name] : variables) {
    if (std::string text = variable(name); !text.empty()) {
      set(settings, {.option = option, .text = std::move(text), .source = name});
    }
  }
  return settings;
}

Settings own_settings() {
  const std::filesystem::path folder = user_folder("XDG_CONFIG_HOME", ".config");
  return read_settings(folder.empty() ? folder : folder / "config.json", [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  });
}

}  // namespace gpumem::app
