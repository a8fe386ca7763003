#include <sys/utsname.h>
#include <unistd.h>

#include <ctime>
#include <fstream>
#include <optional>
#include <string>
#include <string_view>

#include "app/run/environment.hpp"

namespace gpumem::app {

namespace {

/// Returns the text behind the separator in the first line that starts with `key`, without blanks and quotes around it.
std::string value_in_file(const char* path, std::string_view key, char separator) {
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    const std::size_t place = line.find(separator);
    if (!line.starts_with(key) || place == std::string::npos) continue;
    const std::size_t first = line.find_first_not_of(" \t\"", place + 1);
    const std::size_t last = line.find_last_not_of(" \t\"");
    return first == std::string::npos || last < first ? "" : line.substr(first, last - first + 1);
  }
  return "";
}

std::string operating_system(const utsname& kernel) {
  const std::string distribution = value_in_file("/etc/os-release", "PRETTY_NAME=", '=');
  const std::string release = std::string(kernel.sysname) + " " + kernel.release;
  return distribution.empty() ? release : distribution + " (" + release + ")";
}

std::uint64_t memory_bytes() {
  const long pages = sysconf(_SC_PHYS_PAGES);
  const long page_bytes = sysconf(_SC_PAGE_SIZE);
  return pages > 0 && page_bytes > 0 ? static_cast<std::uint64_t>(pages) * static_cast<std::uint64_t>(page_bytes) : 0;
}

/// Returns the size of the first CPU's L3 cache as Linux reports it, or nullopt if it reports none.
std::optional<std::uint64_t> l3_bytes() {
  const std::string folder = "/sys/devices/system/cpu/cpu0/cache/index";
  for (int index = 0;; ++index) {
    int level = 0;
    if (!(std::ifstream(folder + std::to_string(index) + "/level") >> level)) return std::nullopt;
    std::uint64_t size = 0;
    char unit = 0;
    if (level != 3 || !(std::ifstream(folder + std::to_string(index) + "/size") >> size >> unit)) continue;
    return size << (unit == 'M' ? 20U : 10U);
  }
}

}  // namespace

report::Host describe_host() {
  report::Host host;
  utsname kernel{};
  if (uname(&kernel) == 0) {
    host.name = kernel.nodename;
    host.os = operating_system(kernel);
    host.cpu = value_in_file("/proc/cpuinfo", "model name", ':');
    if (host.cpu.empty()) host.cpu = kernel.machine;
  }
  host.memory_bytes = memory_bytes();
  host.l3_bytes = l3_bytes();
  return host;
}

// Not fmt/chrono.h: it wants the locales of fmt's library, which ours is built without.
std::string utc_now() {
  const std::time_t now = std::time(nullptr);
  std::tm utc{};
  gmtime_r(&now, &utc);
  char text[sizeof "2026-01-31T12:00:00Z"] = "";
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &utc);
  return text;
}

}  // namespace gpumem::app
