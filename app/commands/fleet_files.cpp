#include "app/commands/fleet_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <iterator>
#include <set>
#include <system_error>

#include "app/commands/commands.hpp"
#include "engine/access/chunks.hpp"
#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/unpack.hpp"
#include "report/read/read_report.hpp"

namespace gpumem::app {

namespace {

constexpr std::size_t most_named = 10;

namespace fs = std::filesystem;

/// Arrays that make up most of a report and are not used here.
constexpr std::array<std::string_view, 3> unused_arrays = {"samples", "timeline", "stages"};

std::vector<std::string> reports_in(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (is_json_name(path.string()) && !path.filename().string().starts_with('.')) files.push_back(path.string());
  }
  if (error) throw usage_error(fmt::format("cannot read '{}': {}", directory, error.message()));
  if (files.empty()) {
    throw usage_error(
        fmt::format("there are no reports (*.json) in '{}'; write one per machine with: "
                    "gpumem check smoke --output $(hostname).json",
                    directory));
  }
  std::ranges::sort(files);
  return files;
}

FleetFiles read_one(const std::string& file, std::istream& standard_input, report::FleetNames& names) {
  try {
    return {.machines = report::fleet_machines(report::read_report_file(file, standard_input, unused_arrays),
                                               source_name(file), names)};
  } catch (const Error& error) {
    return {.unreadable = {{.file = source_name(file), .reason = error.what()}}};
  }
}

}  // namespace

std::vector<std::string> fleet_files(const std::vector<std::string>& paths) {
  std::vector<std::string> files;
  std::set<fs::path> known;
  const auto add = [&](const std::string& file) {
    std::error_code error;
    const fs::path canonical = fs::weakly_canonical(file, error);
    if (known.insert(error ? fs::path(file) : canonical).second) files.push_back(file);
  };
  for (const std::string& path : paths) {
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      add(path);
      continue;
    }
    for (const std::string& file : reports_in(path)) add(file);
  }
  return files;
}

FleetFiles read_fleet(const std::vector<std::string>& files, std::istream& standard_input, report::FleetNames& names) {
  std::vector<FleetFiles> read(files.size());
  const unsigned threads = access::threads_for(files.size(), 1, 0);
  access::in_chunks(files.size(), 1, threads, [&](unsigned, std::uint64_t file, std::uint64_t) {
    read[file] = read_one(files[file], standard_input, names);
  });
  FleetFiles all;
  for (FleetFiles& file : read) {
    std::ranges::move(file.machines, std::back_inserter(all.machines));
    std::ranges::move(file.unreadable, std::back_inserter(all.unreadable));
  }
  return all;
}

void name_unreadable(const std::vector<report::Unreadable>& unreadable, const Environment& environment) {
  for (std::size_t i = 0; i < unreadable.size() && i < most_named; ++i) say(environment.err, unreadable[i].reason);
  if (unreadable.size() > most_named) {
    say(environment.err, fmt::format("and {} more files that could not be used", unreadable.size() - most_named));
  }
}

}  // namespace gpumem::app
