#include "app/command_line/interface.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <cctype>
#include <string_view>

#include "app/command_line/axes.hpp"
#include "engine/model/profile.hpp"

namespace gpumem::app {

namespace {

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
void add_kind(Choices& choices, const std::string& kind, const KnownNames& known) {
  if (kind == "PROBE") {
    for (const Probe& probe : known.probes) choices.add(probe.name);
  } else if (kind == "PROFILE") {
    for (const auto& profile : model::embedded_profiles()) choices.add(std::string(profile.name));
  } else if (kind == "SUITE") {
    for (const std::string& name : known.suites) choices.add(name);
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

OptionEntry entry_of(const CLI::Option& option, const KnownNames& known) {
  OptionEntry entry{.value = option.get_option_text(),
                    .help = option.get_description(),
                    .group = option.get_group(),
                    .takes = what_it_takes(option),
                    .repeatable = option.get_positional() && option.get_items_expected_max() > 1};
  for (const std::string& name : option.get_lnames()) entry.names.push_back("--" + name);
  for (const std::string& name : option.get_snames()) entry.names.push_back("-" + name);
  entry.choices = choices_of(entry.value, known);
  return entry;
}

CommandEntry entry_of(const CLI::App& command, const KnownNames& known) {
  CommandEntry entry{.name = command.get_parent() == nullptr ? "" : command.get_name(),
                     .purpose = command.get_description(),
                     .footer = command.get_footer()};
  for (const CLI::Option* option : command.get_options()) {
    if (option->get_positional()) entry.arguments.push_back(entry_of(*option, known));
  }
  for (const std::string& group : command.get_groups()) {
    if (group == axis_group) {
      entry.axes = axis_options(known.probes);
      continue;
    }
    for (const CLI::Option* option : command.get_options()) {
      if (option->nonpositional() && option->get_group() == group) entry.options.push_back(entry_of(*option, known));
    }
  }
  return entry;
}

}  // namespace

void Choices::add(const std::string& word) {
  if (std::ranges::find(words, word) == words.end()) words.push_back(word);
}

Interface describe_interface(const CLI::App& program, const KnownNames& known) {
  Interface interface { .program = entry_of(program, known), .commands = {}, .probes = known.probes };
  for (const CLI::App* command : program.get_subcommands([](const CLI::App*) { return true; })) {
    interface.commands.push_back(entry_of(*command, known));
  }
  for (CommandEntry& command : interface.commands) {
    for (OptionEntry& argument : command.arguments) {
      if (argument.value != help_topics) continue;
      for (const CommandEntry& other : interface.commands) argument.choices.add(other.name);
      for (const Probe& probe : known.probes) argument.choices.add(probe.name);
    }
  }
  return interface;
}

const OptionEntry* find_option(const std::vector<OptionEntry>& options, const std::string& name) {
  const auto has_name = [&](const OptionEntry& option) { return std::ranges::count(option.names, name) > 0; };
  const auto found = std::ranges::find_if(options, has_name);
  return found == options.end() ? nullptr : &*found;
}

const OptionEntry* find_option(const CommandEntry& command, const std::string& name) {
  const OptionEntry* axis = find_option(command.axes, name);
  return axis != nullptr ? axis : find_option(command.options, name);
}

bool takes_next_word(const OptionEntry& option) {
  return option.takes == OptionEntry::Takes::value || option.takes == OptionEntry::Takes::optional_value;
}

const OptionEntry* argument_behind_mark(const CommandEntry& command) {
  const auto found = std::ranges::find_if(
      command.arguments, [](const OptionEntry& argument) { return argument.value.starts_with(behind_mark); });
  return found == command.arguments.end() ? nullptr : &*found;
}

std::string arguments_in_usage(const std::vector<std::string>& arguments, const std::string& options) {
  std::string before;
  std::string behind;
  for (const std::string& argument : arguments) (argument.starts_with(behind_mark) ? behind : before) += " " + argument;
  return before + " [" + options + "]" + behind;
}

Choices choices_of(const std::string& value_name, const KnownNames& known) {
  Choices choices;
  for (const std::string& word : alternatives(value_name)) {
    if (stands_for_itself(word)) {
      choices.add(word);
    } else {
      add_kind(choices, word, known);
    }
  }
  return choices;
}

std::vector<const Probe*> probes_at_hand(std::span<const Probe> probes, std::span<const std::string> names,
                                         std::span<const std::string> flags) {
  std::vector<const Probe*> at_hand;
  for (const Probe& probe : probes) {
    const auto selected = [&](const std::string& flag) {
      return flag.starts_with("--") && probe.is_selected_by(std::string_view(flag).substr(2));
    };
    const bool named = std::ranges::find(names, probe.name) != names.end();
    if (names.empty() ? std::ranges::any_of(flags, selected) : named) at_hand.push_back(&probe);
  }
  return at_hand;
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
