#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/command_line/command_options.hpp"
#include "app/help.hpp"
#include "app/quantities.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

const std::vector<std::string> backend_names = {"cuda", "model", "auto"};
const std::vector<std::string> format_names = {"table", "json", "csv", "markdown"};

/// What CLI11 puts in the place of the value of a flag that stands alone. An empty text would not do: that is what a
/// shell makes of a variable that is not set, and it stays an error.
constexpr const char* stands_alone = "(defaults)";

/// What stands after --counters; "true" is nothing.
measure::Counting counting(const std::string& text) {
  if (text == "true") return measure::Counting::if_possible;
  if (text == "require") return measure::Counting::required;
  throw usage_error(fmt::format("--counters: '{}' is not what it takes; give --counters or --counters=require", text));
}

class ProbeCommand final : public CommandOptions {
 public:
  ProbeCommand(CLI::App& program, const std::vector<Probe>& registry)
      : CommandOptions(program, "probe", "Run probes: measure on a GPU, or predict without one") {
    command_
        .add_option("NAME", arguments_.names,
                    "Probes to run, see 'gpumem list'; without any, those whose axis is "
                    "given, else a quick look at all of them")
        ->option_text("NAME...");
    add_axes(registry);
    add_backend();
    add_results();
    add_effort();
    command_.footer(
        "Values: 0..32 (inclusive), 0..32:4 (step), 1..1024*2 (factor), 1,2,5,8..10\n"
        "(list), names, and sizes such as 64MiB or 4KiB..1GiB*4.\n\n"
        "Examples:\n"
        "  gpumem probe --offset 0..32                       what misalignment costs\n"
        "  gpumem probe --stride 1..32 --op read,write,copy  which direction strides hurt\n"
        "  gpumem probe --transfer pinned,pageable           what pinning memory buys\n"
        "  gpumem probe --zero-copy                          when not to copy at all\n"
        "  gpumem probe --offset 0..32 --backend model --gpu h200 --output offset.json");
  }

  [[nodiscard]] Request take() override {
    for (const auto& axis : axes_) {
      if (axis->texts.empty()) continue;
      arguments_.axes.push_back(*axis);
      std::vector<std::string>& texts = arguments_.axes.back().texts;
      if (std::ranges::find(texts, "") != texts.end()) throw usage_error("--" + axis->flag + " needs a value");
      std::ranges::replace(texts, stands_alone, "");
    }
    arguments_.backend = static_cast<BackendChoice>(choice("backend", backend_, backend_names));
    if (!format_.empty()) {
      arguments_.format = report::format_from_name(format_names[choice("format", format_, format_names)]);
    }
    if (!gpu_.empty()) arguments_.gpu = gpu_;
    if (!device_.empty()) arguments_.device = device_;
    if (!ci_width_.empty()) arguments_.ci_width = parse_fraction("ci-width", ci_width_);
    if (!time_budget_.empty()) arguments_.time_budget = parse_duration("time-budget", time_budget_);
    if (!counters_.empty()) arguments_.counting = counting(counters_);
    if (!numa_.empty()) arguments_.numa = measure::NumaRequest::parse(numa_);
    if (arguments_.gpu && arguments_.backend == BackendChoice::cuda) {
      throw usage_error(
          "--gpu names the GPU to predict for; add --backend model, or use --device to choose the GPU to "
          "measure on");
    }
    if (arguments_.device && arguments_.backend == BackendChoice::model) {
      throw usage_error("--device chooses the GPU to measure on; the model takes --gpu");
    }
    return std::move(arguments_);
  }

 private:
  /// One option per flag, whichever probes have it; those that select a probe come first.
  void add_axes(const std::vector<Probe>& registry) {
    for (const Probe& probe : registry) {
      if (const Axis* compared = probe.find_axis(probe.compared)) add_axis(compared->flag, registry);
      add_axis(probe.axes.front().flag, registry);
    }
    for (const Probe& probe : registry) {
      for (const Axis& axis : probe.axes) add_axis(axis.flag, registry);
    }
  }

  void add_axis(const std::string& flag, const std::vector<Probe>& registry) {
    const auto known = [&](const auto& axis) { return axis->flag == flag; };
    if (std::ranges::any_of(axes_, known)) return;
    axes_.push_back(std::make_unique<GivenAxis>(GivenAxis{.flag = flag, .texts = {}}));
    CLI::Option* option = add_value(command_, flag, axes_.back()->texts, "VALUES", axis_help(flag, registry));
    option->group("Axes");
    if (!value_is_optional(flag, registry)) return;
    option->option_text("[VALUES]")->default_str(stands_alone);
    option->expected(0, 1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void add_backend() {
    constexpr const char* group = "Where the numbers come from";
    add_value(command_, "backend", backend_, "cuda|model|auto",
              "cuda measures, and fails without a GPU (default); model predicts and needs none; auto measures where "
              "there is a GPU and else predicts, e.g. in a script for both")
        ->group(group);
    add_value(command_, "gpu", gpu_, "NAME|FILE",
              "The GPU to predict for, with --backend model or auto: a profile's name or file, e.g. --gpu v100 to see "
              "what an older GPU would make of the pattern")
        ->group(group);
    command_
        .add_flag(
            "--counters", counters_,
            "Also let the hardware count what each case's kernel does (sectors, wavefronts, L2 and DRAM traffic), "
            "beside what was predicted; --counters=require fails where that is not possible")
        ->group(group);
    add_value(command_, "device", device_, "N|UUID|PCI-ID",
              "The GPU to measure on where there are several, see 'gpumem devices', e.g. --device 1. A UUID or PCI id "
              "means the same GPU whatever the process sees")
        ->group(group);
    add_switch(command_, "dry-run", arguments_.dry_run,
               "Only say which cases would run, to check an expensive sweep "
               "before it starts")
        ->group(group);
  }

  void add_results() {
    constexpr const char* group = "Results";
    add_value(command_, "format", format_, "table|json|csv|markdown",
              "How stdout shows the results: a table for people (default), json or csv for programs, markdown for an "
              "issue, e.g. --format csv")
        ->group(group);
    add_value(command_, "output", arguments_.outputs, "FILE",
              "Also write the results to a file, in the format of its extension (.json, .csv, .md, .txt); repeatable, "
              "- is stdout. The file is whole after every case, so a long run can be watched, e.g. --output run.json "
              "--output run.csv")
        ->group(group);
    add_switch(command_, "why", arguments_.why,
               "Add a last column to the table: what limits each case, and what would change it; 'gpumem explain' says "
               "it in full")
        ->group(group);
    add_switch(command_, "quiet", arguments_.quiet,
               "No progress and no notices; with --output, nothing on stdout "
               "either")
        ->group(group);
    add_switch(command_, "no-color", arguments_.no_color, "No colours in the table, as with NO_COLOR set")
        ->group(group);
  }

  void add_effort() {
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

  ProbeArguments arguments_;
  std::vector<std::unique_ptr<GivenAxis>> axes_;  // CLI11 keeps references to their texts
  std::string backend_ = "cuda";
  std::string format_;
  std::string gpu_;
  std::string device_;
  std::string ci_width_;
  std::string time_budget_;
  std::string numa_;
  std::string counters_;
};

}  // namespace

Command add_probe_command(CLI::App& program, const std::vector<Probe>& registry) {
  return std::make_unique<ProbeCommand>(program, registry);
}

}  // namespace gpumem::app
