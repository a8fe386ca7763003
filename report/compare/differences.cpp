#include <fmt/format.h>

#include <optional>

#include "engine/base/words.hpp"
#include "report/compare/compare.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr bool minor = true;

std::string words(const std::string& text) { return one_line(text); }
std::string words(const char* text) { return text; }
std::string words(unsigned count) { return count == 0 ? "" : fmt::to_string(count); }
std::string words(bool enabled) { return enabled ? "on" : "off"; }
template <class T>
std::string words(const std::optional<T>& value) {
  return value ? words(*value) : "";
}
std::string clock_words(std::uint64_t hz) {
  return hz == 0 ? "" : fmt::format("{} MHz", trimmed(static_cast<double>(hz) / 1e6, 3));
}

using Differences = std::vector<Difference>;

/// Adds the member if its two values differ in words.
template <class T>
void add(Differences& found, const char* member, const char* what, const T& a, const T& b, bool is_minor = false) {
  if (words(a) == words(b)) return;
  found.push_back({.member = member, .what = what, .old_value = words(a), .new_value = words(b), .minor = is_minor});
}

void add_size(Differences& found, const char* member, const char* what, std::uint64_t a, std::uint64_t b,
              bool is_minor = false) {
  if (a == b) return;
  const auto [old_value, new_value] = sizes_apart(a, b);
  add(found, member, what, a == 0 ? "" : old_value, b == 0 ? "" : new_value, is_minor);
}

void add_readings(Differences& found, const Report& a, const Report& b) {
  const auto kind = [](const Report& report) { return report.is_prediction() ? "predicted" : "measured"; };
  add(found, "backend", "numbers", kind(a), kind(b));
  const auto profile = [](const Report& report) {
    return report.profile.value_or("none, from the device's attributes");
  };
  const bool predicted = a.is_prediction() || b.is_prediction();
  add(found, "profile", "profile behind the predictions", profile(a), profile(b), !predicted);
}

/// Adds the attributes in which two GPUs of the same name differ. GPUs of two kinds differ in all of them.
void add_attributes(Differences& found, const Device& a, const Device& b) {
  add_size(found, "device.memory_bytes", "GPU memory", a.memory_bytes, b.memory_bytes);
  add(found, "device.multiprocessors", "multiprocessors", a.multiprocessors, b.multiprocessors);
  add_size(found, "device.l2_bytes", "L2", a.l2_bytes, b.l2_bytes);
  add(found, "device.memory_bus_bits", "memory bus in bits", a.memory_bus_bits, b.memory_bus_bits);
  add(found, "device.memory_clock_hz", "memory clock", clock_words(a.memory_clock_hz), clock_words(b.memory_clock_hz));
  add(found, "device.sm_clock_hz", "highest SM clock", clock_words(a.sm_clock_hz), clock_words(b.sm_clock_hz));
  add(found, "device.uuid", "another GPU of this kind", a.uuid, b.uuid, minor);
}

void add_device(Differences& found, const Device& a, const Device& b) {
  add(found, "device.name", "GPU", a.name, b.name);
  if (a.name == b.name) add_attributes(found, a, b);
  add(found, "device.driver_version", "driver", a.driver_version, b.driver_version);
  add(found, "device.runtime_version", "CUDA runtime", a.runtime_version, b.runtime_version);
  add(found, "device.ecc", "ECC", a.ecc, b.ecc);
  add(found, "device.mig", "MIG", a.mig, b.mig);
  add(found, "device.pcie.generation", "PCIe generation", a.pcie_generation, b.pcie_generation);
  add(found, "device.pcie.width", "PCIe lanes", a.pcie_width, b.pcie_width);
}

void add_tool(Differences& found, const Tool& a, const Tool& b) {
  add(found, "tool.version", "gpumem", a.version, b.version);
  add(found, "tool.git_commit", "gpumem's commit", a.git_commit, b.git_commit);
  add(found, "tool.build_type", "build type", a.build_type, b.build_type);
  add(found, "tool.cuda_compiler", "CUDA compiler", a.cuda_compiler, b.cuda_compiler);
  add(found, "tool.compiler", "compiler", a.compiler, b.compiler, minor);
}

void add_host(Differences& found, const Report& a, const Report& b) {
  add(found, "host.name", "host", a.host.name, b.host.name, minor);
  add(found, "host.cpu", "CPU", a.host.cpu, b.host.cpu);
  add(found, "host.os", "operating system", a.host.os, b.host.os, minor);
  add_size(found, "host.memory_bytes", "host memory", a.host.memory_bytes, b.host.memory_bytes, minor);
  if (!a.host_placement || !b.host_placement) return;
  const auto placement = [](const HostPlacement& host_placement) {
    return fmt::format("{} ({})",
                       host_placement.numa_node ? fmt::format("node {}", *host_placement.numa_node) : "not bound",
                       host_placement.how);
  };
  add(found, "host_placement", "NUMA node of host memory", placement(*a.host_placement), placement(*b.host_placement));
}

}  // namespace

std::vector<Difference> differences(const Report& old_report, const Report& new_report) {
  Differences found;
  add_readings(found, old_report, new_report);
  if (old_report.device && new_report.device) add_device(found, *old_report.device, *new_report.device);
  add_tool(found, old_report.tool, new_report.tool);
  // A prediction does not depend on where it is made.
  if (!old_report.is_prediction() || !new_report.is_prediction()) add_host(found, old_report, new_report);
  return found;
}

}  // namespace gpumem::report
