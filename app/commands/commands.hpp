#pragma once
// The commands, and the way from argv to one of them. The table of commands is in commands.cpp. This header has what is
// known of them outside: their arguments as plain data, and the functions that run them. These return the exit code.

#include <any>
#include <functional>
#include <optional>
#include <span>
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
  bool tables = false;                ///< of a quick look at all probes, every table
};

/// Runs the cases and writes their report. Returns 0 if all ran and verified, 1 if data was wrong, 4 if a case failed,
/// 3 if one was skipped because a capability is missing. Throws a usage error before anything is measured, a no-GPU
/// error, and Interrupted after the report of the cases done has been written.
[[nodiscard]] int run_probe_command(const ProbeArguments& arguments, const Environment& environment);

/// Runs cases, keeps the files of `outputs` up to date meanwhile, and calls `finish` with the completed report, also if
/// the run ended early. Returns and throws as run_probe_command() does.
[[nodiscard]] int run_cases(const Plan& plan, const RunOptions& options, const ResultOutputs& outputs,
                            const Environment& environment,
                            const std::function<void(const report::Report& report)>& finish);

/// Reads files, of which one may be "-" for standard input. Findings and explanations that a report of an older version
/// lacks are made from its readings, which stay as they are. Throws a usage error.
[[nodiscard]] std::vector<report::NamedReport> read_reports(const std::vector<std::string>& paths,
                                                            const Environment& environment);

/// Throws a usage error if a directory is given in place of a report. The error shows the line that names the reports
/// in it; `before` is the command and everything before its reports.
void refuse_directories(const std::vector<std::string>& paths, const std::string& before);

enum class CheckFormat { table, json, markdown, github };

struct CheckArguments : RunOptions {
  std::vector<std::string> targets;        ///< suites, by name or file, and saved reports; one file may be "-"
  CheckFormat shown = CheckFormat::table;  ///< on stdout
  unsigned attempts = 1;                   ///< in all, for what fails
  bool verbose = false;                    ///< a line for what passed too
  bool fail_on_skip = false;               ///< whether a skip of any expectation is a failure
  std::optional<std::string> junit;        ///< files beside the report
  std::optional<std::string> openmetrics;
  std::optional<std::string> against;  ///< a history: a folder of reports, or a file of lines (history_file.hpp)
};

/// Runs the suites, or reads the reports, and prints a line per expectation. Returns 0 if nothing failed, 1 if an
/// expectation failed or none of the suite's own was checked, 3 if nothing failed but a required expectation was
/// skipped. Throws as run_probe_command() does.
[[nodiscard]] int run_check_command(const CheckArguments& arguments, const Environment& environment);

struct ExplainArguments : ResultRequest {
  std::optional<std::string> report;  ///< a file, or "-" for standard input
  std::vector<std::string> cases;     ///< as CaseWords takes them
};

struct CompareArguments : ResultRequest {
  std::vector<std::string> reports;          ///< the first is what the others are held against; "-": standard input
  std::vector<std::string> cases;            ///< as CaseWords takes them
  bool counts = false;                       ///< counts of accesses are compared, in place of times
  std::vector<std::string> repeats;          ///< with `counts`: further reports of what OLD is of
  bool fleet = false;                        ///< the reports, or directories of them, are of many machines
  std::optional<double> tolerance;           ///< share by which what is the same may differ
  std::optional<double> fail_on_regression;  ///< share of a slowdown from which on the comparison fails
  bool changed_only = false;                 ///< leave out the cases that are the same
};

/// Compares the counts of OLD and NEW, the first two reports; the others are repeated runs of OLD. Returns 1 if a count
/// grew or nothing could be compared, with the reason on stderr, else 0. Throws a usage error for words that choose no
/// case.
[[nodiscard]] int run_counts_command(const CompareArguments& arguments, std::span<const report::NamedReport> reports,
                                     const ResultOutputs& outputs, const Environment& environment);

/// Reads the reports of many GPUs, one file each, and writes which GPUs and cases differ from the median of their kind
/// by more than `tolerance`, a share. A file that is no report is named on stderr, and the others are compared all the
/// same. Returns 2 if a file could not be used; otherwise 1 if --fail-on-regression was given and there are regressions
/// or nothing could be judged, else 0. Throws a usage error if there is no report at all.
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
/// errors, and writes the profile. Returns 0, or 1 if the profile is to be contributed and failed a check. Throws a
/// usage error for a file that cannot be written, and for reports that are of several GPUs or hold nothing to fit to.
/// Throws a no-GPU error that says how to calibrate without a GPU.
[[nodiscard]] int run_calibrate_command(const CalibrateArguments& arguments, const Environment& environment);

struct ListArguments {
  std::optional<std::string> name;  ///< of a probe, or "suites" or "gpus"
  bool json = false;
};

struct DevicesArguments {
  bool json = false;
};

/// Lists the GPUs of this machine with what a report records about them. If there is none, throws a no-GPU error; with
/// --json it writes an empty list first.
[[nodiscard]] int run_devices_command(const DevicesArguments& arguments, const Environment& environment);

/// A command with its arguments, ready to run. `arguments` has the command's own type; `run` returns the exit code. For
/// --help and the like the arguments are a std::string, the text for stdout.
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

/// Declares the options of a command.
using DeclareOptions = MakeRequest(CommandOptions& options, const KnownNames& known);

struct Command {
  const char* name;
  const char* purpose;
  DeclareOptions* declare;
  bool takes_long = false;
};

[[nodiscard]] bool is_command(const std::string& name);

/// Parses `arguments` (without the program's name). Throws a usage error of one line, with the nearest name where a
/// name is unknown.
[[nodiscard]] Request parse_command_line(const std::vector<std::string>& arguments, const KnownNames& known);

}  // namespace gpumem::app
