#pragma once
// A choice of cases: by a suite's expectation, or by the words that a user gives a command.

#include <cstddef>
#include <string>
#include <vector>

#include "report/record/record.hpp"
#include "report/text/name_pattern.hpp"

namespace gpumem::report {

/// The cases that meet every condition. An empty member is no condition.
struct Selection {
  /// The condition that one of the parameters has one of the values. There may be several parameters, because a name
  /// may mean another one in another probe. A value is the one that a case ran with, or "auto" if that was asked for.
  /// Names of kernels may match a pattern instead.
  struct Allowed {
    std::vector<std::string> parameters;
    std::vector<Value> values = {};
    std::vector<NamePattern> patterns = {};
  };
  std::vector<std::string> probes = {};
  std::vector<Allowed> parameters = {};
  std::vector<std::size_t> positions = {};  ///< in the report's results
};

/// True if the record meets the conditions on probe and parameters.
[[nodiscard]] bool selects(const Selection& selection, const Record& record);
/// True if it also meets the condition on its position in the results.
[[nodiscard]] bool selects(const Selection& selection, const Record& record, std::size_t position);

/// True if a condition is about the parameter.
[[nodiscard]] bool names_parameter(const Selection& selection, const std::string& parameter);

}  // namespace gpumem::report
