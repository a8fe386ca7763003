#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <ranges>
#include <span>
#include <sstream>
#include <string_view>

#include "app/command_line/axes.hpp"
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
    "An axis flag alone selects its probe. Values are ranges (`0..32`, inclusive), steps (`0..32:4`), factors "
    "(`1..1024*2`), lists (`1,2,5,8..10`), names, and sizes (`64MiB`, `4KiB..1GiB*4`; `KB` and `MB` are powers of "
    "ten).",
    ("Standard output carries results only; progress and notices go to standard error. Bandwidths are in GB/s, 1e9 "
     "bytes a second."),
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
    {"XDG_CONFIG_HOME", "The folder of your settings, with your own GPU profiles; else ~/.config."},
    {"TMPDIR", "The folder in which gpumem run keeps raw data until it is shown."},
    {"GPUMEM_RUN_KEEP", "A folder in which gpumem run leaves its raw data, one per run."},
    {"GPUMEM_RUN_RAW", "Such a folder, to show in place of the command, which then runs unwatched."},
};

constexpr Entry files[] = {
    {"~/.config/gpumem/gpus",
     "Your own GPU profiles, which gpumem calibrate leaves. They take precedence over shipped ones."},
    {"share/gpumem/configs",
     "Under the prefix of the installation: the GPU profiles and suites that come with the program, to copy and "
     "change."},
    {"share/gpumem/plotting",
     "Programs that --output FILE.html, .svg, .png and .pdf run with python3: a page needs nothing else, a figure "
     "matplotlib."},
    {"share/gpumem/plot.py", "Draws saved JSON reports with choices: one figure, another quantity, some cases."},
    {"share/gpumem/schema", "JSON Schemas of reports, profiles and suites."},
    {"share/doc/gpumem", "The method behind the numbers, and its limits."},
};

constexpr Entry examples[] = {
    {"gpumem probe --offset 0..32 --op write --counters --why", "Measure what misalignment costs, and say why."},
    {"gpumem probe --offset 0..32 --op write --backend model --gpu h200", "Predict the same without a GPU."},
    {"gpumem probe --transfer pinned,pageable --output transfer.json",
     "Find out what page-locked host memory buys, and keep the report."},
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

/// Paragraphs, with the text between backquotes in bold.
std::string described(std::span<const char* const> paragraphs) {
  std::string text;
  bool bold = false;
  for (const char* plain : paragraphs) {
    if (!text.empty()) text += ".PP\n";
    for (const char c : paragraph(plain)) text += c != '`' ? std::string(1, c) : (bold = !bold) ? "\\fB" : "\\fR";
  }
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

std::string option_entry(const OptionEntry& option) {
  std::string names;
  for (const std::string& name : std::ranges::reverse_view(option.names)) {  // short ones first
    names += fmt::format("{}\\fB{}\\fR", names.empty() ? "" : ", ", roff(name));
  }
  if (option.takes == OptionEntry::Takes::attached_value) return names + value_in_fonts(option.value);
  return option.value.empty() ? names : names + " " + value_in_fonts(option.value);
}

std::string options(const CommandEntry& command) {
  std::string text;
  std::string group;
  for (const OptionEntry& option : command.options) {
    if (!command.name.empty() && option.names.front() == "--help") continue;  // said once, of the program
    if (option.group != group) {
      group = option.group;
      if (group != "Options") text += fmt::format(".PP\n{}:\n", roff(group));
    }
    text += ".TP\n" + option_entry(option) + "\n" + paragraph(option.help);
  }
  return text;
}

std::string usage(const CommandEntry& command) {
  std::vector<std::string> arguments;
  for (const OptionEntry& argument : command.arguments) arguments.push_back(argument.value);
  return "\\fBgpumem " + roff(command.name) + "\\fR" + value_in_fonts(arguments_in_usage(arguments, "OPTIONS"));
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

std::string command_section(const CommandEntry& command) {
  std::string text =
      fmt::format(".SS gpumem {}\n{}.\n.PP\n{}\n", roff(command.name), roff(command.purpose), usage(command));
  for (const OptionEntry& argument : command.arguments) {
    text += ".TP\n" + value_in_fonts(argument.value) + "\n" + paragraph(argument.help);
  }
  return text + options(command) + footer(command.footer);
}

}  // namespace

std::string manual_page(const Interface& interface) {
  std::string text = fmt::format(
      ".\\\" Printed by: gpumem manual\n.TH GPUMEM 1 \"{}\" \"gpumem {}\" \"User Commands\"\n"
      // Values are copied from the page, so words are neither hyphenated nor justified.
      ".nh\n.ad l\n"
      ".SH NAME\ngpumem \\- shows how the memory of a GPU behaves, measured or predicted\n.SH SYNOPSIS\n",
      commit_date(), build_information().version);
  for (const CommandEntry& command : interface.commands) {
    text += (&command == &interface.commands.front() ? "" : ".br\n") + usage(command) + "\n";
  }
  text +=
      ".SH DESCRIPTION\n" + described(description) + ".SH OPTIONS\n" + options(interface.program) + ".SH COMMANDS\n";
  for (const CommandEntry& command : interface.commands) {
    text += command_section(command);
    if (command.axes.empty()) continue;
    for (const Probe& probe : interface.probes) text += command_section(probe_entry(probe));
  }
  text += section("EXIT STATUS", exit_status) + section("ENVIRONMENT", environment) + section("FILES", files);
  return text + section("EXAMPLES", examples) + ".SH SEE ALSO\n" + see_also;
}

}  // namespace gpumem::app
