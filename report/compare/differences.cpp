#include <fmt/format.h>

#include <functional>
#include <optional>
#include <utility>

#include "probes/words.hpp"
#include "report/compare/compare.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

std::string words(const std::string& text) { return one_line(text); }
std::string words(const std::optional<std::string>& text) { return text ? one_line(*text) : ""; }
std::string words(const std::optional<unsigned>& number) { return number ? fmt::to_string(*number) : ""; }
std::string words(const std::optional<bool>& enabled) {
  if (!enabled) return "";
  return *enabled ? "on" : "off";
}

std::string count_words(std::uint64_t count) { return count == 0 ? "" : fmt::to_string(count); }
std::string clock_words(std::uint64_t hz) {
  return hz == 0 ? "" : fmt::format("{} MHz", trimmed(static_cast<double>(hz) / 1e6, 3));
}

/// Collects what is not equal.
class Differences {
 public:
  enum class Weight { major, minor };

  void add(std::string member, std::string what, std::string old_value, std::string new_value,
           Weight weight = Weight::major) {
    if (old_value == new_value) return;
    found_.push_back({.member = std::move(member),
                      .what = std::move(what),
                      .old_value = std::move(old_value),
                      .new_value = std::move(new_value),
                      .minor = weight == Weight::minor});
  }

  void add_size(std::string member, std::string what, std::uint64_t old_bytes, std::uint64_t new_bytes,
                Weight weight = Weight::major) {
    if (old_bytes == new_bytes) return;
    auto [old_value, new_value] = sizes_apart(old_bytes, new_bytes);
    if (old_bytes == 0) old_value.clear();
    if (new_bytes == 0) new_value.clear();
    add(std::move(member), std::move(what), std::move(old_value), std::move(new_value), weight);
  }

  [[nodiscard]] std::vector<Difference> take() && { return std::move(found_); }

 private:
  std::vector<Difference> found_;
};

using Weight = Differences::Weight;

void add_readings(Differences& found, const Report& a, const Report& b) {
  const auto kind = [](const Report& report) -> std::string {
    return report.is_prediction() ? "predicted" : "measured";
  };
  found.add("backend", "numbers", kind(a), kind(b));
  const auto profile = [](const Report& report) {
    return report.profile ? one_line(*report.profile) : std::string("none, from the device's attributes");
  };
  const bool predicted = a.is_prediction() || b.is_prediction();
  found.add("profile", "profile behind the predictions", profile(a), profile(b),
            predicted ? Weight::major : Weight::minor);
}

/// Two kinds of GPU differ in all of this, and the name says so.
void add_attributes(Differences& found, const Device& a, const Device& b) {
  found.add_size("device.memory_bytes", "GPU memory", a.memory_bytes, b.memory_bytes);
  found.add("device.multiprocessors", "multiprocessors", count_words(a.multiprocessors),
            count_words(b.multiprocessors));
  found.add_size("device.l2_bytes", "L2", a.l2_bytes, b.l2_bytes);
  found.add("device.memory_bus_bits", "memory bus in bits", count_words(a.memory_bus_bits),
            count_words(b.memory_bus_bits));
  found.add("device.memory_clock_hz", "memory clock", clock_words(a.memory_clock_hz), clock_words(b.memory_clock_hz));
  found.add("device.sm_clock_hz", "highest SM clock", clock_words(a.sm_clock_hz), clock_words(b.sm_clock_hz));
  found.add("device.uuid", "another GPU of this kind", words(a.uuid), words(b.uuid), Weight::minor);
}

void add_device(Differences& found, const Device& a, const Device& b) {
  found.add("device.name", "GPU", words(a.name), words(b.name));
  if (a.name == b.name) add_attributes(found, a, b);
  found.add("device.driver_version", "driver", words(a.driver_version), words(b.driver_version));
  found.add("device.runtime_version", "CUDA runtime", words(a.runtime_version), words(b.runtime_version));
  found.add("device.ecc", "ECC", words(a.ecc), words(b.ecc));
  found.add("device.mig", "MIG", words(a.mig), words(b.mig));
  found.add("device.pcie.generation", "PCIe generation", words(a.pcie_generation), words(b.pcie_generation));
  found.add("device.pcie.width", "PCIe lanes", words(a.pcie_width), words(b.pcie_width));
}

void add_tool(Differences& found, const Tool& a, const Tool& b) {
  found.add("tool.version", "gpumem", words(a.version), words(b.version));
  found.add("tool.git_commit", "gpumem's commit", words(a.git_commit), words(b.git_commit));
  found.add("tool.build_type", "build type", words(a.build_type), words(b.build_type));
  found.add("tool.cuda_compiler", "CUDA compiler", words(a.cuda_compiler), words(b.cuda_compiler));
  found.add("tool.compiler", "compiler", words(a.compiler), words(b.compiler), Weight::minor);
}

void add_host(Differences& found, const Report& a, const Report& b) {
  found.add("host.name", "host", words(a.host.name), words(b.host.name), Weight::minor);
  found.add("host.cpu", "CPU", words(a.host.cpu), words(b.host.cpu));
  found.add("host.os", "operating system", words(a.host.os), words(b.host.os), Weight::minor);
  found.add_size("host.memory_bytes", "host memory", a.host.memory_bytes, b.host.memory_bytes, Weight::minor);
  if (!a.host_placement || !b.host_placement) return;
  const auto placement = [](const HostPlacement& one) {
    const std::string node = one.numa_node ? fmt::format("node {}", *one.numa_node) : "not bound";
    return fmt::format("{} ({})", node, one_line(one.how));
  };
  found.add("host_placement", "NUMA node of host memory", placement(*a.host_placement), placement(*b.host_placement));
}

}  // namespace

std::vector<Difference> differences(const Report& old_report, const Report& new_report) {
  Differences found;
  add_readings(found, old_report, new_report);
  if (old_report.device && new_report.device) add_device(found, *old_report.device, *new_report.device);
  add_tool(found, old_report.tool, new_report.tool);
  // A prediction does not depend on where it is made.
  if (!old_report.is_prediction() || !new_report.is_prediction()) add_host(found, old_report, new_report);
  return std::move(found).take();
}

}  // namespace gpumem::report
