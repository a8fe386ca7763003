#include <utility>

#include "app/command_line/command_options.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

class CalibrateCommand final : public CommandOptions {
 public:
  explicit CalibrateCommand(CLI::App& program)
      : CommandOptions(program, "calibrate", "Measure the rates of a GPU, for predictions of it") {
    add_value(command(), "device", device_, "N|UUID|PCI-ID",
              "The GPU to calibrate where there are several, see 'gpumem devices', e.g. --device 1");
    add_value(command(), "-o,--output", output_, "FILE",
              "Write the profile to a file, which --gpu reads; - is stdout. Without it the rates are only shown");
    add_value(command(), "from", arguments_.from, "REPORT",
              "Fit to the measured cases of a saved JSON report instead of measuring; repeatable, needs no GPU");
    add_value(command(), "check", arguments_.check, "REPORT",
              "With --from: hold the rates against this report, which they are not fitted to; repeatable. Without it, "
              "every fourth pattern of the reports is held out, e.g. --check afterwards.json");
    add_value(command(), "name", name_, "NAME",
              "The profile's name in reports (default: the GPU's), e.g. --name lab-h200");
    add_switch(command(), "quiet", arguments_.quiet, "No progress, and no table of the rates, e.g. in a script");
    command().footer(
        "Examples:\n"
        "  gpumem calibrate -o mine.json                   about half a minute on the GPU\n"
        "  gpumem probe --offset 0..32 --backend model --gpu mine.json\n"
        "  gpumem calibrate --from offset.json --from stride.json -o mine.json");
  }

  [[nodiscard]] Request take() override {
    if (!device_.empty()) arguments_.device = device_;
    if (!output_.empty()) arguments_.output = output_;
    if (!name_.empty()) arguments_.name = name_;
    if (arguments_.device && !arguments_.from.empty()) {
      throw usage_error("--device chooses the GPU to measure on; with --from nothing is measured");
    }
    if (arguments_.from.empty() && !arguments_.check.empty()) {
      throw usage_error("--check needs --from; what calibrate measures itself has its own cases to hold out");
    }
    return std::move(arguments_);
  }

 private:
  CalibrateArguments arguments_;
  std::string device_;
  std::string output_;
  std::string name_;
};

}  // namespace

Command add_calibrate_command(CLI::App& program) { return std::make_unique<CalibrateCommand>(program); }

}  // namespace gpumem::app
