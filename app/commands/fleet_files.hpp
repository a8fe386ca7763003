#pragma once
// The reports of a fleet as files: found in folders, read in parallel.

#include <iosfwd>
#include <string>
#include <vector>

#include "app/run/environment.hpp"
#include "report/fleet/fleet.hpp"

namespace gpumem::app {

/// The machines in files, and the files that cannot be read or are no reports, both in the order of the files.
struct FleetFiles {
  std::vector<report::FleetMachine> machines = {};
  std::vector<report::Unreadable> unreadable = {};
};

/// The files given, and the files *.json and *.json.gz in the directories given, sorted by name. Hidden
/// files and subdirectories are left out. A file that is named twice is there once. Throws a usage error for a
/// directory that cannot be read or has no such file.
[[nodiscard]] std::vector<std::string> fleet_files(const std::vector<std::string>& paths);

/// Reads the reports on all processors, and keeps the readings that are compared between machines.
[[nodiscard]] FleetFiles read_fleet(const std::vector<std::string>& files, std::istream& standard_input,
                                    report::FleetNames& names);

/// Says on stderr why files could not be used, a line for each of the first ones.
void name_unreadable(const std::vector<report::Unreadable>& unreadable, const Environment& environment);

}  // namespace gpumem::app
