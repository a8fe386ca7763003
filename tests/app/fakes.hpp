#pragma once
// Probes and a backend of the tests' own, so that plans and commands are tested without a GPU or a model.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "engine/base/error.hpp"
#include "probes/probe.hpp"
#include "report/record/fill.hpp"

namespace gpumem::app::test {

inline Axis number_axis(const std::string& flag, const std::string& defaults, const std::string& quick = "") {
  return {.flag = flag,
          .parameter = flag + "_elements",
          .unit = "elements",
          .purpose = "a number",
          .defaults = defaults,
          .quick = quick};
}

inline Axis op_axis() {
  return {.flag = "op",
          .parameter = "op",
          .unit = "",
          .purpose = "a name",
          .defaults = "copy",
          .quick = "",
          .names = {"read", "write", "copy"}};
}

inline Axis shape_axis(const std::string& flag, std::vector<std::uint64_t> candidates) {
  return {.flag = flag,
          .parameter = flag,
          .unit = "",
          .purpose = "a choice",
          .defaults = "auto",
          .quick = "",
          .takes_auto = true,
          .candidates = std::move(candidates)};
}

/// Two probes: `shift` (axes shift, op, shape) and `skip` (axes skip, op, width).
inline std::vector<Probe> fake_probes() {
  std::vector<Probe> probes(2);
  probes[0].name = "shift";
  probes[0].purpose = "shifts";
  probes[0].axes = {number_axis("shift", "0..3", "0,3"), op_axis(), shape_axis("shape", {1, 2, 4})};
  probes[0].baseline = std::uint64_t{0};
  probes[1].name = "skip";
  probes[1].purpose = "skips";
  probes[1].axes = {number_axis("skip", "1..2"), op_axis(), number_axis("width", "4")};
  probes[1].baseline = std::uint64_t{1};
  return probes;
}

/// The two, and a third: `carry` (axes load, means, shift), whose flag --carry may stand alone and compares two means.
inline std::vector<Probe> fake_probes_and_alternatives() {
  std::vector<Probe> probes = fake_probes();
  Probe carry;
  carry.name = "carry";
  carry.purpose = "carries";
  carry.axes = {number_axis("load", "1..2"),
                number_axis("shift", "0"),
                {.flag = "carry",
                 .parameter = "means",
                 .purpose = "a means",
                 .defaults = "cart,lorry",
                 .names = {"cart", "lorry", "barge"},
                 .value_optional = true},
                number_axis("width", "4")};
  carry.compared = "means";
  carry.baseline = std::string("cart");
  probes.push_back(std::move(carry));
  return probes;
}

/// A backend whose readings the test decides, and which remembers what it was asked.
class FakeBackend final : public Backend {
 public:
  std::function<double(const Case&)> goodness = [](const Case&) { return 1.0; };
  std::function<void(const Case&, report::Record&)> fill = [](const Case&, report::Record&) {};
  std::function<std::vector<std::optional<double>>(const std::vector<Case>&)> estimated = {};
  std::vector<std::string>* log = nullptr;
  std::optional<report::HostPlacement> placement;  ///< once a case has run
  std::vector<std::string> watched;

  FakeBackend() {
    device_.name = "Fake GPU";
    device_.compute_capability = "9.0";
    device_.memory_bus_bits = 4096;
    device_.memory_clock_hz = 1'000'000'000;
    device_.pcie_generation = 1;
  }

  [[nodiscard]] std::string name() const override { return "cuda"; }
  [[nodiscard]] const Device& device() const override { return device_; }
  [[nodiscard]] std::optional<std::string> profile() const override { return std::nullopt; }

  [[nodiscard]] double trial(const Case& tested) override {
    if (log != nullptr) log->push_back("try " + to_string(tested));
    return goodness(tested);
  }

  [[nodiscard]] std::vector<std::optional<double>> estimates(const std::vector<Case>& shapes) override {
    return estimated ? estimated(shapes) : std::vector<std::optional<double>>{};
  }

  [[nodiscard]] report::Record run(const Case& tested) override {
    if (log != nullptr) log->push_back("run " + to_string(tested));
    report::Record record = report::record_of(tested, Workload{});
    record.headline.predicted = 100;
    fill(tested, record);
    device_.pcie_generation = 5;  // an idle link before
    ran_ = true;
    return record;
  }
  void use_stopping_rule(const measure::StoppingRule& rule) override {
    if (log != nullptr) log->push_back("repeat to " + std::to_string(rule.ci_width));
  }
  [[nodiscard]] std::vector<std::string> watched_flags() const override { return watched; }
  [[nodiscard]] std::optional<report::HostPlacement> host_placement() const override {
    return ran_ ? placement : std::nullopt;
  }

 private:
  Device device_;
  bool ran_ = false;
};

/// The message of the error that `action` throws, "nothing thrown" without one.
inline std::string error_of(const std::function<void()>& action, ErrorKind kind = ErrorKind::usage) {
  try {
    action();
  } catch (const Error& error) {
    return error.kind() == kind ? error.what() : std::string("another kind of error: ") + error.what();
  }
  return "nothing thrown";
}

}  // namespace gpumem::app::test
