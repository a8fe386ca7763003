#include "app/command_line/command_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/error.hpp"
#include "probes/suggest.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

std::size_t index_of(const std::string& option, const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw usage_error(fmt::format("--{}: '{}' is not one of {}{}", option, text, report::join(names, ", "),
                                  did_you_mean(text, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

std::vector<std::string> names_of(std::span<const report::NamedFormat> formats) {
  std::vector<std::string> names;
  for (const report::NamedFormat& one : formats) names.emplace_back(one.name);
  return names;
}

std::optional<report::Format> format_named(const std::string& name, std::span<const report::NamedFormat> formats) {
  if (name.empty()) return std::nullopt;
  return formats[index_of("format", name, names_of(formats))].format;
}

CLI::Option* add_switch(CLI::App& command, const std::string& flag, bool& target, const std::string& help) {
  return command.add_flag("--" + flag, target, help)->disable_flag_override();
}

std::string refuse_option_as_value(const std::string& text) {
  if (text.empty()) return "needs a value";
  return text.starts_with("--") ? fmt::format("needs a value before the option '{}'", text) : "";
}

}  // namespace gpumem::app
