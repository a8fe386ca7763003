#include <algorithm>
#include <string_view>

#include "app/command_line/axes.hpp"
#include "app/command_line/interface.hpp"

namespace gpumem::app {

namespace {

constexpr const char* bash = R"bash(# bash completion of gpumem, printed by: gpumem completion bash

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
  local whole=${line[-1]} replaced=${COMP_WORDS[COMP_CWORD]} before='' pattern
  [[ $replaced == [=:] ]] && replaced=''
  [[ $whole == --*=* ]] && before=${whole%%=*}=

  # The program that is being typed, or else the one that this file was installed with.
  local program=${COMP_WORDS[0]/#\~/$HOME}
  type "$program" &>/dev/null || program=${BASH_SOURCE[0]%/share/*}/bin/gpumem

  local offers=() programs=''
  while IFS=$'\t' read -r word _; do
    case $word in
      :files) pattern='*' ;;
      :json) pattern='*.json' ;;
      :programs) programs=1 ;;
      *) offers+=("$word") ;;
    esac
  done < <("$program" --complete "${line[@]:1}" 2>/dev/null)
  if [[ $pattern ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      offers+=("$before$word")
    done < <(compgen -f -X "!$pattern" -- "${whole#"$before"}"; [[ $pattern == '*' ]] || compgen -d -- "${whole#"$before"}")
  fi

  if [[ $programs ]]; then
    compopt -o filenames 2>/dev/null
    while IFS= read -r word; do
      offers+=("$word")
    done < <(compgen -c -- "$whole"; compgen -d -- "$whole")
  fi

  # Only the last piece of the word is replaced.
  COMPREPLY=()
  for word in "${offers[@]}"; do
    COMPREPLY+=("${word:${#whole} - ${#replaced}}")
  done
}

complete -F _gpumem gpumem
)bash";

constexpr const char* zsh = R"zsh(#compdef gpumem
# zsh completion of gpumem, printed by: gpumem completion zsh

_gpumem() {
  local line files programs
  local -a found shown
  for line in ${(f)"$(${(Q)~words[1]} --complete "${(@Q)words[2,CURRENT]}" 2>/dev/null)"}; do
    case $line in
      :files) files='*' ;;
      :json) files='*.json' ;;
      :programs) programs=1 ;;
      *) found+=("${line%%$'\t'*}") shown+=("${line/$'\t'/  -- }") ;;
    esac
  done
  local result=1
  (( $#found )) && compadd -l -d shown -a found && result=0
  [[ -n $programs ]] && _command_names -e && result=0
  if [[ -n $files ]]; then
    compset -P '--*='
    _files -g $files && result=0
  fi
  return result
}

# Loaded from $fpath the file is the function; sourced, it has to be registered.
if [[ ${funcstack[1]} == _gpumem ]]; then
  _gpumem "$@"
else
  compdef _gpumem gpumem
fi
)zsh";

constexpr const char* fish = R"fish(# fish completion of gpumem, printed by: gpumem completion fish

function __gpumem_complete
    set -l line (commandline -opc) (commandline -ct)
    set -l before (string match -r -- '^--[^=]*=' $line[-1])
    set -l typed (string replace -r -- '^--[^=]*=' '' $line[-1])
    for answer in ($line[1] --complete $line[2..-1] 2>/dev/null)
        switch $answer
            case :files
                printf '%s\n' "$before"(__fish_complete_path $typed)
            case :json # any file, but those first
                printf '%s\n' "$before"(__fish_complete_suffix $typed .json)
            case :programs
                complete -C $typed
            case '*'
                printf '%s\n' $answer
        end
    end
end

complete -c gpumem -f -k -a '(__gpumem_complete)'
)fish";

bool is_option(std::string_view word) { return word.size() > 1 && word.starts_with('-'); }

/// The options of a command. Axes come first: those of the probes that the line is about, or of all probes if it is
/// about none yet.
std::vector<OptionEntry> options_of(const Interface& interface, const CommandEntry& command,
                                    std::span<const std::string> names, std::span<const std::string> flags) {
  std::vector<OptionEntry> options;
  if (!command.axes.empty()) {
    for (const Probe* probe : probes_at_hand(interface.probes, names, flags)) {
      for (const OptionEntry& axis : axis_options(*probe)) {
        if (find_option(options, axis.names.front()) == nullptr) options.push_back(axis);
      }
    }
    if (options.empty()) options = command.axes;
  }
  options.insert(options.end(), command.options.begin(), command.options.end());
  return options;
}

/// Collects the words that begin with what has been typed.
class Offers {
 public:
  explicit Offers(std::string_view typed) : typed_(typed) {}

  void add(const std::string& word, const std::string& meaning = "") {
    if (!word.starts_with(typed_)) return;
    text_ += word + (meaning.empty() ? "" : "\t" + meaning) + "\n";
  }

  /// Offers the choices of a value. `before` stands before the value in the same word: "--op=".
  void add(const Choices& choices, std::string before) {
    const std::string_view value = typed_.substr(before.size());
    const std::size_t comma = value.rfind(',');
    std::string earlier;  // items of a list, which are not offered again
    if (choices.list && comma != std::string_view::npos) earlier = value.substr(0, comma + 1);
    before += earlier;
    for (const std::string& word : choices.words) {
      if (("," + earlier).find("," + word + ",") == std::string::npos) add(before + word);
    }
    if (choices.files == Choices::Files::any) text_ += ":files\n";
    if (choices.files == Choices::Files::json) text_ += ":json\n";
    if (choices.files == Choices::Files::programs) text_ += ":programs\n";
  }

  void add(const std::vector<OptionEntry>& options) {
    for (const OptionEntry& option : options) {
      for (const std::string& name : option.names) add(name, short_help(option.help));
      if (option.takes != OptionEntry::Takes::attached_value) continue;
      for (const std::string& word : option.choices.words) add(option.names.front() + "=" + word);
    }
  }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  std::string_view typed_;
  std::string text_;
};

}  // namespace

std::string completions(const Interface& interface, std::span<const std::string> words) {
  const std::string typed = words.empty() ? "" : words.back();
  const CommandEntry* command = &interface.program;
  std::string pending;  // an option that takes the next word, unless that is an option too
  std::vector<std::string> arguments;
  std::vector<std::string> given;  // options
  Offers offers(typed);
  for (std::size_t i = 0; i + 1 < words.size(); ++i) {
    const std::string& word = words[i];
    if (const OptionEntry* theirs = argument_behind_mark(*command); theirs != nullptr && word == "--") {
      // After the first word of somebody else's command line, only files can be offered.
      offers.add(i + 2 == words.size() ? theirs->choices : Choices{.words = {}, .files = Choices::Files::any}, "");
      return offers.text();
    }
    if (is_option(word)) {
      const OptionEntry* option = find_option(*command, word);
      pending = option != nullptr && takes_next_word(*option) ? word : "";
      given.push_back(word.substr(0, word.find('=')));
    } else if (!pending.empty()) {
      pending.clear();
    } else if (command == &interface.program) {
      const auto named = std::ranges::find(interface.commands, word, &CommandEntry::name);
      if (named == interface.commands.end()) return "";
      command = &*named;
    } else {
      arguments.push_back(word);
    }
  }

  const std::vector<OptionEntry> options = options_of(interface, *command, arguments, given);
  const std::size_t equals = typed.find('=');
  if (typed.starts_with("--") && equals != std::string::npos) {
    const OptionEntry* option = find_option(options, typed.substr(0, equals));
    if (option != nullptr) offers.add(option->choices, typed.substr(0, equals + 1));
  } else if (!pending.empty() && !is_option(typed)) {
    const OptionEntry* option = find_option(options, pending);
    if (option != nullptr) offers.add(option->choices, "");
  } else if (typed.starts_with('-')) {
    offers.add(options);
  } else if (command == &interface.program) {
    for (const CommandEntry& entry : interface.commands) offers.add(entry.name, entry.purpose);
  } else {
    for (const OptionEntry& argument : command->arguments) {
      if (argument.value.starts_with(behind_mark)) {
        offers.add("--", short_help(argument.help));
        continue;
      }
      const auto position = static_cast<std::size_t>(&argument - command->arguments.data());
      if (position < arguments.size() && !argument.repeatable) continue;  // what is repeatable takes all that follows
      offers.add(argument.choices, "");
      break;
    }
  }
  return offers.text();
}

std::string completion_script(const std::string& shell) {
  if (shell == "bash") return bash;
  if (shell == "zsh") return zsh;
  return shell == "fish" ? fish : "";
}

}  // namespace gpumem::app
