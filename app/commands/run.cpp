#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <ostream>
#include <span>
#include <string>

#include "app/command_line/build_information.hpp"
#include "app/command_line/command_options.hpp"
#include "app/command_line/values.hpp"
#include "app/commands/commands.hpp"
#include "app/run/run_options.hpp"
#include "engine/base/error.hpp"
#include "program/price/ported.hpp"
#include "program/results/program.hpp"
#include "program/start/injection.hpp"
#include "program/start/signals.hpp"
#include "program/start/watched_command.hpp"
#include "report/advise/advice.hpp"
#include "report/explain/explain.hpp"
#include "report/record/joined.hpp"
#include "report/text/name_pattern.hpp"
#include "report/text/text.hpp"
#include "report/write/ported/ported.hpp"

namespace gpumem::app {

namespace {

struct RunArguments : ResultRequest, program::WatchOptions {
  bool sites = false;  ///< with counters: both, one after the other
  std::vector<std::string> command;
  std::optional<std::string> gpu;  ///< whose profile predicts
};

report::Report finished_report(const std::vector<program::RawProcess>& processes, const program::ProgramRun& run,
                               const model::ProfileChoice& predicting, const std::string& started_at,
                               const Environment& environment) {
  report::Report report = program::program_report(processes, run, predicting);
  report.tool = build_information();
  report.command = environment.command;
  report.started_at = started_at;
  report.backend = "cuda";
  report.host = describe_host();
  return report::completed(report);
}

/// The results of running the command once.
struct Outcome {
  report::Report report;
  int exit_code = 0;
  program::ProgramTraces traces;
  std::optional<std::string> full;     ///< no room was left for the raw files
  std::optional<std::string> missing;  ///< as in Injection
};

Outcome run_once(const RunArguments& arguments, const program::Places& places, const model::ProfileChoice& predicting,
                 const Environment& environment) {
  program::WatchedCommand command(arguments.command, arguments, places);
  const std::string started_at = utc_now();
  Outcome outcome;
  outcome.exit_code = command.run();
  outcome.full = command.note_if_full();
  outcome.missing = command.injection().missing;
  const std::vector<program::RawProcess> processes = program::read_raw_data(command.injection().raw_files);
  command.remove_raw_files();  // nothing of them is needed any more, whatever comes
  outcome.traces = program::program_traces(processes);
  std::vector<std::string> notes = command.injection().notes;
  if (outcome.full) notes.push_back(*outcome.full);
  if (outcome.traces.used_cuda && outcome.missing) notes.push_back(*outcome.missing);
  const program::ProgramRun run{.command = arguments.command, .exit_code = outcome.exit_code, .notes = notes};
  outcome.report = finished_report(processes, run, predicting, started_at, environment);
  return outcome;
}

/// Runs the command access by access and, if that went well, once more to be counted.
Outcome run_twice(const RunArguments& arguments, const program::Places& places, const model::ProfileChoice& predicting,
                  const Environment& environment) {
  RunArguments once = arguments;
  once.counters = false;
  Outcome sites = run_once(once, places, predicting, environment);
  if (sites.exit_code != 0 || !sites.traces.used_cuda) {
    if (sites.traces.used_cuda) {
      sites.report.program->notes.emplace_back("the command was not run again to be counted, for it had failed");
    }
    return sites;
  }
  if (!arguments.quiet) say(environment.err, "seen access by access; the command runs once more, to be counted");
  Outcome both = run_once(arguments, places, predicting, environment);
  if (both.exit_code != sites.exit_code) {
    both.report.program->notes.push_back(fmt::format("the command ended with {} the first time", sites.exit_code));
  }
  // One engine may see what the other cannot, so the run is a failure only if both failed.
  for (const program::ProgramTraces* traces : {&sites.traces, &both.traces}) {
    if (traces->fatal) both.report.program->notes.push_back(*traces->fatal);
  }
  if (!sites.traces.fatal) both.traces.fatal.reset();
  const int exit_code = both.exit_code;
  both.report = report::joined(sites.report, both.report);
  report::add_explanations(both.report.results);
  both.report.advice = report::program_advice(both.report);
  both.report.program->exit_code = exit_code;
  return both;
}

/// Writes results, or says on stderr why it cannot: the command has run either way, and its exit code stands.
void write_or_say(const Environment& environment, const std::function<void()>& write) {
  try {
    write();
  } catch (const Error& error) {
    say(environment.err, error.what());
  }
}

/// True if the profile is of a GPU that the program did not run on.
bool is_elsewhere(const report::Report& report, const std::optional<model::Profile>& named) {
  const auto is_here = [&](const Device& device) { return model::is_of_kind(*named, device); };
  return named && std::ranges::none_of(report.devices, is_here);
}

/// Writes the report. People see below its table what the kernels would take on the GPU of the profile.
void finish_with_ported(const ResultOutputs& outputs, const report::Report& report, const model::Profile& elsewhere) {
  const report::Ported ported{.name = "the run", .gpus = {program::ported(report, elsewhere)}};
  const report::NamedReport drawn{"the report", report};
  outputs.finish(
      [&](std::ostream& out, report::Format format, const report::TableStyle& style) {
        ResultOutputs::of(report)(out, format, style);
        if (format != report::Format::table && format != report::Format::markdown) return;
        out << '\n';
        report::write_ported(out, ported, report, format, style);
      },
      std::span(&drawn, 1));
}

int run_run_command(const RunArguments& arguments, const Environment& environment) {
  program::survive_closed_pipes();
  if (arguments.gpu == "-") throw usage_error("--gpu: standard input is the command's; give the profile as a file");
  // Errors in the arguments are found before the command has run for hours.
  const ResultOutputs outputs(reading(arguments, profile_files(arguments.gpu)), report::table_formats(),
                              environment.err, environment.err_terminal);
  const model::ProfileChoice predicting{.named = arguments.gpu, .own = environment.own_profiles};
  const auto named =
      predicting.named ? std::optional(model::find_profile(*predicting.named, predicting.own)) : std::nullopt;
  const auto run = arguments.counters && arguments.sites ? run_twice : run_once;
  const Outcome outcome = run(arguments, program::real_places(), predicting, environment);

  if (outcome.traces.used_cuda && !outcome.traces.fatal) {
    const bool elsewhere = is_elsewhere(outcome.report, named);
    const auto why_not = elsewhere ? program::why_not_portable(outcome.report) : std::nullopt;
    write_or_say(environment, [&] {
      elsewhere && !why_not ? finish_with_ported(outputs, outcome.report, *named) : outputs.finish(outcome.report);
    });
    if (why_not && !arguments.quiet)
      say(environment.err, fmt::format("note: nothing is known of {}: the run {}", named->device.name, *why_not));
    return outcome.exit_code;
  }
  // Files that were asked for are written all the same. A table would be empty.
  write_or_say(environment, [&] { outputs.finish_files(outcome.report); });
  const std::string name = report::one_line(arguments.command.front());
  if (outcome.traces.used_cuda) {
    throw missing_capability_error(fmt::format("{} uses a GPU but could not be watched (its own exit code was {}): {}",
                                               name, outcome.exit_code,
                                               outcome.missing.value_or(*outcome.traces.fatal)));
  }
  if (!arguments.quiet) {
    say(environment.err, outcome.full.value_or(fmt::format("{} did not use CUDA, so there is nothing to show", name)));
  }
  return outcome.exit_code;
}

}  // namespace

MakeRequest run_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<RunArguments>();
  options.add_argument(
      "-- COMMAND...", arguments->command,
      "Any program that uses CUDA, Python included, with its arguments. Nothing has to be rebuilt; its "
      "input, output and exit code stay its own");
  options.group("Sampling");
  options.add_switch("counters", arguments->counters,
                     "Count launches with the hardware's counters instead of sampling them access by access, and time "
                     "all kernels, those of CUDA graphs too. A kernel needs a launch for each pass of the counters");
  options.add_switch("replay", arguments->replay,
                     "With --counters, run each kernel again for every pass, so that one launch is enough");
  options.add_switch("sites", arguments->sites,
                     "With --counters, do both: the command runs twice, access by access and then counted, and the "
                     "results are put together");
  options.add_value("kernel", "REGEX", arguments->kernel,
                    "Sample only kernels whose full name matches, e.g. --kernel 'transpose|copy'; others are timed");
  options.add_value(
      "launches", "N",
      [arguments](const std::string& text) { arguments->launches = parse_count("launches", "launches", text); },
      "Sample so many launches of each kernel, grid and block, e.g. --launches 3; 0 only takes times (default: 1; of a "
      "kernel with more than 8 grids, 1 of each grid with half or twice as many blocks as the last)");
  options.add_value(
      "skip-first", "N",
      [arguments](const std::string& text) { arguments->skip_first = parse_count("skip-first", "launches", text); },
      "Pass over the first launches of each process, e.g. --skip-first 1000 to leave out a warm-up");
  options.add_value(
      "max-overhead", "SHARE",
      [arguments](const std::string& text) {
        arguments->max_overhead = parse_fraction("max-overhead", text, std::numeric_limits<double>::infinity());
      },
      "Stop sampling once it has cost this share of the program's own time, or a second if that is more (default "
      "20%); the table says what was not sampled, e.g. --max-overhead 5%");
  options.add_value("device", "N|UUID|PCI-ID", arguments->device,
                    "Sample this GPU only, as the program numbers it, e.g. --device 1");
  options.add_value("gpu", "PROFILE|FILE", arguments->gpu,
                    "Profile to predict from (default: your own of that GPU from gpumem calibrate, else the shipped "
                    "one), e.g. --gpu mine.json; a profile of another GPU, such as b200, adds what the kernels would "
                    "take there");
  options.group("Results");
  options.add_format(report::table_formats(), arguments->format,
                     "Format on stderr after the command has ended: a table for people (default), json or csv for "
                     "programs, markdown for an issue, e.g. --format markdown");
  add_columns_option(options, *arguments);
  options.add_value("-o,--output", "FILE", arguments->outputs,
                    "Also write them to a file, in the format of its extension (.json, .csv, .md, .txt; a page .html; "
                    "a figure .svg, .png, .pdf); repeatable, "
                    "e.g. --output before.json for gpumem explain, compare and check");
  options.add_switch("-q,--quiet", arguments->quiet, "With --output, nothing on stderr, e.g. in a script");
  add_color_options(options, *arguments);
  options.footer(
      "Examples:\n"
      "  gpumem run -- ./app                      what its kernels waste, and where\n"
      "  gpumem run --output before.json -- python3 train.py\n"
      "  gpumem run --counters --replay -- ./app  counted, each kernel in one launch\n"
      "  gpumem run --counters --sites -- ./app   both, in two runs\n"
      "  gpumem explain before.json               every wasteful line\n"
      "  gpumem compare before.json after.json    kernel by kernel");
  return [arguments] {
    if (arguments->command.empty()) {
      throw usage_error("run needs a command behind --, e.g. gpumem run -- python3 train.py");
    }
    if (arguments->replay && !arguments->counters) throw usage_error("--replay needs --counters: nothing else repeats");
    if (arguments->kernel) static_cast<void>(report::NamePattern(*arguments->kernel));
    for (const std::string& path : arguments->outputs) {
      if (path == "-" || path == "/dev/stdout") {
        throw usage_error("--output: standard output is the command's; name a file");
      }
    }
    if (arguments->quiet && arguments->outputs.empty()) {
      throw usage_error("--quiet needs --output FILE: else nothing is left of the run");
    }
    return Request(*arguments, run_run_command);
  };
}

}  // namespace gpumem::app
