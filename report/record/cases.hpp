#pragma once
// Several cases side by side: what they share, and in what they differ.

#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

using Cases = std::vector<const Record*>;

/// The cases at these indices of the results.
[[nodiscard]] Cases cases_of(std::span<const Record> results, std::span<const std::size_t> members);

[[nodiscard]] Cases cases_of(std::span<const Record> results);

/// Null if the record has no such parameter.
[[nodiscard]] const Parameter* find_parameter(const Record& record, std::string_view name);

/// The value of a parameter that is a number; absent if it is not one, or the record does not have it.
[[nodiscard]] std::optional<std::uint64_t> number_of(const Record& record, std::string_view name);

/// Returns the value that was asked for: "auto" if auto decided the parameter, else the parameter's own.
[[nodiscard]] Value asked_value(const Record& record, const Parameter& parameter);

/// Returns the record's case of this probe, or nullopt if an axis does not take its value or the values do not go
/// together. A parameter that the record lacks has its default. Reports of other versions may have other parameters,
/// and edited reports any. If not `validated`, whether values go together is not asked.
[[nodiscard]] std::optional<Case> case_of(const Record& record, const Probe& probe, bool validated = true);

/// The same for the probe that the record names; nullopt if the registry does not have it.
[[nodiscard]] std::optional<Case> case_of(const Record& record, std::span<const Probe> registry);

/// A metric of the record; without readings if it has no such metric.
[[nodiscard]] MetricRecord metric_of(const Record& record, std::string_view name);

/// Absent if the record has no such metric, or no value of it.
[[nodiscard]] std::optional<double> metric_value(const Record& record, std::string_view name);
/// Absent also where the value is not finite: anybody may have written the report.
[[nodiscard]] std::optional<double> finite_value(const Record& record, std::string_view metric);

/// Returns a key that is the same for cases that were asked for with the same parameters, apart from those in
/// `without`. The order of the parameters does not matter, since other programs may have changed it. A parameter that
/// `auto` decided was asked for as "auto".
[[nodiscard]] std::string asked_key(const Record& record, std::span<const std::string> without = {});

/// True if the cases differ in the parameter, or only some of them have it.
[[nodiscard]] bool varies(const Cases& cases, std::string_view parameter);

/// Returns the names of the parameters in which the cases differ.
[[nodiscard]] std::set<std::string> varying(const Cases& cases);

/// Returns for each probe the names of the parameters in which its cases differ.
[[nodiscard]] std::map<std::string, std::set<std::string>> varying_by_probe(const Cases& cases);

/// Describes a record by its values of the parameters in `telling`: "offset 3, write". Empty if it has none of them.
[[nodiscard]] std::string parameter_words(const Record& record, const std::set<std::string>& telling);

/// Describes a record by the parameters in which the cases differ: "4 streams, overlap staged". "this case" if they
/// differ in none.
[[nodiscard]] std::string position_among(const Cases& cases, const Record& record);

}  // namespace gpumem::report
