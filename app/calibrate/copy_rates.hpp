#pragma once
// The rates of copies between host and device, read off measured cases of the probes `transfer` and `batching`.

#include <map>
#include <span>
#include <string>

#include "probes/model/profile.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Sets those rates of copies in the profile that the records tell (others keep their values), and returns for each of
/// them, by name, what it was read off.
std::map<std::string, std::string> read_copy_rates(std::span<const report::Record> records, model::Profile& profile);

}  // namespace gpumem::app
