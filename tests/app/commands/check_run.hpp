#pragma once
// `gpumem check` as a whole, with fakes in place of the world.

#include <algorithm>
#include <cstdint>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "app/commands/commands.hpp"
#include "tests/app/fakes.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test {

/// Four cases of `shift`, of which those that are shifted have to keep 0.8 of the one that is not.
inline const nlohmann::json plain_suite = {
    {"schema_version", 1},
    {"name", "fake"},
    {"purpose", "for tests"},
    {"options", {{"ci_width", "2%"}, {"numa", "off"}}},
    {"probes", {{{"probe", "shift"}, {"axes", {{"shift", "0..3"}}}, {"options", {{"ci_width", "1%"}}}}}},
    {"expectations",
     {{{"name", "shifts cost little"},
       {"cases", {{"probe", "shift"}, {"shift", "1..3"}}},
       {"relative_to", {{"shift", 0}}},
       {"at_least", 0.8}}}}};

class CheckRun {
 public:
  CheckRun() {
    write("suite.json", plain_suite);
    arguments.targets = {path("suite.json")};
    arguments.color = Color::never;
  }

  int run() { return run_check_command(arguments, environment()); }

  Environment environment() {
    return {.registry = registry,
            .out = out,
            .err = err,
            .measure =
                [this](const MeasureOptions& options) {
                  asked = options;
                  if (no_gpu) throw no_gpu_error("no driver");
                  auto backend = std::make_unique<FakeBackend>();
                  backend->log = &log;
                  backend->watched = watched;
                  backend->fill = [this](const Case& tested, report::Record& record) { fill(tested, record); };
                  return backend;
                },
            .predict = [](const model::Profile&, auto) { return std::make_unique<PredictingBackend>(); },
            .gpus = [] { return std::vector<Device>(); },
            .interrupted = [this] { return interrupt_after-- == 0; },
            .command = {"gpumem", "check", "suite.json"}};
  }

  void write(const std::string& name, const nlohmann::json& content) const {
    gpumem::test::put(directory / name, content.dump());
  }
  [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const {
    return gpumem::test::content_of(directory / name);
  }
  [[nodiscard]] std::size_t runs_of(std::uint64_t shift) const {
    const std::string start = "run shift shift_elements=" + std::to_string(shift) + " ";
    return static_cast<std::size_t>(
        std::ranges::count_if(log, [&](const std::string& line) { return line.starts_with(start); }));
  }

  /// Measured as well as predicted, unless the test says otherwise: 100 GB/s.
  double gb_per_s(const Case& tested) { return slow(tested) ? 50 : 100; }

  CheckArguments arguments;
  std::vector<Probe> registry = fake_probes();
  std::ostringstream out;
  std::ostringstream err;
  std::vector<std::string> log;
  std::vector<std::string> watched = {"throttled"};
  MeasureOptions asked;
  bool no_gpu = false;
  int interrupt_after = -1;
  std::function<bool(const Case&)> slow = [](const Case&) { return false; };
  std::function<void(const Case&, report::Record&)> fill = [this](const Case& tested, report::Record& record) {
    record.verified = true;
    record.time = report::TimeRecord{};
    record.headline.measured = gb_per_s(tested);
  };

 private:
  class PredictingBackend final : public Backend {
   public:
    PredictingBackend() { device_.name = "Fake GPU"; }
    [[nodiscard]] std::string name() const override { return "model"; }
    [[nodiscard]] const Device& device() const override { return device_; }
    [[nodiscard]] std::optional<std::string> profile() const override { return "fake"; }
    [[nodiscard]] double trial(const Case&) override { return 1; }
    [[nodiscard]] report::Record run(const Case& tested) override {
      report::Record record = report::record_of(tested, Workload{});
      record.headline.predicted = 100;
      return record;
    }

   private:
    Device device_;
  };

  gpumem::test::TemporaryDirectory directory;
};

}  // namespace gpumem::app::test
