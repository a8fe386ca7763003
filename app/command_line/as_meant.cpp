#include <algorithm>
#include <iterator>
#include <optional>

#include "app/command_line/interface.hpp"
#include "engine/base/words.hpp"

// CLI11 cannot read these itself. An option of it that takes several words takes the names of probes behind them too; a
// flag that sets another option stands in help, manual and completion; and the value of `-o=FILE` would be "=FILE".

namespace gpumem::app {

namespace {

using Words = std::vector<std::string>;

/// True if a word after the values of an axis can only be one more value. No probe's name begins with a digit.
bool is_further_value(const std::string& word, const std::string& values, const OptionEntry& axis,
                      std::span<const Probe> probes) {
  if (word.empty() || word.starts_with('-')) return false;
  if (values.ends_with(',') || is_digit(word.front())) return true;
  const std::string first = word.substr(0, word.find(','));
  return std::ranges::count(axis.choices.words, first) > 0 && std::ranges::count(probes, first, &Probe::name) == 0;
}

/// Returns the words to put in place of an option that the command does not have, without its value; nullopt if no
/// words mean the same.
std::optional<Words> instead_of(const std::string& option, bool with_value, const CommandEntry& command) {
  const OptionEntry* format = find_option(command.options, "--format");
  if (!with_value && format != nullptr && std::ranges::count(format->choices.words, option.substr(2)) > 0) {
    return Words{"--format", option.substr(2)};
  }
  const bool takes_suites = std::ranges::any_of(
      command.arguments, [](const OptionEntry& argument) { return argument.value.find("SUITE") != std::string::npos; });
  if (option == "--suite" && find_option(command.options, "--config") != nullptr) return Words{"--config"};
  if (option == "--suite" && takes_suites) return Words{};
  return std::nullopt;
}

}  // namespace

std::vector<std::string> as_meant(const std::vector<std::string>& arguments, const Interface& interface) {
  if (arguments.empty()) return arguments;
  const auto command = std::ranges::find(interface.commands, arguments.front(), &CommandEntry::name);
  if (command == interface.commands.end()) return arguments;
  Words meant = {arguments.front()};
  auto word = arguments.begin() + 1;
  for (; word != arguments.end() && *word != "--"; ++word) {
    const std::size_t equals = word->find('=');
    const bool with_value = equals != std::string::npos;
    const std::string name = word->substr(0, equals);
    // No axis takes all columns, and CSV does.
    const std::string value = with_value ? word->substr(equals + 1) : word + 1 == arguments.end() ? "" : *(word + 1);
    if (name == "--columns" && value == "all" && find_option(command->options, "--all-columns") != nullptr) {
      meant.emplace_back("--all-columns");
      if (!with_value) ++word;
      continue;
    }
    const OptionEntry* option = find_option(*command, name);
    const auto instead =
        option == nullptr && name.starts_with("--") ? instead_of(name, with_value, *command) : std::optional<Words>();
    if (instead) {
      meant.insert(meant.end(), instead->begin(), instead->end());
      if (with_value) meant.push_back(word->substr(equals + 1));
      continue;
    }
    const bool of_short_name = option != nullptr && with_value && !name.starts_with("--");
    meant.push_back(of_short_name ? option->names.front() + word->substr(equals) : *word);
    if (option == nullptr || !takes_next_word(*option)) continue;
    const auto next = [&] { return word + 1 == arguments.end() ? std::string() : *(word + 1); };
    if (!with_value && !next().empty() && !next().starts_with("--")) meant.push_back(*++word);
    if (option->group != axis_group) continue;
    while (is_further_value(next(), meant.back(), *option, interface.probes)) {
      meant.back() += (meant.back().ends_with(',') ? "" : ",") + *++word;
    }
  }
  std::copy(word, arguments.end(), std::back_inserter(meant));
  return meant;
}

}  // namespace gpumem::app
