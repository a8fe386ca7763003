#pragma once

#include <string_view>

#include "probes/json_reader.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// A record back from its line of JSON (write_record_line), with all its readings and samples. Throws
/// std::runtime_error for anything else.
[[nodiscard]] Record read_record_line(std::string_view line);

/// Which members a record has to have.
enum class WrittenBy {
  this_version,  ///< all that it writes
  any_version    ///< those that every version wrote; what came later may be missing, and is absent then
};

/// A record as it stands in a report's `results`. Throws a usage error for what is none.
[[nodiscard]] Record read_record(const JsonReader& json, WrittenBy writer);

}  // namespace gpumem::report
