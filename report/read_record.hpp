#pragma once

#include <string_view>

#include "report/record.hpp"

namespace gpumem::report {

/// A record back from its line of JSON (write_record_line), with all its readings and samples. Throws
/// std::runtime_error for anything else.
[[nodiscard]] Record read_record_line(std::string_view line);

}  // namespace gpumem::report
