#pragma once
// Functions that the readers of rates share.

#include <map>
#include <string>
#include <string_view>

#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// True if the case has this value of the parameter.
[[nodiscard]] bool has_value(const report::Record& record, std::string_view parameter, const Value& value);

/// Sets a rate in the profile, and notes in `how`, by the rate's name, what it was read off. Ignores a value that no
/// profile may have.
void set_rate(model::RateId rate, double value, const std::string& read_off, model::Profile& profile,
              std::map<std::string, std::string>& how);

}  // namespace gpumem::app
