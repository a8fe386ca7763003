#include "app/command_line.hpp"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <memory>
#include <utility>

#include "app/build_information.hpp"
#include "app/help.hpp"
#include "app/quantities.hpp"
#include "probes/error.hpp"
#include "probes/suggest.hpp"
#include "report/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

const std::vector<std::string> backend_names = {"cuda", "model", "auto"};
const std::vector<std::string> format_names = {"table", "json", "csv", "markdown"};

std::string version_text() {
  const report::Tool tool = build_information();
  const std::string commit = tool.git_commit == "unknown" ? "" : " (" + tool.git_commit + ")";
  return "gpumem " + tool.version + commit + "\n";
}

/// Position of a name in the list of those an option takes.
std::size_t choice(const std::string& option, const std::string& text, const std::vector<std::string>& names) {
  const auto found = std::ranges::find(names, text);
  if (found == names.end()) {
    throw usage_error(
        fmt::format("--{}: '{}' is not one of {}{}", option, text, join(names, ", "), did_you_mean(text, names)));
  }
  return static_cast<std::size_t>(found - names.begin());
}

CLI::Option* add_switch(CLI::App& command, const std::string& flag, bool& target, const std::string& help) {
  return command.add_flag("--" + flag, target, help)->disable_flag_override();
}

/// An option with a value: of several uses the last counts, and another option is never taken for the value. A flag
/// without dashes is a long one.
template <class Target>
CLI::Option* add_value(CLI::App& command, const std::string& flag, Target& target, const std::string& value_name,
                       const std::string& help) {
  const auto refuse_option = [](const std::string& text) -> std::string {
    if (text.empty()) return "needs a value";
    return text.starts_with("--") ? fmt::format("needs a value before the option '{}'", text) : "";
  };
  CLI::Option* option = command.add_option((flag.starts_with("-") ? "" : "--") + flag, target, help);
  if (option->get_items_expected_max() == 1) option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
  return option->option_text(value_name)->allow_extra_args(false)->check(refuse_option);
}

/// What CLI11 puts in the place of the value of a flag that stands alone. An empty text would not do: that is what a
/// shell makes of a variable that is not set, and it stays an error.
constexpr const char* stands_alone = "(defaults)";

/// What stands after --counters; "true" is nothing.
measure::Counting counting(const std::string& text) {
  if (text == "true") return measure::Counting::if_possible;
  if (text == "require") return measure::Counting::required;
  throw usage_error(fmt::format("--counters: '{}' is not what it takes; give --counters or --counters=require", text));
}

class ProbeCommand {
 public:
  ProbeCommand(CLI::App& program, const std::vector<Probe>& registry)
      : command_(*program.add_subcommand("probe", "Run probes: measure on a GPU, or predict without one")) {
    command_
        .add_option("NAME", arguments_.names,
                    "Probes to run, see 'gpumem list'; without any, those whose axis is "
                    "given, else a quick look at all of them")
        ->option_text("NAME...");
    add_axes(registry);
    add_backend();
    add_results();
    add_effort();
    command_.footer(
        "Values: 0..32 (inclusive), 0..32:4 (step), 1..1024*2 (factor), 1,2,5,8..10\n"
        "(list), names, and sizes such as 64MiB or 4KiB..1GiB*4.\n\n"
        "Examples:\n"
        "  gpumem probe --offset 0..32                       what misalignment costs\n"
        "  gpumem probe --stride 1..32 --op read,write,copy  which direction strides hurt\n"
        "  gpumem probe --transfer pinned,pageable           what pinning memory buys\n"
        "  gpumem probe --zero-copy                          when not to copy at all\n"
        "  gpumem probe --offset 0..32 --backend model --gpu h200 --output offset.json");
  }

  [[nodiscard]] CLI::App& command() const { return command_; }

  [[nodiscard]] ProbeArguments take() {
    for (const auto& axis : axes_) {
      if (axis->texts.empty()) continue;
      arguments_.axes.push_back(*axis);
      std::vector<std::string>& texts = arguments_.axes.back().texts;
      if (std::ranges::find(texts, "") != texts.end()) throw usage_error("--" + axis->flag + " needs a value");
      std::ranges::replace(texts, stands_alone, "");
    }
    arguments_.backend = static_cast<BackendChoice>(choice("backend", backend_, backend_names));
    if (!format_.empty()) {
      arguments_.format = report::format_from_name(format_names[choice("format", format_, format_names)]);
    }
    if (!gpu_.empty()) arguments_.gpu = gpu_;
    if (!device_.empty()) arguments_.device = device_;
    if (!ci_width_.empty()) arguments_.ci_width = parse_fraction("ci-width", ci_width_);
    if (!time_budget_.empty()) arguments_.time_budget = parse_duration("time-budget", time_budget_);
    if (!counters_.empty()) arguments_.counting = counting(counters_);
    if (!numa_.empty()) arguments_.numa = measure::NumaRequest::parse(numa_);
    if (arguments_.gpu && arguments_.backend == BackendChoice::cuda) {
      throw usage_error(
          "--gpu names the GPU to predict for; add --backend model, or use --device to choose the GPU to "
          "measure on");
    }
    if (arguments_.device && arguments_.backend == BackendChoice::model) {
      throw usage_error("--device chooses the GPU to measure on; the model takes --gpu");
    }
    return std::move(arguments_);
  }

 private:
  /// One option per flag, whichever probes have it; those that select a probe come first.
  void add_axes(const std::vector<Probe>& registry) {
    for (const Probe& probe : registry) {
      if (const Axis* compared = probe.find_axis(probe.compared)) add_axis(compared->flag, registry);
      add_axis(probe.axes.front().flag, registry);
    }
    for (const Probe& probe : registry) {
      for (const Axis& axis : probe.axes) add_axis(axis.flag, registry);
    }
  }

  void add_axis(const std::string& flag, const std::vector<Probe>& registry) {
    const auto known = [&](const auto& axis) { return axis->flag == flag; };
    if (std::ranges::any_of(axes_, known)) return;
    axes_.push_back(std::make_unique<GivenAxis>(GivenAxis{.flag = flag, .texts = {}}));
    CLI::Option* option = add_value(command_, flag, axes_.back()->texts, "VALUES", axis_help(flag, registry));
    option->group("Axes");
    if (!value_is_optional(flag, registry)) return;
    option->option_text("[VALUES]")->default_str(stands_alone);
    option->expected(0, 1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void add_backend() {
    constexpr const char* group = "Where the numbers come from";
    add_value(command_, "backend", backend_, "cuda|model|auto",
              "cuda measures, and fails without a GPU (default); model predicts and needs none; auto measures where "
              "there is a GPU and else predicts, e.g. in a script for both")
        ->group(group);
    add_value(command_, "gpu", gpu_, "NAME|FILE",
              "The GPU to predict for, with --backend model or auto: a profile's name or file, e.g. --gpu v100 to see "
              "what an older GPU would make of the pattern")
        ->group(group);
    command_
        .add_flag(
            "--counters", counters_,
            "Also let the hardware count what each case's kernel does (sectors, wavefronts, L2 and DRAM traffic), "
            "beside what was predicted; --counters=require fails where that is not possible")
        ->group(group);
    add_value(command_, "device", device_, "N|UUID|PCI-ID",
              "The GPU to measure on where there are several, see 'gpumem devices', e.g. --device 1. A UUID or PCI id "
              "means the same GPU whatever the process sees")
        ->group(group);
    add_switch(command_, "dry-run", arguments_.dry_run,
               "Only say which cases would run, to check an expensive sweep "
               "before it starts")
        ->group(group);
  }

  void add_results() {
    constexpr const char* group = "Results";
    add_value(command_, "format", format_, "table|json|csv|markdown",
              "How stdout shows the results: a table for people (default), json or csv for programs, markdown for an "
              "issue, e.g. --format csv")
        ->group(group);
    add_value(command_, "output", arguments_.outputs, "FILE",
              "Also write the results to a file, in the format of its extension (.json, .csv, .md, .txt); repeatable, "
              "- is stdout. The file is whole after every case, so a long run can be watched, e.g. --output run.json "
              "--output run.csv")
        ->group(group);
    add_switch(command_, "why", arguments_.why,
               "Add a last column to the table: what limits each case, and what would change it; 'gpumem explain' says "
               "it in full")
        ->group(group);
    add_switch(command_, "quiet", arguments_.quiet,
               "No progress and no notices; with --output, nothing on stdout "
               "either")
        ->group(group);
    add_switch(command_, "no-color", arguments_.no_color, "No colours in the table, as with NO_COLOR set")
        ->group(group);
  }

  void add_effort() {
    constexpr const char* group = "Effort";
    add_value(command_, "ci-width", ci_width_, "SHARE",
              "Repeat a case until the 95 % confidence interval of its median is this narrow (default 0.5%); wider is "
              "faster, e.g. --ci-width 2%")
        ->group(group);
    add_value(command_, "time-budget", time_budget_, "TIME",
              "Stop repeating a case after this time even if its interval is wider (default 2s), for noisy machines, "
              "e.g. --time-budget 500ms")
        ->group(group);
    add_value(command_, "numa", numa_, "gpu|off|N",
              "Where the host memory of transfers lies: on the GPU's NUMA node (default), wherever the system puts it "
              "(off), or on a node, e.g. --numa 1 to see what the far node costs")
        ->group(group);
  }

  CLI::App& command_;
  ProbeArguments arguments_;
  std::vector<std::unique_ptr<GivenAxis>> axes_;  // CLI11 keeps references to their texts
  std::string backend_ = "cuda";
  std::string format_;
  std::string gpu_;
  std::string device_;
  std::string ci_width_;
  std::string time_budget_;
  std::string numa_;
  std::string counters_;
};

class ExplainCommand {
 public:
  explicit ExplainCommand(CLI::App& program)
      : command_(
            *program.add_subcommand("explain", "Say what limits the cases of a saved report, and what would help")) {
    command_
        .add_option("REPORT", arguments_.report, "A JSON report that 'gpumem probe' wrote, or - for standard input")
        ->option_text("REPORT");
    command_
        .add_option("CASE", arguments_.cases,
                    "Only these cases: by position (3, 0..5) or by parameter (offset=1 op=write); without any, all")
        ->option_text("CASE...");
    add_value(command_, "format", format_, "text|markdown",
              "As text for people (default), or as markdown for an issue");
    command_.footer(
        "Examples:\n"
        "  gpumem probe --offset 0..32 --op write --output run.json\n"
        "  gpumem explain run.json offset=1     why this case is as fast as it is\n"
        "  gpumem explain run.json 0..3 --format markdown");
  }

  [[nodiscard]] CLI::App& command() const { return command_; }

  [[nodiscard]] ExplainArguments take() {
    if (arguments_.report.empty()) {
      throw usage_error("explain needs a report; write one with: gpumem probe ... --output run.json");
    }
    arguments_.markdown = choice("format", format_, {"text", "markdown"}) == 1;
    return std::move(arguments_);
  }

 private:
  CLI::App& command_;
  ExplainArguments arguments_;
  std::string format_ = "text";
};

class CalibrateCommand {
 public:
  explicit CalibrateCommand(CLI::App& program)
      : command_(*program.add_subcommand("calibrate", "Measure the rates of a GPU, for predictions of it")) {
    add_value(command_, "device", device_, "N|UUID|PCI-ID",
              "The GPU to calibrate where there are several, see 'gpumem devices'");
    add_value(command_, "-o,--output", output_, "FILE",
              "Write the profile to a file, which --gpu reads; - is stdout. Without it the rates are only shown");
    add_value(command_, "from", arguments_.from, "REPORT",
              "Fit to the measured cases of a saved JSON report instead of measuring; repeatable, needs no GPU");
    add_value(command_, "check", arguments_.check, "REPORT",
              "With --from: hold the rates against this report, which they are not fitted to; repeatable. Without it, "
              "every fourth pattern of the reports is held out");
    add_value(command_, "name", name_, "NAME", "The profile's name in reports (default: the GPU's)");
    add_switch(command_, "quiet", arguments_.quiet, "No progress, and no table of the rates");
    command_.footer(
        "Examples:\n"
        "  gpumem calibrate -o mine.json                     about half a minute on the GPU\n"
        "  gpumem probe --offset 0..32 --backend model --gpu mine.json\n"
        "  gpumem calibrate --from offset.json --from stride.json -o mine.json");
  }

  [[nodiscard]] CLI::App& command() const { return command_; }

  [[nodiscard]] CalibrateArguments take() {
    if (!device_.empty()) arguments_.device = device_;
    if (!output_.empty()) arguments_.output = output_;
    if (!name_.empty()) arguments_.name = name_;
    if (arguments_.device && !arguments_.from.empty()) {
      throw usage_error("--device chooses the GPU to measure on; with --from nothing is measured");
    }
    if (arguments_.from.empty() && !arguments_.check.empty()) {
      throw usage_error("--check needs --from; what calibrate measures itself has its own cases to hold out");
    }
    return std::move(arguments_);
  }

 private:
  CLI::App& command_;
  CalibrateArguments arguments_;
  std::string device_;
  std::string output_;
  std::string name_;
};

std::vector<std::string> option_names(const CLI::App& command) {
  std::vector<std::string> names;
  for (const CLI::Option* option : command.get_options()) {
    if (option->nonpositional()) names.push_back("--" + option->get_lnames().front());
  }
  return names;
}

[[noreturn]] void refuse_option(const std::string& argument, const CLI::App& command, const CLI::App& probe) {
  const std::string option = argument.substr(0, argument.find('='));
  const std::vector<std::string> names = option_names(command);
  const std::vector<std::string> probe_names = option_names(probe);
  std::string hint = did_you_mean(option, names);
  if (hint.empty() && std::ranges::find(probe_names, option) != probe_names.end()) {
    hint = "; it is an option of: gpumem probe";
  }
  const bool nested = command.get_parent() != nullptr;
  const std::string place = nested ? "gpumem " + command.get_name() : "gpumem";
  throw usage_error(fmt::format("unknown option '{}'{}", option, hint.empty() ? "; see: " + place + " --help" : hint));
}

[[noreturn]] void refuse_argument(const std::string& argument, const CLI::App& command,
                                  const std::vector<Probe>& registry) {
  if (command.get_parent() != nullptr) {
    throw usage_error(fmt::format("unexpected argument '{}'; see: gpumem {} --help", argument, command.get_name()));
  }
  std::vector<std::string> names;
  for (const CLI::App* one : command.get_subcommands([](const CLI::App*) { return true; })) {
    names.push_back(one->get_name());
  }
  std::string hint = did_you_mean(argument, names);
  if (hint.empty()) hint = "; there are: " + join(names, ", ");
  if (std::ranges::find(registry, argument, &Probe::name) != registry.end()) {
    hint = "; to run the probe of that name: gpumem probe " + argument;
  }
  throw usage_error(fmt::format("unknown command '{}'{}", argument, hint));
}

/// CLI11's own words, where ours did not come first.
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
    if (argument.starts_with("--") && argument.find('=') == argument.size() - 1) {
      throw usage_error(argument.substr(0, argument.size() - 1) + " needs a value after the '='");
    }
  }
}

}  // namespace

Request parse_command_line(const std::vector<std::string>& arguments, const std::vector<Probe>& registry) {
  CLI::App program(
      "Shows how a GPU's memory behaves: what alignment, strides and bank conflicts cost, measured or "
      "predicted",
      "gpumem");
  program.formatter(std::make_shared<HelpFormatter>());  // commands inherit what is set before they are added
  program.set_help_flag("--help,-h", "Explain the command and its options");
  program.set_version_flag("--version", version_text(), "Version and commit");
  program.require_subcommand(0, 1);
  program.allow_extras();
  program.footer("Start with: gpumem probe --offset 0..32");

  ProbeCommand probe(program, registry);
  ExplainCommand explain(program);
  ListArguments list;
  CLI::App& list_command = *program.add_subcommand("list", "Probes with their axes, units and defaults (needs no GPU)");
  std::string list_name;
  const CLI::Option* list_option = list_command.add_option("NAME", list_name, "Only this probe")->option_text("NAME");
  add_switch(list_command, "json", list.json, "For programs, e.g. to build a menu of probes");
  DevicesArguments devices;
  CLI::App& devices_command =
      *program.add_subcommand("devices", "GPUs of this machine, with everything a report records about them");
  add_switch(devices_command, "json", devices.json, "For programs, with the names of a report's \"device\"");

  CalibrateCommand calibrate(program);

  refuse_empty_values(arguments);
  try {
    program.parse(std::vector<std::string>(arguments.rbegin(), arguments.rend()));
  } catch (const CLI::CallForHelp&) {
    return TextRequest{program.help()};
  } catch (const CLI::CallForVersion&) {
    return TextRequest{version_text()};
  } catch (const CLI::ParseError& error) {
    throw usage_error_of(error);
  }
  for (const CLI::App* command :
       {static_cast<const CLI::App*>(&program), static_cast<const CLI::App*>(&probe.command()),
        static_cast<const CLI::App*>(&list_command), static_cast<const CLI::App*>(&devices_command),
        static_cast<const CLI::App*>(&explain.command()), static_cast<const CLI::App*>(&calibrate.command())}) {
    const std::vector<std::string> unknown = command->remaining();
    if (unknown.empty()) continue;
    if (unknown.front().starts_with('-')) refuse_option(unknown.front(), *command, probe.command());
    refuse_argument(unknown.front(), *command, registry);
  }
  if (probe.command().parsed()) return probe.take();
  if (list_command.parsed()) {
    if (list_option->count() > 0) list.name = list_name;
    return list;
  }
  if (devices_command.parsed()) return devices;
  if (explain.command().parsed()) return explain.take();
  if (calibrate.command().parsed()) return calibrate.take();
  throw usage_error("no command given; there are: probe, explain, calibrate, list, devices; see: gpumem --help");
}

}  // namespace gpumem::app
