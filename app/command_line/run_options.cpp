#include "app/command_line/run_options.hpp"

#include <fmt/format.h>

#include "app/command_line/shares_and_times.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

const std::vector<std::string> backend_names = {"cuda", "model", "auto"};

/// What stands after --counters; "true" is nothing.
measure::Counting counting(const std::string& text) {
  if (text == "true") return measure::Counting::if_possible;
  if (text == "require") return measure::Counting::required;
  throw usage_error(fmt::format("--counters: '{}' is not what it takes; give --counters or --counters=require", text));
}

}  // namespace

void RunOptionGroup::add_backend(const std::string& dry_run_help) {
  constexpr const char* group = "Where the numbers come from";
  add_value(command_, "backend", backend_, "cuda|model|auto",
            "cuda measures, and fails without a GPU (default); model predicts and needs none; auto measures where "
            "there is a GPU and else predicts, e.g. in a script for both")
      ->group(group);
  add_value(command_, "gpu", gpu_, "PROFILE|FILE",
            "The GPU to predict for, with --backend model or auto: a profile's name or file, e.g. --gpu v100 to see "
            "what an older GPU would make of the pattern")
      ->group(group);
  command_
      .add_flag("--counters", counters_,
                "Also let the hardware count what each case's kernel does (sectors, wavefronts, L2 and DRAM traffic), "
                "beside what was predicted; --counters=require fails where that is not possible, e.g. "
                "--counters --why")
      ->option_text("[=require]")
      ->group(group);
  add_value(command_, "device", device_, "N|UUID|PCI-ID",
            "The GPU to measure on where there are several, see 'gpumem devices', e.g. --device 1. A UUID or PCI id "
            "means the same GPU whatever the process sees")
      ->group(group);
  add_switch(command_, "dry-run", target_.dry_run, dry_run_help)->group(group);
}

void RunOptionGroup::add_results(const std::string& output_help, const std::string& quiet_help) {
  add_value(command_, "output", target_.outputs, "FILE", output_help)->group(results_group);
  add_switch(command_, "quiet", target_.quiet, quiet_help)->group(results_group);
  add_switch(command_, "no-color", target_.no_color,
             "No colours on stdout, as with NO_COLOR set, e.g. in a console that shows their codes")
      ->group(results_group);
}

void RunOptionGroup::add_effort() {
  constexpr const char* group = "Effort";
  add_value(command_, "ci-width", ci_width_, "SHARE",
            "Repeat a case until the 95 % confidence interval of its median is this narrow (default 0.5%); wider is "
            "faster, e.g. --ci-width 2%")
      ->group(group);
  add_value(command_, "time-budget", time_budget_, "TIME",
            "Stop repeating a case after this time even if its interval is wider (default 2s), for noisy machines, "
            "e.g. --time-budget 500ms")
      ->group(group);
  add_value(command_, "numa", numa_, "gpu|off|N",
            "Where the host memory of transfers lies: on the GPU's NUMA node (default), wherever the system puts it "
            "(off), or on a node, e.g. --numa 1 to see what the far node costs")
      ->group(group);
}

void RunOptionGroup::take() {
  target_.backend = static_cast<BackendChoice>(index_of("backend", backend_, backend_names));
  if (!gpu_.empty()) target_.gpu = gpu_;
  if (!device_.empty()) target_.device = device_;
  if (!ci_width_.empty()) target_.effort.ci_width = parse_fraction("ci-width", ci_width_);
  if (!time_budget_.empty()) target_.effort.time_budget = parse_duration("time-budget", time_budget_);
  if (!counters_.empty()) target_.counting = counting(counters_);
  if (!numa_.empty()) target_.numa = measure::NumaRequest::parse(numa_);
  if (target_.gpu && target_.backend == BackendChoice::cuda) {
    throw usage_error(
        "--gpu names the GPU to predict for; add --backend model, or use --device to choose the GPU to "
        "measure on");
  }
  if (target_.device && target_.backend == BackendChoice::model) {
    throw usage_error("--device chooses the GPU to measure on; the model takes --gpu");
  }
}

}  // namespace gpumem::app
