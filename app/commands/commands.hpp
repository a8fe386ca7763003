#pragma once
// From argv to what the user asked for, and what is done about it. The table of commands is in commands.cpp; here is
// what is known of them outside: their arguments as plain data, and what runs them. Each returns the exit code.

#include <any>
#include <functional>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "app/command_line/interface.hpp"
#include "app/run/environment.hpp"
#include "app/run/run_options.hpp"

namespace gpumem::app {

class CommandOptions;

struct ProbeArguments : RunOptions {
  std::vector<std::string> names;  ///< of probes; empty: the axes, or the quick default set, decide
  std::vector<GivenAxis> axes;
  std::optional<std::string> config;  ///< a suite, by name or file, in place of names and axes
};

/// Runs the cases and writes their report: 0 all ran and verified, 1 data was wrong, 4 a case failed, 3 one was skipped
/// because a capability is missing. Throws a usage error before anything is measured, a no-GPU error, and Interrupted
/// after the report of what was done has been written.
[[nodiscard]] int run_probe_command(const ProbeArguments& arguments, const Environment& environment);

/// Runs cases, whose files are kept up to date meanwhile, and hands over their completed report; also where it ended
/// early. The exit code and what is thrown are those of `probe`.
[[nodiscard]] int run_cases(const Plan& plan, const RunOptions& options, const ResultOutputs& outputs,
                            const Environment& environment,
                            const std::function<void(const report::Report& report)>& finish);

/// Reads files, of which one may be "-" for standard input. What a report of an older version lacks and follows from
/// its readings (findings, explanations) is made; the readings stay as they are. Throws a usage error.
[[nodiscard]] std::vector<report::NamedReport> read_reports(const std::vector<std::string>& paths,
                                                            const Environment& environment);

/// Throws a usage error where a directory stands for a report, with the line that names the reports in it; `before`:
/// the command and what stands before its reports.
void refuse_directories(const std::vector<std::string>& paths, const std::string& before);

enum class CheckFormat { table, json, markdown, github };

struct CheckArguments : RunOptions {
  std::vector<std::string> targets;        ///< suites, by name or file, and saved reports; one file may be "-"
  CheckFormat shown = CheckFormat::table;  ///< on stdout
  unsigned attempts = 1;                   ///< in all, for what fails
  bool fail_on_skip = false;               ///< whether a skip of any expectation is a failure
  std::optional<std::string> junit;        ///< files beside the report
  std::optional<std::string> openmetrics;
};

/// Runs the suites, or reads the reports, and prints a line per expectation: 0 nothing failed, 1 something did or
/// nothing that it is about was checked, 3 nothing failed but a required expectation was skipped. Throws as `probe`
/// does.
[[nodiscard]] int run_check_command(const CheckArguments& arguments, const Environment& environment);

struct ExplainArguments {
  std::optional<std::string> report;  ///< a file, or "-" for standard input
  std::vector<std::string> cases;     ///< as CaseWords takes them
  bool markdown = false;
};

struct CompareArguments : ResultRequest {
  std::vector<std::string> reports;          ///< the first is what the others are held against; "-": standard input
  std::vector<std::string> cases;            ///< as CaseWords takes them
  bool fleet = false;                        ///< the reports, or directories of them, are of many machines
  std::optional<double> tolerance;           ///< share by which what is the same may differ
  std::optional<double> fail_on_regression;  ///< share of a slowdown from which on the comparison fails
  bool changed_only = false;                 ///< leave out the cases that are the same
};

/// Reads the reports of many GPUs, one file each, and writes which GPUs and cases are off by more than `tolerance`, a
/// share of their kind's median. A file that is no report is named on stderr, and the others are compared all the same.
/// Returns the exit code: 0; 1 where it shall fail on regressions and there are some, or nothing could be judged; 2 if
/// a file could not be used. Throws a usage error where there is no report at all.
[[nodiscard]] int run_fleet_command(const CompareArguments& arguments, double tolerance,
                                    const Environment& environment);

struct CalibrateArguments {
  std::optional<std::string> device;  ///< to measure on: index, UUID or PCI bus id
  std::optional<std::string> output;  ///< the profile's file, or "-" for stdout; absent: the user's own of such a GPU
  std::optional<std::string> contribute = {};  ///< a file for the profile, its checks and what it was made of
  std::vector<std::string> from;               ///< reports and contributions to fit to instead of measuring
  std::vector<std::string> check;              ///< reports to hold the fitted rates against
  std::optional<std::string> name;             ///< of the profile
  bool quiet = false;
};

/// Measures the calibration plan (or reads reports), fits the rates, prints them with their uncertainty and the fit's
/// errors, and writes the profile: 0, or 1 if it is to be contributed and failed a check. Throws a usage error for a
/// file that cannot be written, and for reports that are of several GPUs or hold nothing to fit to, and a no-GPU error
/// that says how to do without one.
[[nodiscard]] int run_calibrate_command(const CalibrateArguments& arguments, const Environment& environment);

struct ListArguments {
  std::optional<std::string> name;
  bool json = false;
};

struct DevicesArguments {
  bool json = false;
};

/// Lists the GPUs of this machine with what a report records about them. Throws a no-GPU error when there is none, with
/// --json after writing an empty list.
[[nodiscard]] int run_devices_command(const DevicesArguments& arguments, const Environment& environment);

/// What was asked for: the arguments of a command, in a type of its own, and what does it and returns the exit code. Of
/// --help and its like they are a std::string, the text for stdout.
struct Request {
  template <class Arguments>
  Request(Arguments given, std::function<int(const std::type_identity_t<Arguments>&, const Environment&)> run_it)
      : arguments(given), run([given, run_it](const Environment& environment) { return run_it(given, environment); }) {}

  std::any arguments;
  std::function<int(const Environment&)> run;
  bool takes_long = false;  ///< an interrupt should end it with what was done until then
};

/// Called once the command's options have been read. Throws a usage error.
using MakeRequest = std::function<Request()>;

struct Command {
  const char* name;
  const char* purpose;
  /// Declares the command's options.
  MakeRequest (*declare)(CommandOptions& options, const Known& known);
  bool takes_long = false;
};

[[nodiscard]] bool is_command(const std::string& name);

/// Parses `arguments` (without the program's name). Throws a usage error of one line, with the nearest name where a
/// name is unknown.
[[nodiscard]] Request parse_command_line(const std::vector<std::string>& arguments, const Known& known);

}  // namespace gpumem::app
