#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/json_reader.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// A whole JSON report (schema version 1), also of a version of gpumem that wrote fewer members: what it lacks is
/// absent. The columns of parameters and metrics are in the order in which the records have them. Throws a usage error
/// of one line for anything else: "SOURCE: /results/3/time_seconds/median: expected a number".
/// Of arrays named in `emptied` ("samples", ...) nothing is kept (engine/base/json_reader.hpp).
[[nodiscard]] Report read_report(std::string_view json, const std::string& source,
                                 std::span<const std::string_view> emptied = {});

/// One that is part of a larger document.
[[nodiscard]] Report read_report(const JsonReader& json);

/// All of a file, or of what stands for standard input where the path is "-". Throws a usage error with the path and
/// the system's reason, or for more than any report has (engine/base/read_input.hpp).
[[nodiscard]] std::string read_text(const std::string& path, std::istream& standard_input);

/// The report of a file, or of standard input. Throws a usage error of one line, which says what another document of
/// gpumem's is.
[[nodiscard]] Report read_report_file(const std::string& path, std::istream& standard_input,
                                      std::span<const std::string_view> emptied = {});

/// A report and a record back from their lines of JSON (write_report_line, write_record_line), with all readings and
/// samples. Throw std::runtime_error for anything else.
[[nodiscard]] Report read_report_line(std::string_view line);
[[nodiscard]] Record read_record_line(std::string_view line);

}  // namespace gpumem::report
