#pragma once
// A suite: probes with their axes and options, and what is expected of the results. Files of configs/, or a user's own.

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/run/run_options.hpp"
#include "probes/probe.hpp"
#include "report/check/expectation.hpp"

namespace gpumem::app {

struct Suite {
  std::string name;
  std::string purpose;
  CaseOptions options;
  Plan plan;  ///< the cases of its probes, in its order; none where it is about kernels of a user's program
  std::vector<report::Expectation> expectations;
};

/// Parses a suite; its cases point into `registry`. Files that it names with a relative path are in `folder`; empty: in
/// the current one. Throws a usage error "SOURCE: POINTER: what is wrong", with the nearest name for one that is
/// unknown.
[[nodiscard]] Suite parse_suite(std::string_view json, const std::string& source, const std::vector<Probe>& registry,
                                const std::string& folder = "");

/// Returns the folder of a suite's file, as its path says it; empty: the current folder.
[[nodiscard]] std::string folder_of(const std::string& suite_file);

/// Throws a usage error for a suite without probes, which only reports can be held to.
void refuse_nothing_to_run(const Suite& suite);

/// The shipped suite of a name ("smoke") or, if the text looks like a path (has a slash or ends in .json or
/// .json.gz), that of a file, or of standard input ("-"). Throws a usage error for an unknown name (with those there
/// are) or an invalid file.
[[nodiscard]] Suite load_suite(const std::string& name_or_path, const std::vector<Probe>& registry);

/// Returns the options, with a suite's in place of those that they leave open. The effort stays: it differs by sweep.
[[nodiscard]] RunOptions with_suite(const RunOptions& given, const CaseOptions& suite);

[[nodiscard]] std::vector<std::string> suite_names();

/// The shipped suites, generated at build time from configs/*.json.
struct EmbeddedSuite {
  std::string_view name;
  std::string_view json;
};
[[nodiscard]] std::span<const EmbeddedSuite> embedded_suites();

}  // namespace gpumem::app
