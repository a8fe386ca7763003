#pragma once
// Saved reports, from files or from standard input.

#include <iosfwd>
#include <string>

#include "report/record/record.hpp"

namespace gpumem::report {

/// All of a file, or of standard input where the path is "-". Throws a usage error with the path and the system's
/// reason, or for more than any report has (probes/read_input.hpp).
[[nodiscard]] std::string read_text(const std::string& path, std::istream& standard_input);

/// The JSON report of a file, or of standard input. Throws a usage error of one line.
[[nodiscard]] Report read_report_file(const std::string& path, std::istream& standard_input);

}  // namespace gpumem::report
