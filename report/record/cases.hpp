#pragma once
// Several cases side by side: what they share, and in what they differ.

#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

using Cases = std::vector<const Record*>;

/// The cases that indices into the results stand for.
[[nodiscard]] Cases cases_of(std::span<const Record> results, std::span<const std::size_t> members);

/// Null if the record has no such parameter.
[[nodiscard]] const Parameter* find_parameter(const Record& record, std::string_view name);

/// What was asked for: "auto", where auto decided the parameter.
[[nodiscard]] Value asked_value(const Record& record, const Parameter& parameter);

/// The record's case, if it is one of this probe: it has a value for each axis, which the axis takes. Reports of other
/// versions may have other parameters, and those that somebody edited any.
[[nodiscard]] std::optional<Case> case_of(const Record& record, const Probe& probe);

/// The same of whichever probe it names; nothing if there is none of that name.
[[nodiscard]] std::optional<Case> case_of(const Record& record, std::span<const Probe> registry);

/// Absent if the record has no such metric, or no value of it.
[[nodiscard]] std::optional<double> metric_value(const Record& record, std::string_view name);

/// Alike for cases that were asked for alike but for the parameters `without`, in whatever order a report that went
/// through other hands names things. What `auto` decided was asked for as "auto".
[[nodiscard]] std::string asked_key(const Record& record, std::span<const std::string> without = {});

/// Whether the cases differ in a parameter, having it or not included.
[[nodiscard]] bool varies(const Cases& cases, std::string_view parameter);

/// The parameters in which they differ.
[[nodiscard]] std::set<std::string> varying(const Cases& cases);

/// Which case a record is by these of its parameters: "offset 3, write". Empty if it has none of them.
[[nodiscard]] std::string place_words(const Record& record, const std::set<std::string>& telling);

/// Which of the cases a record is, by the parameters in which they differ: "4 streams, overlap staged". "this case" if
/// they differ in none.
[[nodiscard]] std::string position_among(const Cases& cases, const Record& record);

}  // namespace gpumem::report
