#pragma once
// From argv to what the user asked for, as plain data.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line/given.hpp"
#include "probes/measure/counters.hpp"
#include "probes/measure/numa.hpp"
#include "probes/probe.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

enum class BackendChoice { cuda, model, automatic };

/// Where the numbers come from and what becomes of them, whatever the cases are. What is absent is left to a suite,
/// else to the defaults.
struct RunOptions {
  BackendChoice backend = BackendChoice::cuda;
  std::optional<std::string> gpu;     ///< to predict for: a profile's name or file
  std::optional<std::string> device;  ///< to measure on: index, UUID or PCI bus id
  std::vector<std::string> outputs;   ///< files for the report, or "-" for stdout
  bool dry_run = false;
  bool quiet = false;
  bool no_color = false;
  Effort effort = {};
  std::optional<measure::NumaRequest> numa;
  std::optional<measure::Counting> counting;
};

struct ProbeArguments : RunOptions {
  std::vector<std::string> names;  ///< of probes; empty: the axes, or the quick default set, decide
  std::vector<GivenAxis> axes;
  std::optional<std::string> config;  ///< a suite, by name or file, in place of names and axes
  std::optional<report::Format> format;
  bool why = false;  ///< a last column says what limits each case
};

enum class CheckFormat { table, json, markdown, github };

struct CheckArguments : RunOptions {
  std::vector<std::string> targets;  ///< suites, by name or file, and saved reports; one file may be "-"
  CheckFormat format = CheckFormat::table;
  unsigned attempts = 1;             ///< in all, for what fails
  std::optional<std::string> junit;  ///< files beside the report
  std::optional<std::string> openmetrics;
};

struct ListArguments {
  std::optional<std::string> name;
  bool json = false;
};

struct DevicesArguments {
  bool json = false;
};

struct ExplainArguments {
  std::string report;              ///< a file, or "-" for standard input
  std::vector<std::string> cases;  ///< as CaseWords takes them
  bool markdown = false;
};

struct CalibrateArguments {
  std::optional<std::string> device;  ///< to measure on: index, UUID or PCI bus id
  std::optional<std::string> output;  ///< the profile's file, or "-" for stdout
  std::vector<std::string> from;      ///< reports to fit to instead of measuring
  std::vector<std::string> check;     ///< reports to hold the fitted rates against
  std::optional<std::string> name;    ///< of the profile
  bool quiet = false;
};

struct CompareArguments {
  std::vector<std::string> reports;          ///< the first is what the others are held against; "-": standard input
  std::vector<std::string> cases;            ///< as CaseWords takes them
  bool fleet = false;                        ///< the reports, or directories of them, are of many machines
  std::optional<double> tolerance;           ///< share by which what is the same may differ
  std::optional<double> fail_on_regression;  ///< share of a slowdown from which on the comparison fails
  std::optional<report::Format> format;
  std::vector<std::string> outputs;  ///< files, or "-" for stdout
  bool changed_only = false;         ///< leave out the cases that are the same
  bool quiet = false;
  bool no_color = false;
};

struct ShowArguments {
  std::vector<std::string> reports;  ///< files; one may be "-" for standard input
  std::optional<report::Format> format;
  std::vector<std::string> outputs;  ///< files, or "-" for stdout
  bool why = false;                  ///< a last column says what limits each case
  bool no_color = false;
};

/// --help and --version: a text for stdout.
struct TextRequest {
  std::string text;
};

using Request = std::variant<TextRequest, ProbeArguments, CheckArguments, ListArguments, DevicesArguments,
                             ExplainArguments, CalibrateArguments, CompareArguments, ShowArguments>;

/// What the program has under a name that a command may take.
struct Known {
  const std::vector<Probe>& probes;  ///< whose axes are flags: a new probe brings its own
  std::vector<std::string> suites = {};
};

/// Parses `arguments` (without the program's name). Throws a usage error of one line, with the nearest name where a
/// name is unknown.
[[nodiscard]] Request parse_command_line(const std::vector<std::string>& arguments, const Known& known);

}  // namespace gpumem::app
