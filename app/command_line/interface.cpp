#include "app/command_line/interface.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "engine/model/profile.hpp"

namespace gpumem::app {

namespace {

void add_word(std::vector<std::string>& words, const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

/// The alternatives of "cuda|model|auto", without what surrounds them in "[=require]", "PROBE..." and "-- COMMAND...".
std::vector<std::string> alternatives(std::string value_name) {
  if (value_name.starts_with(behind_mark)) value_name.erase(0, std::string_view(behind_mark).size());
  std::erase_if(value_name, [](char c) { return std::string_view("[]=.").find(c) != std::string_view::npos; });
  return CLI::detail::split(value_name, '|');
}

bool stands_for_itself(const std::string& word) {
  return !word.empty() && std::ranges::all_of(word, [](unsigned char c) { return std::islower(c) != 0 || c == '-'; });
}

/// Adds what a word in upper case stands for.
void add_kind(Choices& choices, const std::string& kind, const Known& known) {
  if (kind == "PROBE") {
    for (const Probe& probe : known.probes) add_word(choices.words, probe.name);
  } else if (kind == "PROFILE") {
    for (const auto& profile : model::embedded_profiles()) add_word(choices.words, std::string(profile.name));
  } else if (kind == "SUITE") {
    for (const std::string& name : known.suites) add_word(choices.words, name);
  } else if (kind == "FILE" && choices.files == Choices::Files::none) {  // "PROFILE|FILE" is one of JSON
    choices.files = Choices::Files::any;
  } else if (kind == "COMMAND") {
    choices.files = Choices::Files::programs;
  }
  const bool json = kind == "REPORT" || kind == "OLD" || kind == "NEW" || kind == "PROFILE" || kind == "SUITE";
  if (json) choices.files = Choices::Files::json;
}

OptionEntry::Takes what_it_takes(const CLI::Option& option) {
  const std::string& value = option.get_option_text();
  if (value.starts_with("[=")) return OptionEntry::Takes::attached_value;
  if (value.starts_with("[")) return OptionEntry::Takes::optional_value;
  return value.empty() ? OptionEntry::Takes::nothing : OptionEntry::Takes::value;
}

OptionEntry entry_of(const CLI::Option& option, const Known& known) {
  OptionEntry entry{.value = option.get_option_text(),
                    .help = option.get_description(),
                    .group = option.get_group(),
                    .takes = what_it_takes(option),
                    .repeatable = option.get_positional() && option.get_items_expected_max() > 1};
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  const bool axis = option.nonpositional() && option.get_group() == axis_group;
  entry.choices = axis ? axis_choices(option.get_lnames().front(), known.probes) : choices_of(entry.value, known);
  return entry;
}

CommandEntry entry_of(const CLI::App& command, const Known& known) {
  CommandEntry entry{.name = command.get_parent() == nullptr ? "" : command.get_name(),
                     .purpose = command.get_description(),
                     .footer = command.get_footer()};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) entry.arguments.push_back(entry_of(*option, known));
  }
  for (const std::string& group : command.get_groups()) {
    for (const CLI::Option* option : command.get_options()) {
      if (option->nonpositional() && option->get_group() == group) entry.options.push_back(entry_of(*option, known));
    }
  }
  return entry;
}

}  // namespace

Interface describe_interface(const CLI::App& program, const Known& known) {
  Interface interface;
  interface.program = entry_of(program, known);
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    interface.commands.push_back(entry_of(*command, known));
  }
  return interface;
}

std::string arguments_in_usage(const std::vector<std::string>& arguments, const std::string& options) {
  std::string before;
  std::string behind;
  for (const std::string& argument : arguments) (argument.starts_with(behind_mark) ? behind : before) += " " + argument;
  return before + " [" + options + "]" + behind;
}

Choices choices_of(const std::string& value_name, const Known& known) {
  Choices choices;
  for (const std::string& word : alternatives(value_name)) {
    if (stands_for_itself(word)) {
      add_word(choices.words, word);
    } else {
      add_kind(choices, word, known);
    }
  }
  return choices;
}

Choices axis_choices(const std::string& flag, const std::vector<Probe>& registry) {
  Choices choices{.words = {}, .files = Choices::Files::none, .list = true};
  bool takes_auto = false;
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) {
      if (axis.flag != flag) continue;
      for (const std::string& name : axis.names) add_word(choices.words, name);
      for (const std::uint64_t number : axis.numbers) add_word(choices.words, std::to_string(number));
      for (const std::uint64_t candidate : axis.candidates) add_word(choices.words, std::to_string(candidate));
      // A range by default is an example of how to write one.
      if (axis.takes_range() && axis.defaults.find(',') == std::string::npos) add_word(choices.words, axis.defaults);
      takes_auto = takes_auto || axis.takes_auto;
    }
  }
  if (takes_auto) add_word(choices.words, "auto");
  return choices;
}

std::string short_help(const std::string& help) {
  constexpr std::size_t shortest = 16;  // "With --from: ..." is not worth much without what follows
  std::size_t end = help.size();
  for (const char* stop : {"; ", ". ", ": ", " (", ", e.g.", ", such as"}) {
    end = std::min(end, help.find(stop, std::min(shortest, help.size())));
  }
  return help.substr(0, end);
}

}  // namespace gpumem::app
