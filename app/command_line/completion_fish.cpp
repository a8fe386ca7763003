#include <fmt/format.h>

#include <string_view>
#include <vector>

#include "app/command_line/completion.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

constexpr const char* opening = R"fish(# fish completion of gpumem, printed by: gpumem completion fish

# Whether argument $argv[2] of command $argv[1] comes next; without a number, whether it is that command's line at all.
function __gpumem_at
    set -l command ''
    set -l position 1
    set -l pending ''
    for word in (commandline -opc)[2..-1]
        if test -n "$pending"; and not string match -qr -- '^-.' $word
            set pending ''
        else if string match -qr -- '^-.' $word
            set pending ''
            __gpumem_takes "$command $word"; and set pending $word
        else if test -z "$command"
            set command $word
        else
            set position (math $position + 1)
        end
    end
    test "$command" = "$argv[1]"; or return 1
    set -q argv[2]; or return 0
    test $argv[2] = any -o "$argv[2]" = "$position"
end

# Whether the word under the cursor is an option (then one before it whose value may be left out was left alone), or
# the value of option $argv[1] behind an '='.
function __gpumem_dash
    if set -q argv[1]
        string match -q -- "$argv[1]=*" (commandline -ct)
    else
        string match -q -- '-*' (commandline -ct)
    end
end

# Items of a list with commas, those that are not in it yet.
function __gpumem_list
    set -l typed (string replace -r -- '^--[^=]*=' '' (commandline -ct))
    set -l earlier (string match -r -- '^.*,' $typed)
    for word in $argv
        contains -- $word (string split , -- "$earlier"); or printf '%s\n' "$earlier$word"
    end
end

)fish";

/// In single quotes, whatever it holds.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) {
    if (c == '\'' || c == '\\') result += '\\';
    result += c;
  }
  return result + "'";
}

std::string words_in_quotes(const std::vector<std::string>& words) {
  std::vector<std::string> all;
  for (const std::string& word : words) all.push_back(in_quotes(word));
  return report::join(all, " ");
}

/// The arguments of `complete` that say what a value may be; `separate`: it may be a word of its own.
std::string value(const Choices& choices, bool separate) {
  std::vector<std::string> offered = choices.words;
  if (choices.list) offered = {fmt::format("(__gpumem_list {})", words_in_quotes(choices.words))};
  const bool json = choices.files == Choices::Files::json;
  if (json) offered.emplace_back("(__fish_complete_suffix .json)");  // any file, but those first
  const bool any = choices.files == Choices::Files::any;
  std::string text = any ? " -F" : "";
  if (separate) text += any ? " -r" : " -x";
  if (json) text += " -k";
  if (!offered.empty()) text += " -a " + in_quotes(report::join(offered, " "));
  return text;
}

std::string names(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names) {
    text += name.starts_with("--") ? " -l " + name.substr(2) : " -s " + name.substr(1);
  }
  return text;
}

std::string option_lines(const CommandEntry& command, const OptionEntry& option) {
  const std::string place = fmt::format("__gpumem_at {}", in_quotes(command.name));
  const auto line = [&](const std::string& condition, const std::string& arguments) {
    return fmt::format("complete -c gpumem -n {}{}{} -d {}\n", in_quotes(condition), names(option), arguments,
                       in_quotes(short_help(option.help)));
  };
  switch (option.takes) {
    case OptionEntry::Takes::nothing:
      return line(place, "");
    case OptionEntry::Takes::value:
      return line(place, value(option.choices, true));
    case OptionEntry::Takes::attached_value:
      return line(place, value(option.choices, false));
    case OptionEntry::Takes::optional_value:
      break;
  }
  return line(place + "; and not __gpumem_dash", value(option.choices, true)) +
         line(place + "; and __gpumem_dash", "") +
         line(place + "; and __gpumem_dash " + option.names.front(), value(option.choices, false));
}

std::string argument_line(const CommandEntry& command, const ArgumentEntry& argument, std::size_t position) {
  if (argument.choices.words.empty() && argument.choices.files == Choices::Files::none) return "";
  const std::string where = argument.repeatable ? "any" : std::to_string(position);
  return fmt::format("complete -c gpumem -n {}{}\n",
                     in_quotes(fmt::format("__gpumem_at {} {}", in_quotes(command.name), where)),
                     value(argument.choices, false));
}

/// The options that take the next word for their value.
std::string takes_function(const Interface& interface) {
  std::vector<std::string> all;
  for (const CommandEntry& command : interface.commands) {
    for (const OptionEntry& option : command.options) {
      const bool separate =
          option.takes == OptionEntry::Takes::value || option.takes == OptionEntry::Takes::optional_value;
      for (const std::string& name : option.names) {
        if (separate) all.push_back(in_quotes(command.name + " " + name));
      }
    }
  }
  return "function __gpumem_takes\n    contains -- $argv[1] \\\n        " + report::join(all, " \\\n        ") +
         "\nend\n\n";
}

}  // namespace

std::string fish_completion(const Interface& interface) {
  std::string text = opening + takes_function(interface) + "complete -c gpumem -f\n";
  for (const CommandEntry& command : interface.commands) {
    text +=
        fmt::format("complete -c gpumem -n \"__gpumem_at ''\" -a {} -d {}\n", command.name, in_quotes(command.purpose));
  }
  for (const OptionEntry& option : interface.program.options) text += option_lines(interface.program, option);
  for (const CommandEntry& command : interface.commands) {
    for (std::size_t i = 0; i < command.arguments.size(); ++i) {
      text += argument_line(command, command.arguments[i], i + 1);
    }
    for (const OptionEntry& option : command.options) text += option_lines(command, option);
  }
  return text;
}

}  // namespace gpumem::app
