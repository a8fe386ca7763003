#pragma once
// `probe` and `check` on several GPUs, with threads in place of processes and GPUs.

#include <algorithm>
#include <atomic>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <sstream>
#include <string>

#include "app/commands/commands.hpp"
#include "report/write/writers.hpp"
#include "tests/app/fake_gpus.hpp"
#include "tests/app/fakes.hpp"
#include "tests/files.hpp"
#include "tests/source_folder.hpp"

namespace gpumem::app::test {

class SeveralGpus {
 public:
  explicit SeveralGpus(unsigned gpus) : machine(gpus) {}

  Environment environment() {
    return {.registry = probes(),
            .out = out,
            .err = err,
            .measure = [this](const MeasureOptions& options) -> std::unique_ptr<Backend> {
              asked_device = options.device;
              Device device = machine.gpus.at(0);
              device.index = 0;
              return std::make_unique<FakeGpu>(device, options, machine.before, machine.after);
            },
            .measure_side_by_side = [this](const MeasureOptions& options,
                                           std::span<const Device> chosen) { return machine.measure(options, chosen); },
            .gpus =
                [this] {
                  if (machine.gpus.empty()) throw no_gpu_error("no driver");
                  return machine.gpus;
                },
            .interrupted = [this] { return interrupted.load(); },
            .command = {"gpumem", "probe", "--device", "all"}};
  }

  int probe(const std::string& axis, const std::string& values, const std::string& device = "all") {
    ProbeArguments arguments;
    arguments.axes = {{axis, {values}}};
    arguments.device = device;
    arguments.format = format;
    arguments.dry_run = dry_run;
    return run_probe_command(arguments, environment());
  }

  /// The copies of the shipped suite `smoke`, and what it expects of them.
  int check_copies() {
    nlohmann::json suite =
        nlohmann::json::parse(gpumem::test::content_of(gpumem::test::source_folder() / "configs/smoke.json"));
    const auto of_copies = [](const nlohmann::json& all) {
      nlohmann::json kept = nlohmann::json::array();
      std::ranges::copy_if(all, std::back_inserter(kept), [](const nlohmann::json& one) {
        return one.value("probe", one.value("/cases/probe"_json_pointer, "")) == "transfer";
      });
      return kept;
    };
    for (const char* list : {"probes", "expectations"}) suite[list] = of_copies(suite[list]);
    gpumem::test::put(path("copies.json"), suite.dump());
    return check(1, path("copies.json"));
  }

  /// The shipped suite `smoke`, or another.
  int check(unsigned attempts = 1, const std::string& suite = "smoke") {
    CheckArguments arguments;
    arguments.targets = {suite};
    arguments.device = "all";
    arguments.attempts = attempts;
    arguments.color = Color::never;
    arguments.verbose = true;
    arguments.outputs = {path("r.json")};
    arguments.junit = path("r.xml");
    arguments.openmetrics = path("r.prom");
    return run_check_command(arguments, environment());
  }

  /// The cases of one GPU, slower than the others'.
  void slow_down(std::uint64_t which, double speed) {
    machine.after = [=](std::uint64_t gpu, const Case&, report::Record& record) {
      if (gpu == which) scale(record, speed);
    };
  }

  [[nodiscard]] std::string path(const std::string& name) const { return (directory / name).string(); }
  [[nodiscard]] std::string content(const std::string& name) const {
    return gpumem::test::content_of(directory / name);
  }
  /// True if stdout has the text, wherever its lines break.
  [[nodiscard]] bool said(const std::string& text) const {
    std::string all = out.str();
    std::ranges::replace(all, '\n', ' ');
    return all.find(text) != std::string::npos;
  }

  FakeMachine machine;
  std::ostringstream out;
  std::ostringstream err;
  report::Format format = report::Format::json;
  bool dry_run = false;
  std::atomic<bool> interrupted = false;
  std::string asked_device;

 private:
  gpumem::test::TemporaryDirectory directory;
};

}  // namespace gpumem::app::test
