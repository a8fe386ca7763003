#include <fmt/format.h>

#include <vector>

#include "app/command_line/completion.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

constexpr const char* opening = R"bash(# bash completion of gpumem, printed by: gpumem completion bash

)bash";

// The part that is the same whatever the options are.
constexpr const char* closing = R"bash(
# Adds what the value may be that has been typed as far as $1. $2 stands before it in the same word: '--op='.
_gpumem_offer() {
  local typed=$1 before=$2 earlier='' word
  if [[ $list ]]; then
    typed=${1##*,}
    earlier=${1%"$typed"}
  fi
  for word in "${words[@]}"; do
    [[ $word == "$typed"* && ",$earlier" != *",$word,"* ]] && offers+=("$before$earlier$word")
  done
  [[ $files ]] || return 0
  compopt -o filenames 2>/dev/null
  while IFS= read -r word; do
    offers+=("$before$word")
  done < <(compgen -f -X "!$files" -- "$typed"; [[ $files == '*' ]] || compgen -d -- "$typed")
}

_gpumem() {
  local line=('') glued='' word i
  # bash takes words apart at '=' and ':'; here they are whole.
  for ((i = 1; i <= COMP_CWORD; i++)); do
    word=${COMP_WORDS[i]}
    if [[ $glued || $word == [=:]* ]]; then
      line[-1]+=$word
    else
      line+=("$word")
    fi
    [[ $word == [=:] ]] && glued=1 || glued=''
  done
  local whole=${line[-1]} replaced=${COMP_WORDS[COMP_CWORD]}
  [[ $replaced == [=:] ]] && replaced=''

  local command='' position=1 pending='' takes words files list options offers=()
  for ((i = 1; i < ${#line[@]} - 1; i++)); do
    word=${line[i]}
    if [[ $pending && $word != -?* ]]; then
      pending=''
    elif [[ $word == -?* ]]; then
      pending=''
      _gpumem_values "$command" "$word"
      [[ $takes ]] && pending=$word
    elif [[ ! $command ]]; then
      command=$word
    else
      ((position++))
    fi
  done

  if [[ $whole == --*=* ]]; then
    _gpumem_values "$command" "${whole%%=*}"
    _gpumem_offer "${whole#*=}" "${whole%%=*}="
  elif [[ $pending && $whole != -?* ]]; then
    _gpumem_values "$command" "$pending"
    _gpumem_offer "$whole" ''
  elif [[ $whole == -* ]]; then
    _gpumem_options "$command"
    words=("${options[@]}") files='' list=''
    _gpumem_offer "$whole" ''
  else
    _gpumem_values "$command" "$position"
    _gpumem_offer "$whole" ''
  fi

  # Only the last piece of the word is replaced.
  local cut=$((${#whole} - ${#replaced}))
  COMPREPLY=()
  for word in "${offers[@]}"; do
    COMPREPLY+=("${word:cut}")
  done
}

complete -F _gpumem gpumem
)bash";

std::string quoted_words(const std::vector<std::string>& words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(report::shell_quoted(word));
  return join(quoted, " ");
}

std::string assignments(const Choices& choices) {
  std::string text;
  if (!choices.words.empty()) text += fmt::format(" words=({})", quoted_words(choices.words));
  if (choices.files == Choices::Files::any) text += " files='*'";
  if (choices.files == Choices::Files::json) text += " files='*.json'";
  if (choices.list) text += " list=1";
  return text;
}

std::string option_case(const CommandEntry& command, const OptionEntry& option) {
  if (option.takes == OptionEntry::Takes::nothing) return "";
  std::vector<std::string> patterns;
  for (const std::string& name : option.names) patterns.push_back(fmt::format("'{} {}'", command.name, name));
  const bool separate = option.takes != OptionEntry::Takes::attached_value;
  return fmt::format("    {}){}{} ;;\n", join(patterns, " | "), separate ? " takes=1" : "",
                     assignments(option.choices));
}

std::string argument_cases(const CommandEntry& command) {
  std::string text;
  for (std::size_t i = 0; i < command.arguments.size(); ++i) {
    const ArgumentEntry& argument = command.arguments[i];
    const std::string pattern =
        argument.repeatable ? fmt::format("'{} '[0-9]*", command.name) : fmt::format("'{} {}'", command.name, i + 1);
    text += fmt::format("    {}){} ;;\n", pattern, assignments(argument.choices));
  }
  return text;
}

std::string values_function(const Interface& interface) {
  std::string text =
      "# What may stand for a value: $1 is the command, $2 an option of it, or the position of an argument.\n"
      "_gpumem_values() {\n  takes='' words=() files='' list=''\n  case \"$1 $2\" in\n";
  std::vector<std::string> names;
  for (const CommandEntry& command : interface.commands) names.push_back(command.name);
  text += fmt::format("    ' 1') words=({}) ;;\n", quoted_words(names));
  for (const CommandEntry& command : interface.commands) {
    for (const OptionEntry& option : command.options) text += option_case(command, option);
    text += argument_cases(command);
  }
  return text + "  esac\n}\n";
}

std::string options_case(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.options) {
    names.insert(names.end(), option.names.begin(), option.names.end());
    if (option.takes != OptionEntry::Takes::attached_value) continue;
    for (const std::string& word : option.choices.words) names.push_back(option.names.front() + "=" + word);
  }
  return fmt::format("    '{}') options=({}) ;;\n", command.name, quoted_words(names));
}

std::string options_function(const Interface& interface) {
  std::string text = "_gpumem_options() {\n  options=()\n  case $1 in\n" + options_case(interface.program);
  for (const CommandEntry& command : interface.commands) text += options_case(command);
  return text + "  esac\n}\n";
}

}  // namespace

std::string bash_completion(const Interface& interface) {
  return opening + values_function(interface) + "\n" + options_function(interface) + closing;
}

}  // namespace gpumem::app
