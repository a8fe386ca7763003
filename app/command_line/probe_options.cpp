#include <algorithm>
#include <memory>
#include <utility>

#include "app/command_line/command_options.hpp"
#include "app/command_line/help.hpp"
#include "app/command_line/run_options.hpp"
#include "probes/error.hpp"

namespace gpumem::app {

namespace {

/// What CLI11 puts in the place of the value of a flag that stands alone. An empty text would not do: that is what a
/// shell makes of a variable that is not set, and it stays an error.
constexpr const char* stands_alone = "(defaults)";

class ProbeCommand final : public CommandOptions {
 public:
  ProbeCommand(CLI::App& program, const std::vector<Probe>& registry)
      : CommandOptions(program, "probe", "Run probes: measure on a GPU, or predict without one"),
        run_(command(), arguments_) {
    command()
        .add_option("NAME", arguments_.names,
                    "Probes to run, see 'gpumem list'; without any, those whose axis is "
                    "given, else a quick look at all of them")
        ->option_text("[PROBE...]");
    add_axes(registry);
    add_value(command(), "config", config_, "SUITE",
              "Run the probes of a suite instead, with its axes and options: a shipped one (smoke, default, "
              "best-practices, full) or a file, e.g. --config default for a GPU you have not met yet. Options given "
              "here override the suite's; 'gpumem check' also holds its expectations");
    run_.add_backend("Only say which cases would run, e.g. to check an expensive sweep before it starts");
    add_results();
    run_.add_effort();
    command().footer(
        "Values: 0..32 (inclusive), 0..32:4 (step), 1..1024*2 (factor), 1,2,5,8..10\n"
        "(list), names, and sizes such as 64MiB or 4KiB..1GiB*4.\n\n"
        "Examples:\n"
        "  gpumem probe --offset 0..32                       what misalignment costs\n"
        "  gpumem probe --stride 1..32 --op read,write,copy  which direction strides hurt\n"
        "  gpumem probe --transfer pinned,pageable           what pinning memory buys\n"
        "  gpumem probe --zero-copy                          when not to copy at all\n"
        "  gpumem probe --config default --output gpu.json   a GPU in about a minute\n"
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
    arguments_.format = format_named(format_, report::table_formats());
    run_.take();
    if (!config_.empty()) take_config();
    return std::move(arguments_);
  }

 private:
  void take_config() {
    const char* cure = "; run it without --config, or copy the suite into a file and change it there";
    if (!arguments_.names.empty()) {
      throw usage_error("--config already says which probes run, so it takes no '" + arguments_.names.front() + "'" +
                        cure);
    }
    if (!arguments_.axes.empty()) {
      throw usage_error("--config already says which cases run, so it takes no --" + arguments_.axes.front().flag +
                        cure);
    }
    arguments_.config = config_;
  }

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
    CLI::Option* option = add_value(command(), flag, axes_.back()->texts, "VALUES", axis_help(flag, registry));
    option->group("Axes");
    if (!value_is_optional(flag, registry)) return;
    option->option_text("[VALUES]")->default_str(stands_alone);
    option->expected(0, 1)->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
  }

  void add_results() {
    const char* group = RunOptionGroup::results_group;
    add_value(command(), "format", format_, "table|json|csv|markdown",
              "How stdout shows the results: a table for people (default), json or csv for programs, markdown for an "
              "issue, e.g. --format csv")
        ->group(group);
    run_.add_results(
        "Also write the results to a file, in the format of its extension (.json, .csv, .md, .txt); repeatable, "
        "- is stdout. The file is whole after every case, so a long run can be watched, e.g. --output run.json "
        "--output run.csv",
        "No progress and no notices; with --output, nothing on stdout either, e.g. in a cron job");
    add_switch(
        command(), "why", arguments_.why,
        "Add a last column to the table: what limits each case, and what would change it, e.g. --op write --why; "
        "'gpumem explain' says it in full")
        ->group(group);
  }

  ProbeArguments arguments_;
  RunOptionGroup run_;
  std::vector<std::unique_ptr<GivenAxis>> axes_;  // CLI11 keeps references to their texts
  std::string config_;
  std::string format_;
};

}  // namespace

Command add_probe_command(CLI::App& program, const std::vector<Probe>& registry) {
  return std::make_unique<ProbeCommand>(program, registry);
}

}  // namespace gpumem::app
