#include "app/run/run_options.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "app/command_line/values.hpp"
#include "app/run/device_list.hpp"
#include "engine/base/error.hpp"
#include "engine/base/unpack.hpp"
#include "engine/model/profile.hpp"

namespace gpumem::app {

namespace {

/// Parses the value of --counters; "true" stands for no value.
measure::Counting counting(const std::string& text) {
  if (text == "true") return measure::Counting::if_possible;
  if (text == "require") return measure::Counting::required;
  throw usage_error(
      fmt::format("--counters: '{}' is not one of its values; give --counters or --counters=require", text));
}

}  // namespace

void add_backend_options(CommandOptions& options, RunOptions& target, const std::string& dry_run_help) {
  options.group("Source of the numbers");
  options.add_choice("backend", "cuda|model|auto", target.backend,
                     "cuda measures, and fails without a GPU (default); model predicts and needs none; auto measures "
                     "where there is a GPU and else predicts, e.g. in a script for both");
  options.add_value("gpu", "PROFILE|FILE", target.gpu,
                    "The GPU to predict for: a profile's name or file (- is standard input), or the GPU's name, e.g. "
                    "--gpu v100 for an older GPU. When measuring: the profile to compare with (default: that GPU's)");
  options.add_value(
      "counters", "[=require]", [&target](const std::string& text) { target.counting = counting(text); },
      "Also count sectors, wavefronts, L2 and DRAM traffic with the hardware's counters, beside the predictions, e.g. "
      "--counters --why. --counters=require fails where counting is not possible");
  options.add_value("device", "N|UUID|PCI-ID|all", target.device,
                    "The GPU to measure on, see 'gpumem devices', e.g. --device 1. A UUID or PCI id means the same GPU "
                    "whatever CUDA_VISIBLE_DEVICES says. all, or a list such as 0,2, measures on several GPUs at the "
                    "same time and names the odd one out");
  options.add_switch("dry-run", target.dry_run, dry_run_help);
}

void add_color_options(CommandOptions& options, ResultRequest& target) {
  options.add_choice("color", "auto|always|never", target.color,
                     "Colours: in a terminal (default), always or never, e.g. --color always for a pager");
  options.add_switch(
      "no-color", [&target] { target.color = Color::never; },
      "The same as --color never, e.g. in a console that shows the codes of colours");
}

void add_result_options(CommandOptions& options, ResultRequest& target, const std::string& output_help,
                        const std::string& quiet_help) {
  options.group("Results");
  options.add_value("-o,--output", "FILE", target.outputs, output_help);
  options.add_switch("-q,--quiet", target.quiet, quiet_help);
  add_color_options(options, target);
}

void add_columns_option(CommandOptions& options, ResultRequest& target) {
  options.add_switch(
      "all-columns", [&target] { target.columns = {"all"}; },
      "All columns of CSV, also parameters, metrics and counters that no case has, e.g. --format csv --all-columns. "
      "'gpumem show --columns' chooses some");
}

void add_effort_options(CommandOptions& options, CaseOptions& target) {
  options.group("Effort");
  options.add_value(
      "ci-width", "SHARE",
      [&target](const std::string& text) { target.effort.ci_width = parse_fraction("ci-width", text); },
      "Repeat a case until the 95 % confidence interval of its median is this narrow (default 0.5%); wider is faster, "
      "e.g. --ci-width 2%");
  options.add_value(
      "time-budget", "TIME",
      [&target](const std::string& text) { target.effort.time_budget = parse_duration("time-budget", text); },
      "Stop repeating a case after this time even if its interval is wider (default 2s; 250ms in a quick look at all "
      "probes), for noisy machines, e.g. --time-budget 100ms");
  options.add_value(
      "numa", "gpu|off|N", [&target](const std::string& text) { target.numa = measure::NumaRequest::parse(text); },
      "NUMA node of the host memory of transfers: the GPU's (default), the system's choice (off), or a number, e.g. "
      "--numa 1 to see what the far node costs");
}

bool looks_like_path(const std::string& text) {
  return text == "-" || is_json_name(text) || text.find('/') != std::string::npos;
}

std::vector<std::string> profile_files(const std::optional<std::string>& gpu) {
  if (!gpu || !looks_like_path(*gpu)) return {};
  return {*gpu};
}

void refuse_wrong_gpu(const RunOptions& given) {
  const auto is_number = [](const std::string& text) {
    return text.find_first_not_of("0123456789") == std::string::npos;
  };
  if (given.gpu && !given.gpu->empty() && is_number(*given.gpu)) {
    throw usage_error(
        fmt::format("--gpu: '{0}' is no profile; a GPU of this machine is chosen with: --device {0}", *given.gpu));
  }
  const std::vector<std::string> profiles = model::profile_names();
  if (given.device && std::ranges::find(profiles, *given.device) != profiles.end()) {
    throw usage_error(fmt::format(
        "--device: '{0}' is a kind of GPU, and no GPU of this machine; predict for it with: --backend model --gpu {0}",
        *given.device));
  }
  if (given.device && given.device->find("..") != std::string::npos) {
    throw usage_error(
        fmt::format("--device: '{}' is a range; list the GPUs, such as 0,1,2, or give all", *given.device));
  }
  if (given.device && given.backend == BackendChoice::model && !may_be_several(*given.device)) {
    throw usage_error("--device chooses the GPU to measure on; the model takes --gpu");
  }
  if (given.device) static_cast<void>(device_list(*given.device));
}

}  // namespace gpumem::app
