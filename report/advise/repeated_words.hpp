#pragma once
// Says which kernels or blocks move the same data again, and what would remove that traffic.

#include <string>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

/// The change that would remove the repeated traffic of a kernel.
struct RepeatedCure {
  std::string_view cause;  ///< RepeatedTraffic::cause
  std::string_view key;    ///< a stable name: "fuse_kernels"
};
/// Returns the cure for a record's repeated traffic. Both members are empty if it has none, or one with a cause that
/// only later versions know.
[[nodiscard]] RepeatedCure repeated_cure(const Record& record);

/// Returns the traffic and its cure as a phrase: "3 kernels in a row go over the same 64 MiB (scale, add, clamp); ...".
/// Empty if repeated_cure() is.
[[nodiscard]] std::string repeated_words(const Record& record);

}  // namespace gpumem::report
