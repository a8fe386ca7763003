#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <system_error>

#include "app/calibrate/calibration.hpp"
#include "app/calibrate/contribution.hpp"
#include "app/calibrate/measured.hpp"
#include "app/calibrate/profile_checks.hpp"
#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/output/file_output.hpp"
#include "app/output/terminal.hpp"
#include "app/run/device_list.hpp"
#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"
#include "engine/model/fit.hpp"
#include "engine/model/profile_names.hpp"
#include "engine/model/rate_fields.hpp"
#include "engine/model/source.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

std::unique_ptr<Backend> open_gpu(const CalibrateArguments& arguments, const Environment& environment) {
  MeasureOptions options;
  options.predicts = false;  // the profile to predict with is about to be replaced
  // The model is off by more than this; many different cases matter more.
  options.stopping.ci_width = 0.02;
  options.stopping.time_budget = measure::Seconds(0.03);
  options.stopping.minimum_samples = 9;
  if (arguments.device) options.device = *arguments.device;
  try {
    return environment.measure(options);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu) throw;
    throw no_gpu_error(std::string(error.what()) +
                       "; to fit reports that were measured elsewhere: gpumem calibrate --from REPORT");
  }
}

/// Notes in the profile how each rate is known. Rates that were kept have their note already.
void explain(model::Profile& profile, const std::vector<model::RateEstimate>& estimates,
             const std::map<std::string, std::string>& read_off, std::size_t cases, const std::string& day) {
  for (const model::RateEstimate& rate : estimates) {
    if (!rate.determined) continue;
    profile.how[rate.name] = fmt::format("fitted to {} cases measured by gpumem calibrate on {}, +-{}", cases, day,
                                         report::percent_with_tenths(rate.uncertainty));
  }
  for (const auto& [name, how] : read_off) {
    profile.how[name] = fmt::format("measured by gpumem calibrate on {}: {}", day, how);
  }
}

std::string errors_line(const std::string& what, const model::FitErrors& errors) {
  return fmt::format("{}: {} in the median, {} at the 95th percentile, {} at worst, of {}\n", what,
                     report::percent_with_tenths(errors.median), report::percent_with_tenths(errors.p95),
                     report::percent_with_tenths(errors.worst), report::counted(errors.cases, "case"));
}

/// The table of the rates of `profile`. For a rate that was not found, it names the origin of the value that `start`
/// lends.
std::string table(const std::vector<model::RateEstimate>& estimates, const model::Profile& profile,
                  const model::Profile& start, const std::map<std::string, std::string>& read_off) {
  std::string text = fmt::format("{:<38} {:>10}  known to\n", "rate", "value");
  const auto line = [&](const std::string& name, double value, const std::string& known) {
    text += fmt::format("{:<38} {:>10.4g}  {}\n", name, value, known);
  };
  std::size_t kept = 0;
  const auto kept_words = [&](const std::string& name) {
    ++kept;
    const std::string whose =
        start.source == model::ProfileSource::attributes ? "" : fmt::format("profile '{}', ", start.name);
    return fmt::format("not found: {}{}", whose, model::source_words(start, name));
  };
  for (const model::RateEstimate& rate : estimates) {
    line(rate.name, rate.value,
         rate.determined ? "+-" + report::percent_with_tenths(rate.uncertainty) : kept_words(rate.name));
  }
  for (const model::RateField& field : model::rate_fields()) {
    if (!field.read_off) continue;
    const auto read = read_off.find(field.name);
    if (!profile.how.contains(field.name)) {
      text += fmt::format("{:<38} {:>10}  not found: cases that need it are not predicted\n", field.name, "-");
      continue;
    }
    line(field.name, profile.rates[field.id], read == read_off.end() ? kept_words(field.name) : read->second);
  }
  if (kept > 0) {
    text += fmt::format("\n{} could not be found from these cases; the lines above say where their values come from\n",
                        report::counted(kept, "rate"));
  }
  return text;
}

// ---- Where it goes

/// Makes the folder of the user's own profiles, and returns the file of this device there. Throws a usage error.
std::string own_file(const Device& device, const Environment& environment) {
  const std::filesystem::path& folder = environment.own_profiles;
  std::error_code failed;
  std::filesystem::create_directories(folder, failed);
  if (failed) {
    throw usage_error(fmt::format("cannot make the folder '{}' for your own profiles: {}; name a file with -o FILE",
                                  folder.string(), failed.message()));
  }
  return model::own_profile_file(folder, device).string();
}

/// The text below the table of rates: where the profile was written.
std::string written_words(const std::string& path, const Device& device, bool own) {
  if (!own) return fmt::format("\nWritten to {0}; predict with: gpumem probe --backend model --gpu {0}\n", path);
  return fmt::format(
      "\nWritten to {}; from now on measurements on such a GPU are compared with it. Predict with: gpumem probe "
      "--backend model --gpu {}\n",
      path, report::shell_quoted(device.name));
}

/// Throws a usage error if the profile would go where the contribution goes.
void refuse_same_file(const std::string& profile, const std::string& contribution) {
  if (!leads_to_same_file(profile, contribution)) return;
  throw usage_error(fmt::format("--contribute: '{}' is the file of the profile itself; name another", contribution));
}

std::vector<std::string> failed(std::span<const ProfileCheck> checks) {
  std::vector<std::string> names;
  for (const ProfileCheck& check : checks) {
    if (!check.passed) names.push_back(check.name);
  }
  return names;
}

struct Contributed {
  std::size_t cases = 0;
  std::vector<ProfileCheck> checks = {};
};

/// The text about the contribution: the checks of its profile, and where it was written.
std::string contribution_words(const std::string& path, const Contributed& contributed) {
  std::string text = "\nchecks of the profile, which every shipped one passes\n";
  for (const ProfileCheck& check : contributed.checks) {
    text += fmt::format("{}  {:<12} {}\n", check.passed ? "PASS" : "FAIL", check.name, check.said);
  }
  text += fmt::format(
      "\nContribution written to {}: the profile, the {} that it was made of, and the checks. It names the GPU, the "
      "processor, the system and the versions of driver and program; no host, user, file or serial number. To "
      "contribute it, open an issue \"A profile of a GPU\" at gpumem and attach it.\n",
      path, report::counted(contributed.cases, "measured case"));
  if (failed(contributed.checks).empty()) return text;
  return text + "Failed checks are no reason not to: say in the issue what you know of this GPU.\n";
}

/// Writes the profile with the checks that it is put to, and with what was measured.
Contributed write_contribution(FileOutput& file, const std::string& profile, const Measured& measured,
                               std::span<const model::FitCase> cases, const std::vector<Probe>& registry) {
  const report::Report reports[] = {without_origin(measured.fitted, registry),
                                    without_origin(measured.held_out, registry)};
  Contributed contributed{.cases = reports[0].results.size() + reports[1].results.size(),
                          .checks = check_profile(profile, "the calibrated profile", cases, reports, registry)};
  file.replace(contribution_json(profile, reports[0], reports[1], contributed.checks));
  return contributed;
}

}  // namespace

int run_calibrate_command(const CalibrateArguments& arguments, const Environment& environment) {
  const bool own = !arguments.output;
  if (own && environment.own_profiles.empty()) {
    throw usage_error(
        "neither XDG_CONFIG_HOME nor HOME says where your own profiles are; set one, or name a file with -o FILE");
  }
  std::optional<FileOutput> file;
  std::string path = arguments.output.value_or("");
  std::vector<std::string> inputs = arguments.from;
  inputs.insert(inputs.end(), arguments.check.begin(), arguments.check.end());
  // Errors in the files' names are found before anything is measured.
  const auto open_file = [&] {
    if (arguments.contribute) refuse_same_file(path, *arguments.contribute);
    if (path != "-") file.emplace(path, inputs);
  };
  if (!own) open_file();
  std::optional<FileOutput> contribution;
  if (arguments.contribute) contribution.emplace(*arguments.contribute, inputs);
  const auto open_own = [&](const Device& device) {
    if (!own) return;
    path = own_file(device, environment);
    open_file();
  };

  Measured measured;
  if (arguments.from.empty()) {
    const std::unique_ptr<Backend> backend = open_gpu(arguments, environment);
    open_own(backend->device());
    measured = measure_plan(*backend, arguments.quiet, environment);
  } else {
    measured = measured_before(arguments.from, arguments.check, environment);
    open_own(measured.device());
  }
  const model::Profile start = model::profile_of(measured.device());
  Progress progress(environment.err, environment.err_terminal, !arguments.quiet);
  progress.show("demand of the cases");
  auto cases = fit_cases(measured.fitted.results, start, environment.registry);
  auto held_out = fit_cases(measured.held_out.results, start, environment.registry);
  if (cases.empty()) {
    throw arguments.from.empty() ? probe_error("none of the calibrating cases could be measured on this GPU")
                                 : usage_error("the reports hold no measured launch of a kernel to fit rates to");
  }

  progress.show("fitting");
  // Rates that are read off come first: the time that launches wait depends on the latencies and the queues.
  model::Profile known = start;
  const auto read_off = read_rates(measured.fitted.results, known);
  model::Fit fit = model::fit_rates(cases, known);
  progress.clear();
  // No shipped profile has such a name, so that nobody takes it for a shipped one.
  fit.profile.name = arguments.name.value_or(measured.device().name + ", calibrated");
  explain(fit.profile, fit.rates, read_off, cases.size(), measured.day());
  const std::string json = model::to_json(fit.profile);
  static_cast<void>(model::parse_profile(json, "the calibrated profile"));  // what is written has to be readable

  std::string summary = table(fit.rates, fit.profile, start, read_off) + "\n";
  summary += errors_line("off by, fitted", model::errors_of(cases, fit.profile));
  if (!held_out.empty()) {
    summary += errors_line(fmt::format("off by, held out ({})", measured.held_out_in_words),
                           model::errors_of(held_out, fit.profile));
  }
  if (file) {
    file->replace(json);
    summary += written_words(path, measured.device(), own);
  }
  std::vector<std::string> wrong;
  if (contribution) {
    std::ranges::move(held_out, std::back_inserter(cases));
    const Contributed contributed = write_contribution(*contribution, json, measured, cases, environment.registry);
    summary += contribution_words(*arguments.contribute, contributed);
    wrong = failed(contributed.checks);
  }
  if (!file) write_result(environment.out, json);
  if (!arguments.quiet && file) write_result(environment.out, summary);
  if (!arguments.quiet && !file) environment.err << summary;
  if (wrong.empty()) return 0;
  say(environment.err, "the profile failed checks: " + report::join(wrong, ", "));
  return 1;
}

MakeRequest calibrate_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<CalibrateArguments>();
  options.add_value("device", "N|UUID|PCI-ID", arguments->device,
                    "The GPU to calibrate if there are several, see 'gpumem devices', e.g. --device 1");
  options.add_value("-o,--output", "FILE", arguments->output,
                    "Write the profile to this file, for --gpu, e.g. -o mine.json; - is stdout. By default the profile "
                    "becomes your own of such a GPU, in $XDG_CONFIG_HOME/gpumem/gpus or ~/.config/gpumem/gpus; "
                    "measurements and --gpu find it there by the GPU's name");
  options.add_value("contribute", "FILE", arguments->contribute,
                    "Also check the profile like a shipped one, and write it to this file with the checks and the "
                    "measured cases, for an issue at gpumem, e.g. --contribute my-gpu.json. The file names neither you "
                    "nor your machine. The exit code is 1 if a check failed");
  options.add_value("from", "REPORT", arguments->from,
                    "Fit to the measured cases of a saved JSON report, or of a contribution, instead of measuring; "
                    "repeatable, needs no GPU");
  options.add_value("check", "REPORT", arguments->check,
                    "With --from: test the fitted rates on this report, e.g. --check afterwards.json; repeatable "
                    "(default: every fourth pattern of the reports is held out)");
  options.add_value("name", "NAME", arguments->name,
                    "The profile's name in reports (default: the GPU's), e.g. --name lab-h200");
  options.add_switch("-q,--quiet", arguments->quiet, "No progress, and no table of the rates, e.g. in a script");
  options.footer(
      "Examples:\n"
      "  gpumem calibrate                less than a minute on the GPU\n"
      "  gpumem calibrate -o mine.json   the same, for this file alone\n"
      "  gpumem probe --offset 0..32 --backend model --gpu mine.json\n"
      "  gpumem calibrate --contribute my-gpu.json   for everybody with such a GPU\n"
      "  gpumem calibrate --from offset.json --from stride.json -o mine.json");
  return [arguments] {
    if (arguments->device && may_be_several(*arguments->device)) {
      throw usage_error("a profile is of one GPU; give --device one");
    }
    if (arguments->device && !arguments->from.empty()) {
      throw usage_error("--device chooses the GPU to measure on; with --from nothing is measured");
    }
    if (arguments->contribute == "-") {
      throw usage_error("--contribute: the file is attached to an issue; name one in place of -");
    }
    if (arguments->from.empty() && !arguments->check.empty()) {
      throw usage_error("--check needs --from; calibrate tests its own measurements on other cases anyway");
    }
    refuse_directories(arguments->from, "gpumem calibrate --from");
    refuse_directories(arguments->check, "gpumem calibrate --from");
    return Request(*arguments, run_calibrate_command);
  };
}

}  // namespace gpumem::app
