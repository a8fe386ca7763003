#pragma once

#include <iosfwd>
#include <span>
#include <string>
#include <string_view>

#include "engine/base/json_reader.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Reads a JSON report (schema version 1), also of a version of gpumem that wrote fewer members: those are absent. The
/// columns of parameters and metrics are in the order in which the records have them. Throws a usage error of one line
/// for anything else: "SOURCE: /results/3/time_seconds/median: expected a number". Arrays that are members of a name in
/// `emptied` ("samples", ...) are read as strictly, but their items are not kept (engine/base/json_reader.hpp).
[[nodiscard]] Report read_report(std::string_view json, const std::string& source,
                                 std::span<const std::string_view> emptied = {});

/// Reads a report that is part of a larger document.
[[nodiscard]] Report read_report(const JsonReader& json);

/// Returns the text of a file, or of standard input if the path is "-". Throws a usage error with the path and the
/// system's reason, or if there is more than any report has (engine/base/read_input.hpp).
[[nodiscard]] std::string read_text(const std::string& path, std::istream& standard_input);

/// Reads the report of a file, or of standard input if the path is "-". Throws a usage error of one line. If the text
/// is another document of gpumem's, the error says which.
[[nodiscard]] Report read_report_file(const std::string& path, std::istream& standard_input,
                                      std::span<const std::string_view> emptied = {});

/// Read back lines of JSON (report/write/json_values.hpp) with all readings and samples. Throw std::runtime_error for
/// anything else.
[[nodiscard]] Report read_report_line(std::string_view line);
[[nodiscard]] Record read_record_line(std::string_view line);

}  // namespace gpumem::report
