#include <fmt/format.h>

#include <algorithm>

#include "app/commands/refusals.hpp"
#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// In the advice, {value} is what was typed, else the example; {name} the same option without its dashes, and {option}
/// with them; {command} the command.
struct Instead {
  const char* commands;  ///< separated by spaces; "*": every command
  const char* options;   ///< separated by spaces; "axis": the axes of probes
  const char* advice;
  const char* example = "";
};

// The first row that names both counts.
constexpr Instead rows[] = {
    // ---- where the numbers come from
    {"probe check portrait", "--model --predict --simulate", "predict with: --backend model --gpu {value}", "h200"},
    {"expect", "--model --gpu --profile --backend", "name the GPU alone: gpumem expect {value}", "h200"},
    {"run", "--backend --model --predict",
     "run measures a program; predict a pattern of its accesses with: gpumem probe --pattern 'i * 3' --backend model"},
    {"calibrate", "--backend --model --gpu --profile",
     "calibrate measures the GPU that --device names; predict with its profile: gpumem probe --backend model --gpu "
     "FILE"},
    {"devices", "--gpu --model", "devices shows all GPUs of this machine; of another: gpumem expect {value}", "h200"},
    {"show explain compare", "--backend --model --gpu --profile --device --dry-run --numa --ci-width --time-budget",
     "a saved report is not run again; run its cases anew with: gpumem probe ... {option}"},
    {"show explain compare", "--counters",
     "a saved report is not measured again; measure with: gpumem probe ... --counters, or: gpumem run --counters"},
    {"list completion manual help", "--backend --model --gpu --profile --device",
     "{command} is the same for all GPUs; for one of them: gpumem expect, gpumem probe"},
    {"probe check portrait", "--profile", "the profile of a GPU is given with: --gpu {value}", "h200"},
    {"probe check portrait run calibrate expect", "--gpu-id --gpu-index --devices -d -i",
     "a GPU of this machine is chosen with: --device {value}", "0"},
    {"probe check portrait", "--gpus", "several GPUs are measured with: --device {value}", "all"},
    {"run", "--gpus --devices", "one GPU is chosen with: --device {value}", "0"},
    // ---- cases
    {"show explain compare", "axis", "choose cases without dashes: {name}={value}", "1"},
    {"show explain compare", "--probe", "choose cases without dashes: probe={value}", "offset"},
    {"show explain compare", "--case --cases --filter --only", "choose cases by position or parameter: 3, offset=1"},
    {"show explain compare", "--kernel", "choose kernels without dashes: kernel={value}", "transpose"},
    {"check", "axis", "a suite says which cases run; to run others: gpumem probe {option} {value}"},
    {"check", "--probe", "a suite says which probes run; to run one: gpumem probe {value}", "offset"},
    {"portrait", "axis --probe --config --suite",
     "a portrait always has the same cases; to run others: gpumem probe {option} {value}"},
    {"calibrate", "axis --probe --config --suite",
     "calibrate chooses its cases; to fit to others: gpumem probe ... -o report.json, gpumem calibrate --from "
     "report.json"},
    {"run expect", "axis", "it is an axis of probes: gpumem probe {option} {value}"},
    {"list help", "axis", "which probes have it: gpumem probe --help; run it with: gpumem probe {option} {value}"},
    {"probe", "--probe --name", "name the probe without dashes: gpumem probe {value}", "offset"},
    {"list help", "--probe --name", "name the probe without dashes: gpumem {command} {value}", "offset"},
    {"list", "--suites --suite", "suites are shown by: gpumem list suites"},
    {"list", "--gpus --profiles --all", "GPUs are shown by: gpumem list gpus"},
    {"list", "--devices", "GPUs of this machine are shown by: gpumem devices"},
    {"*", "--list --probes", "the probes are shown by: gpumem list"},
    {"probe", "--all", "a quick look at all probes is: gpumem probe"},
    {"check", "--all", "the largest suite is: gpumem check full"},
    {"devices", "--all --device", "gpumem devices shows all GPUs of this machine; leave it out"},
    {"probe", "--expression --expr --access", "an access pattern is given with: --pattern {value}", "'i * 3'"},
    // ---- how long
    {"probe check portrait", "--iterations --iters --repeat --repeats --repetitions --runs --samples --reps --count -n",
     "a case is repeated until its interval is narrow: --ci-width 1%, or for some time: --time-budget 500ms"},
    {"probe check portrait", "--timeout --time --duration --min-time --max-time",
     "the time for a case is limited with: --time-budget {value}", "500ms"},
    {"probe check portrait", "--precision --accuracy --confidence", "give the width of the interval: --ci-width 1%"},
    {"run", "--ci-width --time-budget --iterations --repeat --samples",
     "more launches of each kernel are sampled with: --launches 3; less time is spent with: --max-overhead 5%"},
    {"calibrate portrait", "--ci-width --time-budget", "how long each case takes is fixed; leave it out"},
    {"run", "--dry-run", "run has to start the program; leave it out"},
    {"calibrate expect list devices", "--dry-run", "leave it out; for cases that would run: gpumem probe --dry-run"},
    {"run", "--kernels --filter --only --include", "kernels are chosen with: --kernel {value}", "transpose"},
    {"run", "--warmup --warm-up --skip", "launches are passed over with: --skip-first {value}", "1000"},
    {"probe check portrait explain show compare", "--launches --skip-first --replay --sites --max-overhead",
     "it is about a program: gpumem run {option} {value} -- COMMAND"},
    // ---- reasons
    {"check", "--why --explain",
     "drop it: each failure says why; for all cases: gpumem check ... -o run.json, gpumem explain run.json"},
    {"explain", "--why --explain", "drop it: explain says why of every case"},
    {"compare", "--why --explain", "the reasons of each report are in: gpumem explain REPORT"},
    {"run", "--why --explain", "drop it: the table says why; in full: gpumem explain REPORT"},
    {"portrait", "--why --explain", "save the report with -o portrait.json; its reasons: gpumem explain portrait.json"},
    {"expect", "--why --explain", "drop it: the table names the source of each value"},
    {"list devices calibrate", "--why --explain", "reasons are in: gpumem probe ... --why"},
    // ---- gates
    {"compare", "--threshold --tol --epsilon --noise",
     "differences that do not count are given with: --tolerance {value}", "2%"},
    {"compare", "--fail --fail-on --fail-on-slowdown --max-regression --gate",
     "a gate is: --fail-on-regression {value}", "3%"},
    {"check", "--tolerance --threshold",
     "tolerances stand in the suite's file; of two reports: gpumem compare OLD NEW --tolerance {value}", "2%"},
    {"check probe run show portrait explain", "--fail-on-regression --baseline --compare --against",
     "two reports are compared by: gpumem compare OLD NEW --fail-on-regression 3%"},
    {"*", "--tolerance --threshold --changed", "two reports are compared by: gpumem compare OLD NEW {option} {value}"},
    {"*", "--fleet", "many machines are compared by: gpumem compare --fleet DIR"},
    {"compare probe run", "--junit --openmetrics --attempts --fail-on-skip",
     "expectations are checked by: gpumem check SUITE {option} {value}"},
    {"show portrait explain", "--attempts --fail-on-skip",
     "expectations are checked by: gpumem check SUITE {option} {value}"},
    {"show", "--junit", "the checks of a report: gpumem show REPORT -o {value}", "checks.xml"},
    {"show", "--openmetrics", "the gauges of a report: gpumem show REPORT -o {value}", "gpu.prom"},
    {"explain portrait", "--junit --openmetrics", "the report in another format: gpumem show REPORT --format {name}"},
    {"*", "--contribute --from --check --name", "the profile of a GPU is made by: gpumem calibrate {option} {value}"},
    // ---- where results go
    {"list devices", "-o --output --out --save", "{command} writes to stdout: gpumem {command} --json > {value}",
     "{command}.json"},
    {"completion manual help", "-o --output --out --save", "{command} writes to stdout: gpumem {command} > {value}",
     "FILE"},
    {"*", "--out --save --file --output-file --export --report", "a file is written with: --output {value}",
     "run.json"},
    {"list devices", "--format", "the other format is: gpumem {command} --json"},
    {"list devices", "--csv --markdown --html", "the other format is: gpumem {command} --json"},
    {"explain", "--csv", "the report holds the reasons: gpumem show REPORT --format csv"},
    {"calibrate", "--format --json --csv", "the profile is JSON: gpumem calibrate -o mine.json"},
    {"completion manual help", "--format --json", "{command} has one format; leave it out"},
    {"list devices completion manual help explain", "--quiet --no-color --color",
     "{command} prints no progress and no colours; leave it out"},
    {"calibrate", "--no-color --color", "calibrate prints no colours; leave it out"},
    {"*", "--figure --y --scale",
     "a report is drawn with choices by: gpumem show REPORT {option} {value} -o figure.svg", "roofline"},
    {"*", "--plot --graph --svg --png --pdf --html",
     "a figure is written with: -o figure.svg; a page with: -o page.html"},
    {"probe check show compare expect", "-f", "the format is given with: --format {value}", "json"},
    {"probe check show compare expect portrait run list devices", "-j", "the format is given with: --json"},
    {"probe check portrait compare run calibrate", "--silent --no-progress", "less is printed with: --quiet"},
    {"*", "--help-all --usage --examples", "it is: --help"},
    {"check", "--strict --require-all --all-required", "skips fail the check with: --fail-on-skip"},
    {"completion", "--shell", "name the shell alone: gpumem completion {value}", "bash"},
    {"*", "--verbose --debug -v", "results say all there is; reasons: --why, or: gpumem explain REPORT"},
};

bool is_axis(const std::string& option, const Interface& interface) {
  return std::ranges::any_of(interface.commands,
                             [&](const CommandEntry& command) { return find_option(command.axes, option) != nullptr; });
}

}  // namespace

std::optional<std::string> instead_of_option(const std::string& option, const std::string& value,
                                             const CommandEntry& command, const Interface& interface) {
  const bool axis = is_axis(option, interface);
  const auto* const row = std::ranges::find_if(rows, [&](const Instead& any) {
    const bool has_command = std::string_view(any.commands) == "*" || is_among(command.name, any.commands);
    return has_command && (is_among(option, any.options) || (axis && is_among("axis", any.options)));
  });
  if (row == std::end(rows)) return std::nullopt;
  const std::string_view name = std::string_view(option).substr(option.find_first_not_of('-'));
  const auto of_command = fmt::arg("command", command.name);
  const std::string typed =
      value.empty() ? fmt::format(fmt::runtime(row->example), of_command) : report::shell_quoted(value);
  const std::string text = fmt::format(fmt::runtime(row->advice), fmt::arg("value", typed), fmt::arg("option", option),
                                       fmt::arg("name", name), of_command);
  const std::size_t end = text.find_last_not_of(' ');
  return text.substr(0, end + 1);
}

std::optional<std::string> instead_of_format(const std::string& format, const CommandEntry& command) {
  constexpr std::string_view pictures = "html svg png pdf";
  constexpr std::string_view tables = "json csv markdown md txt";
  if (is_among(format, "junit openmetrics trace xml prom")) {
    const std::string option = format == "xml" ? "junit" : format == "prom" ? "openmetrics" : format;
    if (find_option(command.options, "--" + option) != nullptr) return fmt::format("write it with: --{} FILE", option);
    if (command.name == "run" && option == "trace") {
      return "write it with: -o app.json, gpumem show app.json -o app.trace";
    }
    return option == "trace" ? std::nullopt
                             : std::optional(fmt::format("write it with: gpumem check SUITE --{} FILE", option));
  }
  if (command.name == "show" && is_among(format, "text")) return "the text is the table: leave it out";
  if (command.name == "expect" && is_among(format, "svg png pdf"))
    return "there is no figure of it; a page: -o expect.html";
  if (!is_among(format, pictures) && !is_among(format, tables)) return std::nullopt;
  const std::string extension = format == "markdown" ? "md" : format;
  if (command.name == "explain") {
    return format == "md"    ? "write it as: --format markdown"
           : format == "csv" ? "show the report so: gpumem show REPORT --format csv"
                             : "write it with: -o why." + extension;
  }
  if (find_option(command.options, "--output") == nullptr) return std::nullopt;
  if (command.name == "portrait" && is_among(extension, "csv md")) {
    return fmt::format("write it with: -o portrait.json, gpumem show portrait.json -o portrait.{}", extension);
  }
  return fmt::format("write it with: -o {}.{}", command.name, extension);
}

}  // namespace gpumem::app
