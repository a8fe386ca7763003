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

std::string placement_words(const HostPlacement& placement) {
  return fmt::format("{} ({})", placement.numa_node ? fmt::format("node {}", *placement.numa_node) : "not bound",
                     placement.how);
}

}  // namespace

std::vector<Difference> differences(const Report& a, const Report& b) {
  Differences found;
  const auto kind = [](const Report& report) { return report.is_prediction() ? "predicted" : "measured"; };
  const auto profile = [](const Report& report) {
    return report.profile.value_or("none, from the device's attributes");
  };
  const bool measured = !a.is_prediction() && !b.is_prediction();
  add(found, "backend", "numbers", kind(a), kind(b));
  add(found, "profile", "profile behind the predictions", profile(a), profile(b), measured);
  if (a.device && b.device) add_device(found, *a.device, *b.device);
  add(found, "tool.version", "gpumem", a.tool.version, b.tool.version);
  add(found, "tool.git_commit", "gpumem's commit", a.tool.git_commit, b.tool.git_commit);
  add(found, "tool.build_type", "build type", a.tool.build_type, b.tool.build_type);
  add(found, "tool.cuda_compiler", "CUDA compiler", a.tool.cuda_compiler, b.tool.cuda_compiler);
  add(found, "tool.compiler", "compiler", a.tool.compiler, b.tool.compiler, minor);
  if (a.is_prediction() && b.is_prediction()) return found;  // which do not depend on where they are made
  add(found, "host.name", "host", a.host.name, b.host.name, minor);
  add(found, "host.cpu", "CPU", a.host.cpu, b.host.cpu);
  add(found, "host.os", "operating system", a.host.os, b.host.os, minor);
  add_size(found, "host.memory_bytes", "host memory", a.host.memory_bytes, b.host.memory_bytes, minor);
  if (a.host_placement && b.host_placement) {
    add(found, "host_placement", "NUMA node of host memory", placement_words(*a.host_placement),
        placement_words(*b.host_placement));
  }
  return found;
}

}  // namespace gpumem::report
