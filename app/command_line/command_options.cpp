#include "app/command_line/command_options.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// The text that CLI11 stores for a value that is left out: the default_str() of the option, or "true" if that is
/// empty. An empty text would not do either: a shell passes one for a variable that is not set, and such a value stays
/// an error.
constexpr const char* left_out = "(defaults)";

/// Returns the error of an option's value; empty if the value is fine.
std::string refuse_option_as_value(const std::string& text) {
  if (text.empty()) return "needs a value";
  return text.starts_with("--") ? fmt::format("needs a value before the option '{}'", text) : "";
}

std::string with_dashes(const std::string& flag) { return (flag.starts_with("-") ? "" : "--") + flag; }

/// CLI11 wants a name of letters for every argument.
std::string argument_name(const std::string& value_name) {
  std::string name = value_name;
  std::erase_if(name, [](unsigned char c) { return std::isalpha(c) == 0; });
  return name;
}

void require_value(CLI::Option& option, const std::string& value_name) {
  option.option_text(value_name)->allow_extra_args(false)->check(refuse_option_as_value);
}

}  // namespace

void CommandOptions::group(const std::string& heading) { command_.option_defaults()->group(heading); }

void CommandOptions::footer(const std::string& text) { command_.footer(text); }

void CommandOptions::add_argument(const std::string& value_name, std::optional<std::string>& target,
                                  const std::string& help) {
  std::string& text = texts_.emplace_back();
  CLI::Option* option = command_.add_option(argument_name(value_name), text, help)->option_text(value_name);
  readers_.emplace_back([&text, &target, option] {
    if (option->count() > 0) target = text;
  });
}

void CommandOptions::add_argument(const std::string& value_name, std::vector<std::string>& target,
                                  const std::string& help) {
  command_.add_option(argument_name(value_name), target, help)->option_text(value_name);
  if (value_name.starts_with(behind_mark)) others_command_ = &target;
}

void CommandOptions::add_switch(const std::string& flag, bool& target, const std::string& help) {
  command_.add_flag(with_dashes(flag), target, help)->disable_flag_override();
}

void CommandOptions::add_switch(const std::string& flag, std::function<void()> when_given, const std::string& help) {
  CLI::Option* option = command_.add_flag(with_dashes(flag), help)->disable_flag_override();
  readers_.emplace_back([option, when_given = std::move(when_given)] {
    if (option->count() > 0) when_given();
  });
}

void CommandOptions::add_value(const std::string& flag, const std::string& value_name, Reader read,
                               const std::string& help) {
  std::string& text = texts_.emplace_back();
  CLI::Option* option = nullptr;
  if (value_name.starts_with("[=")) {
    option = command_.add_flag(with_dashes(flag), text, help)->option_text(value_name);
  } else {
    option = command_.add_option(with_dashes(flag), text, help);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    require_value(*option, value_name);
  }
  readers_.emplace_back([&text, option, read = std::move(read)] {
    if (option->count() > 0) read(text);
  });
}

void CommandOptions::add_value(const std::string& flag, const std::string& value_name,
                               std::optional<std::string>& target, const std::string& help) {
  add_value(
      flag, value_name, [&target](const std::string& text) { target = text; }, help);
}

void CommandOptions::add_value(const std::string& flag, const std::string& value_name, std::vector<std::string>& target,
                               const std::string& help) {
  CLI::Option* option = command_.add_option(with_dashes(flag), target, help);
  require_value(*option, value_name);
  if (!value_name.starts_with('[')) return;
  option->default_str(left_out)->expected(0, 1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  readers_.emplace_back([&target, flag] {
    if (std::ranges::find(target, "") != target.end()) throw usage_error(with_dashes(flag) + " needs a value");
    std::ranges::replace(target, left_out, "");
  });
}

void CommandOptions::add_format(std::span<const report::NamedFormat> formats, std::optional<report::Format>& target,
                                const std::string& help) {
  std::vector<std::string> names;
  for (const report::NamedFormat& known : formats) names.emplace_back(known.name);
  const std::string words = report::join(names, "|");
  add_value(
      "format", words,
      [formats, words, &target](const std::string& text) {
        target = formats[position_of(text, words, "format")].format;
      },
      help);
}

Interface CommandOptions::describe_program(const KnownNames& known) const {
  return describe_interface(*command_.get_parent(), known);
}

void CommandOptions::read(const std::vector<std::string>& behind_the_mark) {
  if (others_command_ != nullptr) *others_command_ = behind_the_mark;
  for (const auto& reader : readers_) reader();
}

std::size_t CommandOptions::position_of(const std::string& text, const std::string& words, const std::string& flag) {
  const std::vector<std::string> names = CLI::detail::split(words, '|');
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw usage_error(
        fmt::format("--{}: '{}' is not one of {}{}", flag, text, report::join(names, ", "), did_you_mean(text, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

}  // namespace gpumem::app
