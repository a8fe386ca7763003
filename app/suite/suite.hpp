#pragma once
// A suite: probes with their axes and options, and what is expected of the results. Files of configs/, or a user's own.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/command_line/given.hpp"
#include "app/run/plan.hpp"
#include "probes/measure/counters.hpp"
#include "probes/measure/numa.hpp"
#include "probes/probe.hpp"
#include "report/check/expectation.hpp"

namespace gpumem::app {

/// What a suite asks for; absent is left to the command line and its defaults.
struct SuiteOptions {
  Effort effort;
  std::optional<measure::NumaRequest> numa;
  std::optional<measure::Counting> counting;
};

/// One entry of `probes`.
struct SuiteProbe {
  std::string probe;
  std::vector<GivenAxis> axes;
  Effort effort;  ///< overrides the suite's
};

struct Suite {
  std::string name;
  std::string purpose;
  SuiteOptions options;
  std::vector<SuiteProbe> probes;  ///< at least one
  std::vector<report::Expectation> expectations;
};

/// Parses a suite. Throws a usage error "SOURCE: POINTER: what is wrong", with the nearest name for one that is
/// unknown.
[[nodiscard]] Suite parse_suite(std::string_view json, const std::string& source, const std::vector<Probe>& registry);

/// The shipped suite of a name ("smoke") or, if the text looks like a path (has a slash or ends in .json), that of a
/// file. Throws a usage error for an unknown name (with those there are) or an invalid file.
[[nodiscard]] Suite load_suite(const std::string& name_or_path, const std::vector<Probe>& registry);

/// The cases of a suite in its order. Throws a usage error as make_plan() of a command line does.
[[nodiscard]] Plan make_plan(const std::vector<Probe>& registry, const Suite& suite);

/// The options with what a suite asks for in place of what they leave open. The effort stays: it differs by sweep.
[[nodiscard]] RunOptions with_suite(const RunOptions& given, const SuiteOptions& suite);

[[nodiscard]] std::vector<std::string> suite_names();

/// The shipped suites, generated at build time from configs/*.json.
struct EmbeddedSuite {
  std::string_view name;
  std::string_view json;
};
[[nodiscard]] std::span<const EmbeddedSuite> embedded_suites();

}  // namespace gpumem::app
