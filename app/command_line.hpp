#pragma once
// From argv to what the user asked for, as plain data.

#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "app/plan.hpp"
#include "probes/measure/counters.hpp"
#include "probes/measure/numa.hpp"
#include "probes/measure/statistics.hpp"
#include "probes/probe.hpp"
#include "report/writers.hpp"

namespace gpumem::app {

enum class BackendChoice { cuda, model, automatic };

struct ProbeArguments {
  std::vector<std::string> names;  ///< of probes; empty: the axes, or the quick default set, decide
  std::vector<GivenAxis> axes;
  BackendChoice backend = BackendChoice::cuda;
  std::optional<std::string> gpu;     ///< to predict for: a profile's name or file
  std::optional<std::string> device;  ///< to measure on: index, UUID or PCI bus id
  std::optional<report::Format> format;
  std::vector<std::string> outputs;  ///< files, or "-" for stdout
  bool dry_run = false;
  bool quiet = false;
  bool no_color = false;
  bool why = false;  ///< a last column says what limits each case
  double ci_width = measure::StoppingRule{}.ci_width;
  measure::Seconds time_budget = measure::StoppingRule{}.time_budget;
  measure::NumaRequest numa = {};
  measure::Counting counting = measure::Counting::off;
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
  std::vector<std::string> cases;  ///< as choose_cases takes them
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

/// --help and --version: a text for stdout.
struct TextRequest {
  std::string text;
};

using Request =
    std::variant<TextRequest, ProbeArguments, ListArguments, DevicesArguments, ExplainArguments, CalibrateArguments>;

/// Parses `arguments` (without the program's name). `registry` supplies the axis flags: a new probe brings its own.
/// Throws a usage error of one line, with the nearest name where a name is unknown.
[[nodiscard]] Request parse_command_line(const std::vector<std::string>& arguments, const std::vector<Probe>& registry);

}  // namespace gpumem::app
