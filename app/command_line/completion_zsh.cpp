#include <fmt/format.h>

#include <string_view>

#include "app/command_line/completion.hpp"

namespace gpumem::app {

namespace {

constexpr const char* opening = R"zsh(#compdef gpumem
# zsh completion of gpumem, printed by: gpumem completion zsh

# Words, or a file of $pattern.
_gpumem_words_or_files() {
  local result=1
  compadd "$@" && result=0
  _files -g $pattern && result=0
  return result
}
_gpumem_words_or_json() { local pattern='*.json'; _gpumem_words_or_files "$@" }
_gpumem_words_or_any() { local pattern='*'; _gpumem_words_or_files "$@" }

)zsh";

// Loaded from $fpath the file is the function; sourced, it has to be registered.
constexpr const char* closing = R"zsh(
if [[ ${funcstack[1]} == _gpumem ]]; then
  _gpumem "$@"
else
  compdef _gpumem gpumem
fi
)zsh";

std::string escaped(std::string_view text, std::string_view special) {
  std::string result;
  for (const char c : text) {
    if (special.find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

/// In single quotes, whatever it holds.
std::string in_quotes(std::string_view text) {
  std::string result = "'";
  for (const char c : text) result += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return result + "'";
}

std::string action(const Choices& choices) {
  std::string words;
  for (const std::string& word : choices.words) words += " " + escaped(word, "*?[]()<>|&;:\\ '\"$~#");
  if (choices.list) return "_sequence compadd -" + words;
  if (choices.files == Choices::Files::any) return words.empty() ? "_files" : "_gpumem_words_or_any" + words;
  if (choices.files == Choices::Files::json) {
    return words.empty() ? "_files -g \"*.json\"" : "_gpumem_words_or_json" + words;
  }
  return words.empty() ? " " : "(" + words.substr(1) + ")";
}

std::string value(const OptionEntry& option) {
  const char* colons = option.takes == OptionEntry::Takes::value ? ":" : "::";
  return fmt::format("{}{}:{}", colons, escaped(option.value, ":\\"), action(option.choices));
}

std::string option_specs(const OptionEntry& option) {
  std::string text;
  for (const std::string& name : option.names) {
    std::string spec = name;
    if (option.takes != OptionEntry::Takes::nothing) spec += name.starts_with("--") ? "=" : "+";
    if (option.takes == OptionEntry::Takes::attached_value) spec += "-";
    spec += fmt::format("[{}]", escaped(short_help(option.help), "[]:\\"));
    if (option.takes != OptionEntry::Takes::nothing) spec += value(option);
    // Another name of an option that was given is not offered again.
    std::string others;
    for (const std::string& other : option.names) others += (others.empty() ? "" : " ") + other;
    const bool several = option.names.size() > 1;
    const std::string once = option.repeatable ? "*" : several ? fmt::format("({})", others) : "";
    text += "        " + in_quotes(once + spec) + " \\\n";
  }
  return text;
}

std::string argument_spec(const ArgumentEntry& argument, std::size_t position) {
  const std::string name = escaped(argument.value, ":\\");
  const std::string place = argument.repeatable ? "*" : std::to_string(position);
  return "        " + in_quotes(fmt::format("{}:{}:{}", place, name, action(argument.choices))) + " \\\n";
}

std::string command_case(const CommandEntry& command) {
  std::string text = fmt::format("    {})\n      _arguments \\\n", command.name);
  for (const OptionEntry& option : command.options) text += option_specs(option);
  for (std::size_t i = 0; i < command.arguments.size(); ++i) text += argument_spec(command.arguments[i], i + 1);
  return text + "        && result=0\n      ;;\n";
}

}  // namespace

std::string zsh_completion(const Interface& interface) {
  std::string text = std::string(opening) +
                     "_gpumem() {\n  local curcontext=$curcontext state line result=1\n  typeset -A opt_args\n"
                     "  local -a commands=(\n";
  for (const CommandEntry& command : interface.commands) {
    text += "    " + in_quotes(command.name + ":" + escaped(command.purpose, ":\\")) + "\n";
  }
  text += "  )\n  _arguments -C \\\n";
  for (const OptionEntry& option : interface.program.options) text += option_specs(option);
  text +=
      "        '1:command:->command' \\\n        '*::argument:->argument' && result=0\n"
      "  if [[ $state == command ]]; then\n    _describe command commands && result=0\n    return result\n  fi\n"
      "  [[ $state == argument ]] || return result\n  curcontext=\"${curcontext%:*:*}:gpumem-$words[1]:\"\n"
      "  case $words[1] in\n";
  for (const CommandEntry& command : interface.commands) text += command_case(command);
  return text + "  esac\n  return result\n}\n" + closing;
}

}  // namespace gpumem::app
