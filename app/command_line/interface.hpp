#pragma once
// The command line as plain data, read off the declarations that parse it: what completion scripts and the manual are
// made from, so that neither can differ from what the program takes.

#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace gpumem::app {

/// How the value of an argument begins that is somebody else's command line: words behind it are not ours.
inline constexpr const char* behind_mark = "-- ";

/// The heading of options that are axes of probes.
inline constexpr const char* axis_group = "Axes";

/// What the program has under a name that a command may take.
struct Known {
  const std::vector<Probe>& probes;  ///< whose axes are flags: a new probe brings its own
  std::vector<std::string> suites = {};
};

/// What a shell can offer for a value.
struct Choices {
  enum class Files { none, any, json, programs };
  std::vector<std::string> words;
  Files files = Files::none;
  bool list = false;  ///< several words, separated by commas
};

/// An option, or an argument, which has no names.
struct OptionEntry {
  enum class Takes {
    nothing,
    value,           ///< --backend model, --backend=model
    optional_value,  ///< the option may stand alone
    attached_value   ///< the option may stand alone, and a value needs the '=': --counters=require
  };
  std::vector<std::string> names = {};  ///< with their dashes, the long one first
  std::string value;                    ///< as help shows it: "cuda|model|auto", "PROBE..."; empty: it takes none
  std::string help;
  std::string group = {};
  Takes takes = Takes::nothing;
  bool repeatable = false;  ///< of an argument: it takes all that follow
  Choices choices = {};
};

struct CommandEntry {
  std::string name;  ///< empty: the program itself
  std::string purpose;
  std::vector<OptionEntry> arguments = {};
  std::vector<OptionEntry> options = {};
  std::string footer;
};

struct Interface {
  CommandEntry program;
  std::vector<CommandEntry> commands;
};

/// Describes the program and its commands.
[[nodiscard]] Interface describe_interface(const CLI::App& program, const Known& known);

/// What a value may be, from its name in help: words in lower case stand for themselves, those in upper case for a kind
/// of thing (PROBE, PROFILE, SUITE, REPORT, FILE, COMMAND) or for what nobody can list (N, TIME).
[[nodiscard]] Choices choices_of(const std::string& value_name, const Known& known);

/// What the axes of a flag take in any probe.
[[nodiscard]] Choices axis_choices(const std::string& flag, const std::vector<Probe>& registry);

/// The arguments of a command and the place of its options among them, as usage shows them.
[[nodiscard]] std::string arguments_in_usage(const std::vector<std::string>& arguments, const std::string& options);

/// A command's help in 80 columns, laid out the same by every version of CLI11: purpose, usage, commands, arguments,
/// options in groups, examples. `name` is the command as it is typed.
[[nodiscard]] std::string help_text(const CLI::App& command, const std::string& name);

/// One line: "gpumem 0.1.0 (commit 8405842c1b5e, CUDA 13.0, built by GNU 12.2.0, Release)".
[[nodiscard]] std::string version_line(const report::Tool& tool);

/// The first clause of a help text, for a line beside the option: without examples and defaults.
[[nodiscard]] std::string short_help(const std::string& help);

/// What may stand in place of the last of `words`, those of a command line up to the cursor without the program's name:
/// a line for each, as the whole word, with a tab and its meaning where that is known; last ":json" or ":files" where
/// files and folders may stand there too, or ":programs".
[[nodiscard]] std::string completions(const Interface& interface, std::span<const std::string> words);

/// The script that teaches "bash" (4.3 or newer), "zsh" or "fish" (3 or newer) to ask for completions(); empty for
/// another shell.
[[nodiscard]] std::string completion_script(const std::string& shell);

/// The manual page gpumem(1) in roff, man macros: every command with its options as --help shows them, exit codes,
/// environment and files.
[[nodiscard]] std::string manual_page(const Interface& interface);

}  // namespace gpumem::app
