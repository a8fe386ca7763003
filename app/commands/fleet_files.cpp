#include "app/commands/fleet_files.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <exception>
#include <filesystem>
#include <set>
#include <sstream>
#include <system_error>
#include <thread>
#include <variant>

#include "probes/error.hpp"
#include "report/read/read_report.hpp"
#include "report/read/report_file.hpp"

namespace gpumem::app {

namespace {

namespace fs = std::filesystem;

/// Most of a report, and of no use here.
constexpr std::array<std::string_view, 4> unused_arrays = {"samples", "timeline", "access", "stages"};

std::vector<std::string> reports_in(const std::string& directory) {
  std::vector<std::string> files;
  std::error_code error;
  fs::directory_iterator entry(directory, error);
  for (; !error && entry != fs::directory_iterator(); entry.increment(error)) {
    const fs::path& path = entry->path();
    if (path.extension() == ".json" && !path.filename().string().starts_with('.')) files.push_back(path.string());
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

/// What came of reading a file; none until it was read.
using ReadFile = std::variant<std::monostate, report::FleetMachine, report::Unreadable, std::exception_ptr>;

ReadFile read_one(const std::string& file, report::FleetNames& names) {
  try {
    std::istringstream no_input;
    return report::fleet_machine(report::read_report(report::read_text(file, no_input), file, unused_arrays), file,
                                 names);
  } catch (const Error& error) {
    return report::Unreadable{.file = file, .reason = error.what()};
  } catch (...) {
    return std::current_exception();
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
    if (path == "-") {
      throw usage_error("--fleet: reads files and directories, not standard input; name the reports' directory");
    }
    std::error_code error;
    if (!fs::is_directory(path, error)) {
      add(path);
      continue;
    }
    for (const std::string& file : reports_in(path)) add(file);
  }
  return files;
}

FleetFiles read_fleet(const std::vector<std::string>& files, report::FleetNames& names) {
  std::vector<ReadFile> read(files.size());
  {
    std::atomic<std::size_t> next = 0;
    const auto work = [&] {
      for (std::size_t i = next++; i < files.size(); i = next++) read[i] = read_one(files[i], names);
    };
    const std::size_t workers = std::min<std::size_t>(std::max(1U, std::thread::hardware_concurrency()), files.size());
    std::vector<std::jthread> others;
    for (std::size_t i = 1; i < workers; ++i) others.emplace_back(work);
    work();
  }  // joins
  FleetFiles all;
  for (ReadFile& one : read) {
    if (auto* failure = std::get_if<std::exception_ptr>(&one)) std::rethrow_exception(*failure);
    if (auto* machine = std::get_if<report::FleetMachine>(&one)) all.machines.push_back(std::move(*machine));
    if (auto* bad = std::get_if<report::Unreadable>(&one)) all.unreadable.push_back(std::move(*bad));
  }
  return all;
}

}  // namespace gpumem::app
