#pragma once
// In what two runs differ, besides their results: the first thing to know when results do.

#include <cstddef>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

struct Difference {
  std::string member;     ///< of the report: "device.driver_version"
  std::string what;       ///< in words: "driver"
  std::string old_value;  ///< in words; empty: not known
  std::string new_value;
  bool minor = false;     ///< alone it seldom changes a result
  std::size_t cases = 0;  ///< how many cases it is of; 0: of the whole run
};

/// Of the runs as a whole; what matters most comes first.
[[nodiscard]] std::vector<Difference> differences(const Report& old_report, const Report& new_report);

}  // namespace gpumem::report
