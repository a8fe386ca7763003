#include "app/commands/refusals.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <string_view>
#include <utility>

#include "app/commands/words.hpp"
#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/unpack.hpp"
#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

using CommandLine = std::span<const std::string>;

/// The command line that watches the user's program; `options` are options of `run`.
std::string watched(CommandLine options, CommandLine program) {
  return "gpumem run " + report::command_line(options) + (options.empty() ? "" : " ") + "-- " +
         report::command_line(program);
}

std::vector<std::string> option_names(const CommandEntry& command) {
  std::vector<std::string> names;
  for (const OptionEntry& option : command.axes) names.push_back(option.names.front());
  for (const OptionEntry& option : command.options) names.push_back(option.names.front());
  return names;
}

/// Names that other programs give to a command.
struct OtherNames {
  const char* words;  ///< separated by spaces
  const char* command;
  bool with_rest = false;  ///< whether what stands behind the word belongs to the command
  const char* behind = "";
};
constexpr OtherNames other_names[] = {
    {"version", "gpumem --version"},
    {"ls", "gpumem list"},
    {"info query topology topo smi", "gpumem devices"},
    {"bench benchmark measure", "gpumem probe"},
    {"predict simulate", "gpumem probe --backend model --gpu h200"},
    {"test validate verify", "gpumem check smoke"},
    {"diff", "gpumem compare", true},
    {"plot draw graph render", "gpumem show", true, " -o page.html"},
    {"view cat open print", "gpumem show", true},
    {"analyze analyse why advise", "gpumem explain", true},
    {"profile trace watch record exec", "gpumem run --", true},
};

std::optional<std::string> other_name_of_command(const std::string& word, CommandLine line) {
  for (const auto& [words, command, with_rest, behind] : other_names) {
    if (!is_among(word, words)) continue;
    const auto place = std::ranges::find(line, word);
    const std::string rest = with_rest ? report::command_line({place + 1, line.end()}) : "";
    return fmt::format("here it is: {}{}{}{}", command, rest.empty() ? "" : " ", rest, behind);
  }
  return std::nullopt;
}

/// Returns advice for a word too many: the form of the command line that takes it, for a command with one argument or
/// none.
std::string meant_argument(const std::string& command, const std::string& word) {
  if (command == "list") return "list takes one probe: gpumem list " + report::shell_quoted(word);
  if (command == "devices")
    return "gpumem devices shows all; to measure on one: gpumem probe --device " + report::shell_quoted(word);
  if (command == "manual") return "the manual has all commands; for one: gpumem help " + report::shell_quoted(word);
  if (command == "calibrate")
    return "a report to fit to is given with: gpumem calibrate --from " + report::shell_quoted(word);
  return fmt::format("see: gpumem {} --help", command);
}

/// Returns advice for an unknown word in the place of a command.
std::string meant_command(const std::string& word, const Interface& interface, const KnownNames& known,
                          CommandLine line) {
  const auto program = [&] {
    return watched({}, line.subspan(static_cast<std::size_t>(std::ranges::find(line, word) - line.begin())));
  };
  if (std::ranges::find(interface.probes, word, &Probe::name) != interface.probes.end()) {
    return "to run the probe of that name: gpumem probe " + word;
  }
  if (is_json_name(word)) return "to see a report: gpumem show " + report::shell_quoted(word);
  if (word.find('/') != std::string::npos) return "to watch a program: " + program();
  if (const auto command = other_name_of_command(word, line)) return *command;
  if (const auto kind = what_word_is(word, known)) return *kind;
  std::vector<std::string> names;
  for (const CommandEntry& command : interface.commands) names.push_back(command.name);
  if (const auto name = nearest(word, names)) return fmt::format("did you mean '{}'?", *name);
  std::vector<std::string> probes;
  for (const Probe* probe : meant_probes(interface.probes, word)) probes.push_back("gpumem probe " + probe->name);
  if (!probes.empty()) return "did you mean: " + join(probes, ", or: ");
  return fmt::format("there are: {}; to watch a program: {}", join(names, ", "), program());
}

/// "--op" of "--op=read", "-o" of "-ox.csv".
std::string option_name(const std::string& argument) {
  const bool output = argument.starts_with("-o") && argument.size() > 2;
  return output ? "-o" : argument.substr(0, argument.find('='));
}

/// The value that was typed with an option: attached to it, or the next word; empty if there is none.
std::string value_of(const std::string& argument, CommandLine line) {
  const std::string name = option_name(argument);
  if (argument.size() > name.size()) return argument.substr(name.size() + (argument[name.size()] == '=' ? 1 : 0));
  const auto place = std::ranges::find(line, argument);
  if (place == line.end() || place + 1 == line.end() || (place + 1)->starts_with('-')) return "";
  return *(place + 1);
}

void refuse_backend(const std::string& value) {
  const bool measures = value == "gpu" || value == "nvidia" || value == "hardware" || value == "measure";
  const bool predicts = value == "cpu" || value == "simulate" || value == "predict" || value == "none";
  if (!measures && !predicts) return;
  throw usage_error(fmt::format("--backend: '{}' is not one of cuda, model, auto; {}", value,
                                measures ? "to measure on a GPU: cuda" : "to predict without a GPU: model"));
}

/// Throws the usage error for a format of index files that NumPy converts.
void refuse_index_format(const std::string& value) {
  constexpr std::pair<std::string_view, std::string_view> others[] = {
      {"npz", "numpy.load('FILE')['NAME']"},      {"u16", "numpy.fromfile('FILE', 'u2')"},
      {"u32be", "numpy.fromfile('FILE', '>u4')"}, {"u64be", "numpy.fromfile('FILE', '>u8')"},
      {"i32be", "numpy.fromfile('FILE', '>i4')"}, {"i64be", "numpy.fromfile('FILE', '>i8')"}};
  const auto* const other = std::ranges::find(others, value, &std::pair<std::string_view, std::string_view>::first);
  if (other == std::end(others)) return;
  throw usage_error(
      fmt::format("--index-format: '{}' is not read; convert the file: numpy.save('a.npy', {}.astype('i8'))", value,
                  other->second));
}

/// The commands that have an option.
std::string owners_hint(const std::string& option, const Interface& interface) {
  std::vector<std::string> owners;
  for (const CommandEntry& command : interface.commands) {
    if (find_option(command, option) != nullptr) owners.push_back("gpumem " + command.name);
  }
  return owners.empty() ? "" : "; it is an option of: " + join(owners, ", ");
}

}  // namespace

void refuse_option(const std::string& argument, const CommandEntry& command, const Interface& interface,
                   CommandLine line) {
  const std::string option = option_name(argument);
  std::string hint;
  const OptionEntry* format = find_option(command.options, "--format");
  if (const auto advice = instead_of_option(option, value_of(argument, line), command, interface)) {
    hint = "; " + *advice;
  } else if (format != nullptr && (option == "--json" || option == "--csv")) {
    hint = "; --format takes " + join(format->choices.words, ", ");
  } else {
    hint = did_you_mean(option, option_names(command));
  }
  if (hint.empty()) hint = owners_hint(option, interface);
  if (hint.empty() && command.name == "run") hint = "; the command and its own options stand behind --";
  if (hint.empty()) hint = fmt::format("; see: gpumem {}--help", command.name.empty() ? "" : command.name + " ");
  throw usage_error(fmt::format("unknown option '{}'{}", option, hint));
}

void refuse_argument(const std::string& argument, const CommandEntry& command, const Interface& interface,
                     const KnownNames& known, CommandLine line) {
  if (command.name.empty()) {
    throw usage_error(
        fmt::format("unknown command '{}'; {}", argument, meant_command(argument, interface, known, line)));
  }
  throw usage_error(fmt::format("unexpected argument '{}'; {}", argument, meant_argument(command.name, argument)));
}

void refuse_values_of_others(CommandLine line, const Interface& interface) {
  if (line.empty()) return;
  const auto command = std::ranges::find(interface.commands, line.front(), &CommandEntry::name);
  if (command == interface.commands.end()) return;
  const OptionEntry* format = find_option(command->options, "--format");
  for (std::size_t i = 1; i < line.size() && line[i] != "--"; ++i) {
    const std::string option = option_name(line[i]);
    if (option == "--backend" && find_option(command->options, option) != nullptr)
      refuse_backend(value_of(line[i], line.subspan(i)));
    if (option == "--index-format") refuse_index_format(value_of(line[i], line.subspan(i)));
    if (option != "--format" || format == nullptr) continue;
    const std::string value = value_of(line[i], line.subspan(i));
    if (std::ranges::find(format->choices.words, value) != format->choices.words.end()) continue;
    if (const auto advice = instead_of_format(value, *command)) {
      throw usage_error(
          fmt::format("--format: '{}' is not one of {}; {}", value, join(format->choices.words, ", "), *advice));
    }
  }
}

void refuse_unmarked_program(CommandLine line, const Interface& interface) {
  if (line.empty()) return;
  const auto command = std::ranges::find(interface.commands, line.front(), &CommandEntry::name);
  if (command == interface.commands.end() || argument_behind_mark(*command) == nullptr) return;
  for (std::size_t i = 1; i < line.size(); ++i) {
    if (line[i] == "--" || line[i] == "--help" || line[i] == "-h") return;
    if (!line[i].starts_with('-')) {
      throw usage_error("the program stands behind --: " + watched(line.subspan(1, i - 1), line.subspan(i)));
    }
    const OptionEntry* option = find_option(command->options, line[i].substr(0, line[i].find('=')));
    if (option == nullptr) return;  // which is refused by itself
    const bool next_is_value = takes_next_word(*option) && line[i].find('=') == std::string::npos;
    if (next_is_value && i + 1 < line.size() && line[i + 1] != "--") ++i;
  }
}

}  // namespace gpumem::app
