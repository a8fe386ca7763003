#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <ostream>

#include "app/command_line/axes.hpp"
#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/words.hpp"
#include "app/run/case_records.hpp"
#include "app/run/interrupts.hpp"
#include "app/run/run.hpp"
#include "app/suite/suite.hpp"
#include "engine/base/error.hpp"
#include "report/explain/explain.hpp"

namespace gpumem::app {

namespace {

/// With the parameters that tell the cases of a table apart.
std::string short_name(const report::Record& record) {
  return words_of(record, [&](const std::string& name) {
    return name == record.swept || name == record.compared || name == record.across;
  });
}

/// Says which cases went wrong, if any did: one line for what is worst, and one for what was left out. `unusable`: some
/// of these because of what the user brought.
int exit_code(const report::Report& report, bool unusable, std::ostream& err) {
  const auto& results = report.results;
  const auto complain = [&](const char* fate, const auto& is_bad) {
    const auto first = std::ranges::find_if(results, is_bad);
    if (first == results.end()) return false;
    say(err, fmt::format("{} of {} cases {}; the first, {}: {}", std::ranges::count_if(results, is_bad), results.size(),
                         fate, short_name(*first), first->reason.value_or("no reason known")));
    return true;
  };
  const auto is = [](report::Status status) {
    return [status](const report::Record& record) { return record.status == status; };
  };
  const bool wrong =
      complain("moved wrong data", [](const report::Record& record) { return record.verified == false; });
  const bool failed = !wrong && complain("failed", is(report::Status::failed));
  const bool skipped = complain("skipped", is(report::Status::skipped));
  return wrong ? 1 : failed ? 4 : unusable ? 2 : skipped ? 3 : 0;
}

/// An option per flag, whichever probes have it.
void add_axes(CommandOptions& options, std::vector<GivenAxis>& axes, const std::vector<Probe>& registry) {
  const std::vector<OptionEntry> declared = axis_options(registry);
  for (const OptionEntry& option : declared) axes.push_back({.flag = option.names.front().substr(2), .texts = {}});
  options.group(axis_group);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    options.add_value(axes[i].flag, declared[i].value, axes[i].texts, declared[i].help);
  }
}

void refuse_beside_suite(const ProbeArguments& arguments) {
  const char* cure = "; run it without --config, or copy the suite into a file and change it there";
  if (!arguments.names.empty()) {
    throw usage_error("--config already says which probes run, so it takes no '" + arguments.names.front() + "'" +
                      cure);
  }
  if (!arguments.axes.empty()) {
    throw usage_error("--config already says which cases run, so it takes no --" + arguments.axes.front().flag + cure);
  }
}

}  // namespace

int run_cases(const Plan& plan, const RunOptions& options, const ResultOutputs& outputs, const Environment& environment,
              const std::function<void(const report::Report& report)>& finish) {
  const KeepWhatIsMeasured keep;
  Run run(plan, options, outputs, environment);
  keeping_results([&] { run.all(); },
                  [&] {  // what was done until then is a report all the same
                    run.clear_progress();
                    if (!run.has_results()) return false;
                    finish(report::completed(run.report()));
                    return true;
                  });
  return exit_code(run.report(), run.has_unusable(), environment.err);
}

int run_probe_command(const ProbeArguments& arguments, const Environment& environment) {
  std::optional<Suite> suite;
  if (arguments.config) suite = load_suite(*arguments.config, environment.registry);
  if (suite) refuse_nothing_to_run(*suite);
  const Plan plan = suite ? suite->plan : make_plan(environment.registry, arguments.names, arguments.axes);
  std::vector<std::string> inputs = profile_files(arguments.gpu);
  if (arguments.config && looks_like_path(*arguments.config)) inputs.push_back(*arguments.config);
  std::ranges::move(files_of(plan), std::back_inserter(inputs));
  ResultRequest shown = reading(arguments, inputs);
  const bool is_quick_look = arguments.names.empty() && arguments.axes.empty() && !suite;
  shown.brief = is_quick_look && !arguments.tables && !arguments.why && !arguments.picture && !arguments.dry_run;
  const ResultOutputs outputs(shown, report::table_formats(), environment.out, environment.out_terminal);
  if (arguments.dry_run) {
    outputs.finish(report::completed(dry_report(plan, arguments, environment)));
    return 0;
  }

  return run_cases(plan, with_suite(arguments, suite ? suite->options : CaseOptions{}), outputs, environment,
                   [&](const report::Report& report) { outputs.finish(report); });
}

MakeRequest probe_options(CommandOptions& options, const KnownNames& known) {
  const auto arguments = std::make_shared<ProbeArguments>();
  options.add_argument("[PROBE...]", arguments->names,
                       "Probes to run. Without names: the probes whose axis is given, else a quick look at all");
  options.add_value(
      "config", "SUITE", arguments->config,
      "Run the probes of a suite instead, with its axes and options: a shipped one (smoke, default, "
      "best-practices, portrait, write-ups, full) or a file (- is standard input), e.g. --config default for a GPU "
      "that is new to you. Options given here override the suite's. 'gpumem check' also checks its expectations");
  add_axes(options, arguments->axes, known.probes);
  add_backend_options(options, *arguments,
                      "List the cases and run none, e.g. to check an expensive sweep before it starts");
  options.group("Results");
  options.add_format(report::table_formats(), arguments->format,
                     "Format on stdout: a table for people (default), json or csv for programs, markdown "
                     "for an issue, e.g. --format csv");
  add_columns_option(options, *arguments);
  add_result_options(
      options, *arguments,
      "Also write the results to a file, in the format of its extension (.json, .csv, .md, .txt; a page .html; a "
      "figure .svg, .png, .pdf); repeatable, - is stdout. A missing folder is made, one level of it. The file is whole "
      "after every case, so a long run can be watched, e.g. --output run.json --output run.csv",
      "No progress and no notices; with --output, nothing on stdout either, e.g. in a cron job");
  options.add_switch("tables", arguments->tables,
                     "All tables of a quick look at all probes, in place of a line for each probe, e.g. gpumem probe "
                     "--tables");
  options.add_switch("why", arguments->why,
                     "Add a last column to the table: the limit of each case and its cure, e.g. --op write --why; "
                     "'gpumem explain' says it in full");
  options.add_switch("picture", arguments->picture,
                     "Show the tile of a pattern in shared memory below the table: the bank of each word, and the "
                     "wavefronts of the slowest request, e.g. --pattern 'column * pitch + row' --rows 32 --picture");
  add_effort_options(options, *arguments);
  options.footer(
      "Values: 0..32 (inclusive), 0..32:4 (step), 1..1024*2 (factor), 1,2,5,8..10 (list), names, and sizes such as "
      "64MiB, 1.5GiB or 4KiB..1GiB*4, for --buffer also 90% of the memory.\n\n"
      "Examples:\n"
      "  gpumem probe --offset 0..32                       what misalignment costs\n"
      "  gpumem probe --stride 1..32 --op read,write,copy  which direction strides hurt\n"
      "  gpumem probe --transfer pinned,pageable           what pinning memory buys\n"
      "  gpumem probe --zero-copy                          when not to copy at all\n"
      "  gpumem probe --pattern 'i * 3 ^ 5' --why          any pattern, written out\n"
      "  gpumem probe --indices columns.npy                any pattern, as data\n"
      "  gpumem probe --config default --output gpu.json   a GPU in about half a minute\n"
      "  gpumem probe --offset 0..32 --backend model --gpu h200 --output offset.json");
  return [arguments, &known] {
    std::erase_if(arguments->axes, [](const GivenAxis& axis) { return axis.texts.empty(); });
    refuse_wrong_gpu(*arguments);
    if (arguments->config) refuse_beside_suite(*arguments);
    if (arguments->config) refuse_no_suite(*arguments->config, known);
    for (const std::string& name : arguments->names) refuse_no_probe(name, known);
    return Request(*arguments, run_probe_command);
  };
}

}  // namespace gpumem::app
