#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ranges>
#include <span>
#include <sstream>
#include <string_view>

#include "app/command_line/build_information.hpp"
#include "app/command_line/interface.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Words to be typed, and terms of this program, stand between backquotes.
constexpr const char* description[] = {
    "`gpumem` shows how the memory of an NVIDIA GPU and its link to the host behave: the effective bandwidth of "
    "aligned, shifted and strided access, bank conflicts in shared memory, copies from and to every kind of host "
    "memory. Every case has up to three readings: `predicted` by a model, which needs no GPU, `measured` by the clock, "
    "and `counted` by the hardware. Every output is verified: a case with wrong data has no bandwidth.",
    "Standard output carries results only; progress and notices go to standard error. Bandwidths are in GB/s, 1e9 "
    "bytes a second.",
};

constexpr const char* about_shared_options[] = {
    "Several commands share the options below. Each command lists its own, and names the shared ones that it takes.",
};

constexpr const char* about_probes[] = {
    "`gpumem probe NAME` runs a probe; so does one of its axes alone, as in `gpumem probe --offset 0..32`. "
    "`gpumem probe NAME --help` explains the axes of a probe, and `gpumem list NAME` also says which values they take "
    "and which quantities the probe reports.",
};

struct Entry {
  const char* term;
  const char* meaning;
};

constexpr Entry exit_status[] = {
    {"0", "Everything ran and was verified."},
    {"1", "A check or comparison failed, or data was wrong."},
    {"2", "The command line, a configuration, or a file that cannot be read or written."},
    {"3", "No usable GPU, or a capability that was asked for is missing."},
    {"4", "A probe failed to run; the others did."},
    {"130", "Interrupted; what was measured until then is written."},
    {"gpumem run",
     "The exit code of the command, 128 + n where signal n ended it; 2 or 3 if that could not be started, or uses a "
     "GPU "
     "and cannot be watched."},
};

constexpr Entry environment[] = {
    {"COLUMNS",
     "Width of tables and help; else that of the terminal. Without a terminal, tables have 100 columns, and help has "
     "80."},
    {"NO_COLOR", "If set and not empty, tables have no colours."},
    {"FORCE_COLOR", "If set and neither empty nor 0, tables have colours in a pipe too, unless NO_COLOR is set."},
    {"CUDA_VISIBLE_DEVICES",
     "The GPUs that CUDA programs see, and their order. A UUID or PCI id given to --device means the same GPU whatever "
     "it says."},
    {"GPUMEM_SANITIZER",
     "The libsanitizer-public.so with which gpumem run sees into kernels, where it is not in a CUDA Toolkit or in "
     "Python's packages."},
    {"GPUMEM_BACKEND", "The source of the numbers where no --backend is given: cuda, model or auto."},
    {"GPUMEM_GPU",
     "The GPU to predict for where no --gpu is given, by the name or file of its profile. Measurements are compared "
     "with the profile of the GPU that is there."},
    {"XDG_CONFIG_HOME", "The folder of your settings, with your own GPU profiles; else ~/.config."},
    {"TMPDIR", "The folder in which gpumem run keeps raw data until it is shown."},
    {"GPUMEM_RUN_KEEP", "A folder in which gpumem run leaves its raw data, one per run."},
    {"GPUMEM_RUN_RAW", "Such a folder, to show in place of the command, which then runs unwatched."},
    {"GPUMEM_RUN_STAY",
     "If it is set, gpumem run counts all launches. Otherwise it leaves a program that launches nothing new."},
};

constexpr Entry files[] = {
    {"~/.config/gpumem/config.json",
     "Your defaults, a JSON object of texts: backend, gpu, color, ci_width, time_budget, numa. Options on the command "
     "line count more, and so do the variables above."},
    {"~/.config/gpumem/gpus",
     "Your own GPU profiles, which gpumem calibrate leaves. They take precedence over shipped ones."},
    {"share/gpumem/configs",
     "Under the prefix of the installation: the GPU profiles and suites that come with the program, to copy and "
     "change."},
    {"share/gpumem/plotting",
     "Programs that --output FILE.html, .svg, .png and .pdf run with python3: a page needs nothing else, a figure "
     "matplotlib."},
    {"share/gpumem/schema", "JSON Schemas of reports, profiles and suites."},
    {"share/doc/gpumem", "The method behind the numbers, and its limits."},
};

constexpr const char* see_also = R"(.BR nvidia\-smi (1),
.BR ncu (1)
.PP
The CUDA C++ Best Practices Guide, on memory:
.I https://docs.nvidia.com/cuda/cuda\-c\-best\-practices\-guide/
)";

/// Escapes text for roff: its escape character, and hyphens, which are dashes in some fonts.
std::string roff(std::string_view text) {
  std::string result;
  for (const char c : text) result += c == '\\' ? "\\e" : c == '-' ? "\\-" : std::string(1, c);
  return result;
}

constexpr std::size_t roff_width = 60;  // of what a line of the page can hold

/// Allows a break after each comma of a list that is too long for a line.
std::string breakable(const std::string& line) {
  std::string result;
  for (std::size_t begin = 0; begin < line.size();) {
    const std::size_t end = std::min(line.find(' ', begin), line.size());
    for (std::size_t i = begin; i < end; ++i) {
      result += line[i];
      if (end - begin > roff_width && line[i] == ',' && i + 1 < end) result += "\\:";
    }
    if (end < line.size()) result += ' ';
    begin = end + 1;
  }
  return result;
}

/// A line of text that roff does not take for a control line, whatever it starts with.
std::string roff_line(std::string_view text) {
  const bool control = text.starts_with('.') || text.starts_with('\'');
  return (control ? "\\&" : "") + breakable(roff(text)) + "\n";
}

constexpr std::size_t line_width = 80;

std::size_t longest_word(std::string_view text) {
  std::size_t longest = 0;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    longest = std::max(longest, end - begin);
    begin = end + 1;
  }
  return longest;
}

/// The lines of a paragraph. No line ends in "e.g.", which roff would take for the end of a sentence.
std::string paragraph(const std::string& text) {
  std::string result;
  std::string carried;
  for (const std::string& line : report::wrapped(text, std::max(line_width, longest_word(text)))) {
    std::string whole = carried.empty() ? line : carried + " " + line;
    carried.clear();
    if (whole.ends_with("e.g.")) {
      carried = "e.g.";
      whole.erase(whole.size() - carried.size());
      while (whole.ends_with(' ')) whole.pop_back();
    }
    if (!whole.empty()) result += roff_line(whole);
  }
  return carried.empty() ? result : result + carried + "\n";
}

/// A paragraph, with the text between backquotes in bold.
std::string paragraph_in_fonts(const std::string& plain) {
  std::string text;
  bool bold = false;
  for (const char c : paragraph(plain)) text += c != '`' ? std::string(1, c) : (bold = !bold) ? "\\fB" : "\\fR";
  return text;
}

std::string described(std::span<const char* const> paragraphs) {
  std::string text;
  for (const char* plain : paragraphs) text += (text.empty() ? "" : ".PP\n") + paragraph_in_fonts(plain);
  return text;
}

std::string section(const std::string& title, std::span<const Entry> entries) {
  std::string text = ".SH " + title + "\n";
  for (const auto& [term, meaning] : entries) text += ".TP\n.B " + roff(term) + "\n" + paragraph(meaning);
  return text;
}

/// Puts lower-case words, which the user types, in bold, and upper-case words, which stand for something, in italics.
std::string value_in_fonts(std::string_view value) {
  std::string result;
  while (!value.empty()) {
    const bool letter = std::isalpha(static_cast<unsigned char>(value.front())) != 0;
    const bool upper = std::isupper(static_cast<unsigned char>(value.front())) != 0;
    const auto ends = [&](char c) {
      if (!letter) return std::isalpha(static_cast<unsigned char>(c)) != 0;
      return c != '-' &&
             (upper ? std::isupper(static_cast<unsigned char>(c)) : std::islower(static_cast<unsigned char>(c))) == 0;
    };
    const auto end = static_cast<std::size_t>(std::ranges::find_if(value.substr(1), ends) - value.begin());
    const char* font = !letter ? "" : upper ? "\\fI" : "\\fB";
    result += font + roff(value.substr(0, end)) + (letter ? "\\fR" : "");
    value.remove_prefix(end);
  }
  return result;
}

/// True if one of the options is this one: named and explained alike.
bool holds(const std::vector<OptionEntry>& options, const OptionEntry& wanted) {
  return std::ranges::any_of(options, [&](const OptionEntry& option) {
    return option.names == wanted.names && option.value == wanted.value && option.help == wanted.help;
  });
}

bool is_help(const OptionEntry& option) { return option.names.front() == "--help"; }

std::string option_entry(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : std::ranges::reverse_view(option.names)) {  // short ones first
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (option.takes == OptionEntry::Takes::attached_value) return names + value_in_fonts(option.value);
  return option.value.empty() ? names : names + " " + value_in_fonts(option.value);
}

std::string option_paragraph(const OptionEntry& option) {
  return ".TP\n" + option_entry(option) + "\n" + paragraph(option.help);
}

/// The options that several commands declare with the same words, those of one group together.
std::vector<OptionEntry> shared_options(const std::vector<CommandEntry>& commands) {
  std::vector<OptionEntry> shared;
  for (const CommandEntry& command : commands) {
    for (const OptionEntry& option : command.options) {
      const auto takes_it = [&](const CommandEntry& other) { return holds(other.options, option); };
      if (holds(shared, option) || std::ranges::count_if(commands, takes_it) == 1) continue;
      const auto last = std::ranges::find(std::ranges::reverse_view(shared), option.group, &OptionEntry::group);
      shared.insert(last == std::ranges::reverse_view(shared).end() ? shared.end() : last.base(), option);
    }
  }
  std::erase_if(shared, is_help);
  return shared;
}

/// The options of the program, and the shared ones under the headings of their groups.
std::string options_section(const CommandEntry& program, const std::vector<OptionEntry>& shared) {
  std::string text = ".SH OPTIONS\n";
  for (const OptionEntry& option : program.options) text += option_paragraph(option);
  text += ".PP\n" + described(about_shared_options);
  std::string group;
  for (const OptionEntry& option : shared) {
    if (option.group != group) text += fmt::format(".PP\n{}:\n", roff(option.group));
    group = option.group;
    text += option_paragraph(option);
  }
  return text;
}

/// The options that only this command has, and a line that names the others.
std::string command_options(const CommandEntry& command, const std::vector<OptionEntry>& shared) {
  std::string text;
  std::vector<std::string> others;
  for (const OptionEntry& option : command.options) {
    if (is_help(option)) continue;  // said once, of the program
    if (holds(shared, option)) {
      others.push_back("`" + option.names.front() + "`");
    } else {
      text += option_paragraph(option);
    }
  }
  if (!others.empty()) text += ".PP\n" + paragraph_in_fonts("Shared options: " + report::join(others, ", ") + ".");
  return text;
}

std::string usage(const CommandEntry& command) {
  std::vector<std::string> arguments;
  for (const OptionEntry& argument : command.arguments) arguments.push_back(argument.value);
  return "gpumem " + command.name + arguments_in_usage(arguments, "OPTIONS");
}

/// The footer of --help. Each unindented line is a paragraph; indented lines are kept as they are.
std::string footer(const std::string& text) {
  std::string result;
  bool example = false;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    const bool indented = line.starts_with(' ');
    if (indented != example) result += indented ? ".EX\n" : ".EE\n";
    example = indented;
    if (!line.empty()) result += indented ? roff_line(line) : ".PP\n" + paragraph(line);
  }
  return result + (example ? ".EE\n" : "");
}

std::string command_section(const CommandEntry& command, const std::vector<OptionEntry>& shared) {
  std::string text = fmt::format(".SS {}\n{}.\n", roff(usage(command)), roff(command.purpose));
  for (const OptionEntry& argument : command.arguments) {
    text += ".TP\n" + value_in_fonts(argument.value) + "\n" + paragraph(argument.help);
  }
  return text + command_options(command, shared) + footer(command.footer);
}

/// The lines that --help has of the probes.
std::string probe_section(std::span<const Probe> probes) {
  constexpr std::size_t width = 72;
  std::string text = ".SH PROBES\n" + described(about_probes) + ".PP\n.EX\n";
  std::istringstream lines(probe_lines(probes, 0, width));
  for (std::string line; std::getline(lines, line);) text += roff_line(line);
  return text + ".EE\n";
}

}  // namespace

std::string manual_page(const Interface& interface) {
  std::string text = fmt::format(
      ".\\\" Printed by: gpumem manual\n.TH GPUMEM 1 \"{}\" \"gpumem {}\" \"User Commands\"\n"
      // Values are copied from the page, so words are neither hyphenated nor justified.
      ".nh\n.ad l\n"
      ".SH NAME\ngpumem \\- shows how the memory of a GPU behaves, measured or predicted\n.SH SYNOPSIS\n\\fBgpumem\\fR "
      "\\fICOMMAND\\fR [\\fIARGUMENT\\fR...] [\\fIOPTIONS\\fR]\n",
      commit_date(), build_information().version);
  const std::vector<OptionEntry> shared = shared_options(interface.commands);
  text += ".SH DESCRIPTION\n" + described(description) + options_section(interface.program, shared) + ".SH COMMANDS\n";
  for (const CommandEntry& command : interface.commands) text += command_section(command, shared);
  if (!interface.probes.empty()) text += probe_section(interface.probes);
  text += section("EXIT STATUS", exit_status) + section("ENVIRONMENT", environment) + section("FILES", files);
  return text + ".SH SEE ALSO\n" + see_also;
}

}  // namespace gpumem::app
