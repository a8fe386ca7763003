#pragma once
// The command line as plain data, read off the declarations that parse it. Completion scripts and the manual are made
// from it, so that neither can differ from what the program takes.

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/settings.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace CLI {  // NOLINT(readability-identifier-naming): not ours
class App;
}

namespace gpumem::app {

/// Begins the name of the value of an argument that is somebody else's command line: "-- COMMAND...". Words behind the
/// mark are not for gpumem.
inline constexpr const char* behind_mark = "-- ";

/// The value of an argument that is the name of a command or of a probe.
inline constexpr const char* help_topics = "[TOPIC...]";

/// The heading of options that are axes of probes.
inline constexpr const char* axis_group = "Axes";

/// The names that arguments of a command may take, and the width of help.
struct KnownNames {
  const std::vector<Probe>& probes;  ///< whose axes are flags: a new probe brings its own
  std::vector<std::string> suites = {};
  std::size_t help_width = 80;
  std::function<Settings()> settings = [] { return Settings(); };
};

/// The words and files that a shell can offer for a value.
struct Choices {
  enum class Files { none, any, json, programs };
  std::vector<std::string> words;
  Files files = Files::none;
  bool list = false;  ///< several words, separated by commas

  /// Adds a word, unless it is there already.
  void add(const std::string& word);
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
  std::vector<OptionEntry> axes = {};  ///< of all probes, where it runs them: each explains its own in its own words
  std::string footer;
};

struct Interface {
  CommandEntry program;
  std::vector<CommandEntry> commands;
  std::span<const Probe> probes = {};
};

/// Describes the program and its commands.
[[nodiscard]] Interface describe_interface(const CLI::App& program, const KnownNames& known);

/// The option of that name, with its dashes; null if there is none. The second also finds the axes of a command.
[[nodiscard]] const OptionEntry* find_option(const std::vector<OptionEntry>& options, const std::string& name);
[[nodiscard]] const OptionEntry* find_option(const CommandEntry& command, const std::string& name);
/// True if the word behind the option may be its value.
[[nodiscard]] bool takes_next_word(const OptionEntry& option);

/// The argument that is somebody else's command line; null if the command has none.
[[nodiscard]] const OptionEntry* argument_behind_mark(const CommandEntry& command);

/// Rewrites arguments that can only mean one thing as the program takes them: `--json` as `--format json`, `--suite` as
/// `--config`, `--columns all` as `--all-columns`, `--op read write` as `--op read,write`, `-o=FILE` as
/// `--output=FILE`. Words behind `--` stay.
[[nodiscard]] std::vector<std::string> as_meant(const std::vector<std::string>& arguments, const Interface& interface);

/// The choices of a value, from its name in help. Words in lower case stand for themselves. Words in upper case stand
/// for a kind of thing (PROBE, PROFILE, SUITE, REPORT, FILE, COMMAND) or for something that nobody can list (N, TIME).
[[nodiscard]] Choices choices_of(const std::string& value_name, const KnownNames& known);

/// The probes that a command line is about: those it names, else those that its flags (with their dashes) select.
[[nodiscard]] std::vector<const Probe*> probes_at_hand(std::span<const Probe> probes,
                                                       std::span<const std::string> names,
                                                       std::span<const std::string> flags);

/// The arguments of a command and the place of its options among them, as usage shows them.
[[nodiscard]] std::string arguments_in_usage(const std::vector<std::string>& arguments, const std::string& options);

/// The probes, those of one family together.
[[nodiscard]] std::vector<const Probe*> by_family(std::span<const Probe> probes);

/// A line for each probe under the headings of their families, all of them `indent` columns from the left.
[[nodiscard]] std::string probe_lines(std::span<const Probe> probes, std::size_t indent, std::size_t width);

/// The help of the program, of one of its commands, or of what is laid out like one (probe_entry()): purpose, usage,
/// commands or probes, arguments, options in groups, examples. A command that runs probes has a line for each of them.
[[nodiscard]] std::string help_text(const Interface& interface, const CommandEntry& command, std::size_t width);

/// One line: "gpumem 0.1.0 (commit 8405842c1b5e, CUDA 13.0 for sm_90, built by GNU 12.2.0, Release)".
[[nodiscard]] std::string version_line(const report::Tool& tool, const std::string& architectures);

/// The first clause of a help text, for a line beside the option: without examples and defaults.
[[nodiscard]] std::string short_help(const std::string& help);

/// Returns what may stand in place of the last of `words`, which are a command line up to the cursor, without the
/// program's name. Each line is a whole word, followed by a tab and its meaning if that is known. A last line ":files"
/// or ":json" says that files and folders may stand there too, ":programs" that programs may.
[[nodiscard]] std::string completions(const Interface& interface, std::span<const std::string> words);

/// The script that makes "bash" (4.3 or newer), "zsh" or "fish" (3 or newer) ask for completions(); empty for another
/// shell.
[[nodiscard]] std::string completion_script(const std::string& shell);

/// The manual page gpumem(1) in roff, man macros: every command with the options that only it has, what several
/// commands share, the probes by name and purpose, exit codes, environment and files. Texts are those of --help.
[[nodiscard]] std::string manual_page(const Interface& interface);

}  // namespace gpumem::app
