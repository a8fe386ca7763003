#pragma once
// Parts of a suite's file. Every error is a usage error with the source, the JSON pointer and what was expected there.

#include <string>
#include <string_view>
#include <vector>

#include "app/run/plan.hpp"
#include "app/suite/suite.hpp"
#include "probes/error.hpp"
#include "probes/json_reader.hpp"
#include "probes/probe.hpp"
#include "report/check/expectation.hpp"

namespace gpumem::app {

/// What an error says once its place in a file says for which option: without "--option: ".
[[nodiscard]] std::string_view without_option(std::string_view message);

/// Runs what reads values as the command line does, and complains about the value's place instead of an option.
template <class Action>
decltype(auto) at_place(const JsonReader& place, const Action& action) {
  try {
    return action();
  } catch (const Error& error) {
    place.refuse(std::string(without_option(error.what())));
  }
}

/// A text that is not empty.
[[nodiscard]] std::string read_name(const JsonReader& json);

[[nodiscard]] SuiteOptions read_suite_options(const JsonReader& json);

/// An entry of `probes`, whose cases have been planned once.
[[nodiscard]] SuiteProbe read_suite_probe(const JsonReader& json, const std::vector<Probe>& registry);

/// An entry of `expectations`; `place` is what an error calls it.
[[nodiscard]] report::Expectation read_expectation(const JsonReader& json, const std::string& place,
                                                   const std::vector<Probe>& registry);

/// Throws where the expectation at `json` selects no case of the plan, or a reference that is none or not one.
void require_cases(const JsonReader& json, const report::Expectation& expectation,
                   const std::vector<report::Record>& planned);

}  // namespace gpumem::app
