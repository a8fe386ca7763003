#include "app/commands/commands.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <deque>
#include <memory>
#include <span>
#include <utility>

#include "app/command_line/axes.hpp"
#include "app/command_line/build_information.hpp"
#include "app/command_line/command_options.hpp"
#include "app/commands/glossary.hpp"
#include "app/commands/refusals.hpp"
#include "app/commands/words.hpp"
#include "app/run/probe_names.hpp"
#include "engine/base/error.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

// Each in the file of its name.
DeclareOptions probe_options, run_options, check_options, explain_options, compare_options, show_options,
    portrait_options, port_options, expect_options, calibrate_options, list_options, devices_options;

namespace {

using report::join;

/// Writes the text, which is its arguments, to stdout.
Request print(std::string text) {
  return {std::move(text), [](const std::string& given, const Environment& environment) {
            write_result(environment.out, given);
            return 0;
          }};
}

// ---- The commands whose result is made from the declarations of all commands, their own among them

MakeRequest completion_options(CommandOptions& options, const KnownNames&) {
  const auto shell = std::make_shared<std::optional<std::string>>();
  options.add_argument("bash|zsh|fish", *shell,
                       "The shell to complete in. An installed gpumem has its scripts where shells look");
  options.footer(
      "Examples:\n"
      "  source <(gpumem completion bash)     in ~/.bashrc, or now; likewise with zsh\n"
      "  gpumem completion fish > ~/.config/fish/completions/gpumem.fish");
  return [shell] {
    if (!*shell) throw usage_error("completion needs a shell: bash, zsh or fish");
    const std::string script = completion_script(**shell);
    if (script.empty()) {
      throw usage_error(fmt::format("there is no completion for '{}', but for bash, zsh and fish", **shell));
    }
    return print(script);
  };
}

MakeRequest manual_options(CommandOptions& options, const KnownNames& known) {
  options.footer("Example:\n  gpumem manual | man -l -");
  return [&] { return print(manual_page(options.describe_program(known))); };
}

DeclareOptions help_options;

// ---- All commands

/// In the order of the help.
constexpr Command commands[] = {
    {"probe", "Run probes: measure on a GPU, or predict without one", probe_options, true},
    {"run", "Show what the kernels of a program of yours waste, and where", run_options},
    {"port", "Price the kernels of a recorded program for other GPUs", port_options},
    {"portrait", "Draw a GPU's memory on one page: its levels, and what misuse costs", portrait_options, true},
    {"expect", "Show what a GPU should reach, and how far healthy ones lie from it", expect_options},
    {"check", "Check a GPU against expectations: pass, fail, skip, and exit code", check_options, true},
    {"explain", "Explain what limits the cases of a report, and what would help", explain_options},
    {"compare", "Compare saved reports case by case, or the machines of a fleet", compare_options},
    {"show", "Show saved reports again, in any format", show_options},
    {"calibrate", "Measure the rates of a GPU, for predictions of it", calibrate_options, true},
    {"list", "List probes, suites or GPUs, or the axes and quantities of a probe", list_options},
    {"devices", "List the GPUs of this machine and all that reports record of them", devices_options},
    {"completion", "Print the script that lets a shell complete gpumem's options", completion_options},
    {"manual", "Print the manual page, where it is not installed", manual_options},
    {"help", "Explain a command, a probe or a term", help_options},
};

/// Throws a usage error for a name that is no probe's.
void require_probes(const std::vector<std::string>& names, const KnownNames& known) {
  for (const std::string& name : names) {
    refuse_no_probe(name, known);
    static_cast<void>(require_probe(known.probes, name));
  }
}

/// `help X` is `X --help`; for a term it prints the entry of the glossary.
MakeRequest help_options(CommandOptions& options, const KnownNames& known) {
  const auto words = std::make_shared<std::vector<std::string>>();
  options.add_argument(help_topics, *words, "A command, a probe, or a term such as sector; without any, all commands");
  options.footer(
      "Examples:\n"
      "  gpumem help probe           the options of all probes\n"
      "  gpumem help offset          a probe, as: gpumem probe offset --help\n"
      "  gpumem help bank conflict   a term of the glossary");
  return [words, &known] {
    std::vector<std::string> asked = *words;
    if (!asked.empty() && !is_command(asked.front())) {
      const bool is_probe = std::ranges::find(known.probes, asked.front(), &Probe::name) != known.probes.end();
      const std::string term = join(asked, " ");
      const auto meaning = is_probe && asked.size() == 1 ? std::nullopt : glossary_line(term);
      if (meaning) return print(report::wrap(*meaning, known.help_width, 0) + "\n");
      if (is_probe) {
        asked.insert(asked.begin(), "probe");
      } else if (const auto hint = what_word_is(term, known)) {
        throw usage_error(fmt::format("no command, probe or term '{}'; {}", term, *hint));
      }
    }
    asked.emplace_back("--help");
    return parse_command_line(asked, known);
  };
}

/// The error in CLI11's own words, where none of our checks came first.
Error usage_error_of(const CLI::ParseError& error) {
  std::string text = error.what();
  std::ranges::replace(text, '\n', ' ');
  if (const std::size_t colon = text.find(": needs a value"); colon != std::string::npos) text.erase(colon, 1);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr) {
    const std::string name = text.substr(0, text.find_first_of(": "));
    const std::string option = name.starts_with("-") ? name : "--" + name;
    return usage_error(option + (text.find("disallowed") == std::string::npos ? " needs a value" : " takes no value"));
  }
  return usage_error(text);
}

/// `--option=` would make CLI11 take the next argument for the value.
void refuse_empty_values(const std::vector<std::string>& arguments) {
  for (const std::string& argument : arguments) {
    if (argument == "--") return;
    if (argument.starts_with('-') && argument.find('=') == argument.size() - 1) {
      throw usage_error(argument.substr(0, argument.size() - 1) + " needs a value after the '='");
    }
  }
}

void refuse_what_is_left(const CLI::App& app, const CommandEntry& command, const Interface& interface,
                         const KnownNames& known, std::span<const std::string> line) {
  const std::vector<std::string> unknown = app.remaining();
  if (unknown.empty()) return;
  if (unknown.front().starts_with('-')) refuse_option(unknown.front(), command, interface, line);
  refuse_argument(unknown.front(), command, interface, known, line);
}

/// Takes the words behind "--" off a command line whose command runs somebody else's. CLI11 would give them to the last
/// argument, but split words such as "[1,2]".
std::vector<std::string> take_behind_mark(std::vector<std::string>& arguments, const Interface& interface) {
  if (arguments.empty()) return {};
  const auto command = std::ranges::find(interface.commands, arguments.front(), &CommandEntry::name);
  if (command == interface.commands.end() || argument_behind_mark(*command) == nullptr) return {};
  const auto mark = std::ranges::find(arguments, "--");
  std::vector<std::string> behind(mark == arguments.end() ? mark : mark + 1, arguments.end());
  arguments.erase(mark, arguments.end());
  return behind;
}

/// Adds the user's defaults of options that the command has and the line does not give. Returns those added.
std::vector<Setting> add_defaults(std::vector<std::string>& arguments, const Interface& interface,
                                  const KnownNames& known) {
  std::vector<Setting> added;
  const auto asks_for_help = [](const std::string& word) { return word == "--help" || word == "-h"; };
  if (arguments.empty() || std::ranges::any_of(arguments, asks_for_help)) return added;
  const auto command = std::ranges::find(interface.commands, arguments.front(), &CommandEntry::name);
  if (command == interface.commands.end()) return added;
  for (const Setting& setting : known.settings().options) {
    const std::string name = "--" + setting.option;
    const auto gives = [&](const std::string& word) { return word == name || word.starts_with(name + "="); };
    if (find_option(command->options, name) == nullptr || std::ranges::any_of(arguments, gives)) continue;
    arguments.push_back(name + "=" + setting.text);
    added.push_back(setting);
  }
  return added;
}

/// Does it, and adds to the error of an option whose value is a default of the user's where that comes from.
auto telling_source(std::span<const Setting> defaults, const auto& action) {
  try {
    return action();
  } catch (const Error& error) {
    const std::string_view text = error.what();
    for (const Setting& setting : defaults) {
      const bool is_about = text.starts_with("--" + setting.option) || text.find("the " + setting.text) != text.npos;
      if (!is_about) continue;  // "the model takes --gpu"
      throw Error(error.kind(), fmt::format("{}; {} says '{}'", text, setting.source, setting.text));
    }
    throw;
  }
}

/// The help of the command that was given, or of the probes that it is about. Throws a usage error for an unknown name.
std::string help_asked_for(const CLI::App& program, const Interface& interface, const KnownNames& known,
                           std::span<const std::string> line) {
  const std::vector<std::string> unknown = program.remaining();
  if (!unknown.empty() && !unknown.front().starts_with('-')) {
    refuse_argument(unknown.front(), interface.program, interface, known, line);
  }
  const std::vector<CLI::App*> given = program.get_subcommands();
  if (given.empty()) return help_text(interface, interface.program, known.help_width);
  const auto command = std::ranges::find(interface.commands, given.front()->get_name(), &CommandEntry::name);
  std::vector<std::string> texts;
  if (!command->axes.empty()) {
    std::vector<std::string> names;
    std::vector<std::string> flags;
    for (const CLI::Option* option : given.front()->get_options()) {
      if (option->count() == 0) continue;
      if (option->nonpositional()) {
        flags.push_back("--" + option->get_lnames().front());
      } else {
        names = option->results();
      }
    }
    require_probes(names, known);
    for (const Probe* probe : probes_at_hand(known.probes, names, flags)) {
      texts.push_back(help_text(interface, probe_entry(*probe), known.help_width));
    }
  }
  return texts.empty() ? help_text(interface, *command, known.help_width) : join(texts, "\n");
}

/// The first word of a shell's request for completions; the words up to the cursor follow: see completion_script().
constexpr const char* complete = "--complete";

/// A command with its options, once they are declared to CLI11.
struct Declared {
  Declared(CLI::App& program, const Command& row, const KnownNames& known)
      : command(row),
        app(*program.add_subcommand(row.name, row.purpose)),
        options(app),
        make_request(row.declare(options, known)) {}

  const Command& command;
  CLI::App& app;
  CommandOptions options;
  MakeRequest make_request;
};

}  // namespace

bool is_command(const std::string& name) {
  return std::ranges::any_of(commands, [&](const Command& row) { return row.name == name; });
}

Request parse_command_line(const std::vector<std::string>& given, const KnownNames& known) {
  CLI::App program(
      "Shows how a GPU's memory behaves: what alignment, strides and bank conflicts cost, measured or "
      "predicted",
      "gpumem");
  const std::string version = version_line(build_information(), compiled_architectures()) + "\n";
  // Commands inherit what is set before they are added.
  program.set_help_flag("--help,-h", "Explain the command and its options");
  program.set_version_flag("--version,-V", version,
                           "Version, commit, toolkit and GPU architectures, e.g. for a bug report");
  program.require_subcommand(0, 1);
  program.allow_extras();
  program.footer("Start with: gpumem probe --offset 0..32");
  std::deque<Declared> declared;
  for (const Command& row : commands) declared.emplace_back(program, row, known);
  const Interface interface = describe_interface(program, known);
  if (!given.empty() && given.front() == complete) {
    return print(completions(interface, std::span(given).subspan(1)));
  }

  refuse_empty_values(given);
  std::vector<std::string> meant = as_meant(given, interface);
  refuse_unmarked_program(meant, interface);
  refuse_values_of_others(meant, interface);
  const std::vector<std::string> behind_the_mark = take_behind_mark(meant, interface);
  const std::vector<Setting> defaults = add_defaults(meant, interface, known);
  try {
    program.parse(std::vector<std::string>(meant.rbegin(), meant.rend()));
  } catch (const CLI::CallForHelp&) {
    return print(help_asked_for(program, interface, known, given));
  } catch (const CLI::CallForVersion&) {
    return print(version);
  } catch (const CLI::ParseError& error) {
    throw usage_error_of(error);
  }
  refuse_what_is_left(program, interface.program, interface, known, given);
  for (std::size_t i = 0; i < declared.size(); ++i) {
    Declared& subcommand = declared[i];
    if (!subcommand.app.parsed()) continue;
    refuse_what_is_left(subcommand.app, interface.commands[i], interface, known, given);
    telling_source(defaults, [&] { subcommand.options.read(behind_the_mark); });
    Request request = telling_source(defaults, subcommand.make_request);
    request.takes_long = subcommand.command.takes_long;
    return request;
  }
  std::vector<std::string> names;
  for (const Command& row : commands) names.emplace_back(row.name);
  throw usage_error(fmt::format("no command given; there are: {}; see: gpumem --help", join(names, ", ")));
}

}  // namespace gpumem::app
