#pragma once
// What the readers of rates have in common.

#include <map>
#include <string>
#include <string_view>

#include "engine/model/profile.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Whether the case has that value of a parameter.
[[nodiscard]] bool has_value(const report::Record& record, std::string_view parameter, const Value& value);

/// Sets a rate in the profile, and says in `how`, by its name, what it was read off. Does nothing with a value that no
/// profile may have.
void set_rate(model::RateMember rate, double value, const std::string& read_off, model::Profile& profile,
              std::map<std::string, std::string>& how);

}  // namespace gpumem::app
