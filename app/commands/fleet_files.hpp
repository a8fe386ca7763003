#pragma once
// The many files of a fleet, read on all processors.

#include <string>
#include <vector>

#include "report/fleet/fleet.hpp"

namespace gpumem::app {

/// Files as given, and those called *.json in directories as given, by name: not in directories below these, nor hidden
/// ones. A file that is named twice is there once. Throws a usage error for a directory that cannot be read or has
/// none.
[[nodiscard]] std::vector<std::string> fleet_files(const std::vector<std::string>& paths);

struct FleetFiles {
  std::vector<report::FleetMachine> machines;  ///< in the order of the files
  std::vector<report::Unreadable> unreadable;  ///< likewise
};

/// What is kept of each report. A file that cannot be read or is no report is among the unreadable ones.
[[nodiscard]] FleetFiles read_fleet(const std::vector<std::string>& files, report::FleetNames& names);

}  // namespace gpumem::app
