#pragma once
// Which cases are meant: by a suite's expectation, or by the words that a user gives a command.

#include <cstddef>
#include <string>
#include <vector>

#include "report/record/record.hpp"
#include "report/text/name_pattern.hpp"

namespace gpumem::report {

/// The cases that meet every condition. What is empty is no condition.
struct Selection {
  /// One of the parameters has one of the values: of several, because a name may mean another one in another probe. A
  /// value is the one that a case ran with, or "auto" where that was asked for. Names of kernels may match instead.
  struct Allowed {
    std::vector<std::string> parameters;
    std::vector<Value> values = {};
    std::vector<NamePattern> patterns = {};
  };
  std::vector<std::string> probes = {};
  std::vector<Allowed> parameters = {};
  std::vector<std::size_t> positions = {};  ///< in the report's results
};

/// By probe and parameters.
[[nodiscard]] bool selects(const Selection& selection, const Record& record);
/// By position too.
[[nodiscard]] bool selects(const Selection& selection, const Record& record, std::size_t position);

/// Whether a condition is about the parameter.
[[nodiscard]] bool names_parameter(const Selection& selection, const std::string& parameter);

}  // namespace gpumem::report
