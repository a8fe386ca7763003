// The command `expect`: predicts what GPUs should reach, one on a screen or several side by side.

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/named_profiles.hpp"
#include "app/commands/words.hpp"
#include "app/expected/expected.hpp"
#include "app/run/device_list.hpp"
#include "app/run/run_options.hpp"
#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"
#include "report/text/text.hpp"
#include "report/write/expected/expected.hpp"

namespace gpumem::app {

namespace {

struct ExpectArguments : ResultRequest {
  std::vector<std::string> gpus;      ///< names or files of profiles; none: the GPU of this machine
  std::optional<std::string> device;  ///< which of this machine: index, UUID or PCI bus id
  bool all = false;                   ///< every profile that is shipped
};

/// The shipped profile of the device, because it tells what other GPUs of its kind reach. If none is shipped, the
/// user's own.
model::Profile profile_to_expect(const Device& device, const Environment& environment) {
  model::Profile shipped = model::profile_of(device);
  return shipped.from_attributes ? model::profile_for(device, {.own = environment.own_profiles}) : shipped;
}

/// The GPU of this machine. Throws a no-GPU error that names the command for another one.
report::ExpectedGpu expected_of_machine(const std::string& device, const Environment& environment) {
  std::vector<Device> gpus;
  try {
    gpus = environment.gpus();
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu) throw;
    throw no_gpu_error(fmt::format("{}; for a GPU of another machine name its profile: gpumem expect NAME, of {}",
                                   error.what(), fmt::join(model::profile_names(), ", ")));
  }
  const Device chosen = devices_of(device, gpus).front();
  model::Profile profile = profile_to_expect(chosen, environment);
  const auto place = chosen.index.value_or(0);
  if (gpus.size() > 1) profile.gpus = std::move(gpus);
  return expected_of(profile, environment.registry, place);
}

std::vector<report::ExpectedGpu> expected_of_all(const Environment& environment) {
  std::vector<report::ExpectedGpu> all;
  for (const std::string& name : model::profile_names()) {
    all.push_back(expected_of(model::load_profile(name), environment.registry));
  }
  return all;
}

/// The named GPUs, labelled so that no two have the same name.
std::vector<report::ExpectedGpu> expected_of_named(const std::vector<std::string>& words,
                                                   const Environment& environment) {
  const std::vector<model::Profile> profiles = named_profiles(words, environment);
  std::vector<report::ExpectedGpu> gpus;
  for (std::size_t i = 0; i < profiles.size(); ++i) {
    gpus.push_back(expected_of(profiles[i], environment.registry));
    if (std::ranges::count(profiles, profiles[i].name, &model::Profile::name) > 1) gpus.back().label = words[i];
  }
  return gpus;
}

int run_expect_command(const ExpectArguments& arguments, const Environment& environment) {
  std::vector<std::string> files;
  std::ranges::copy_if(arguments.gpus, std::back_inserter(files), looks_like_path);
  const ResultOutputs outputs(reading(arguments, files), report::table_formats(), environment.out,
                              environment.out_terminal);
  std::vector<report::ExpectedGpu> gpus;
  if (arguments.all) {
    gpus = expected_of_all(environment);
  } else if (arguments.gpus.empty()) {
    gpus.push_back(expected_of_machine(arguments.device.value_or("0"), environment));
  } else {
    gpus = expected_of_named(arguments.gpus, environment);
  }
  outputs.finish([&](std::ostream& out, report::Format format, const report::TableStyle& style) {
    if (arguments.all) return report::write_all_expected(out, gpus, format, style);
    if (gpus.size() > 1) return report::write_side_by_side(out, gpus, format, style);
    report::write_expected(out, gpus.front(), format, style);
  });
  return 0;
}

void refuse_several(const ExpectArguments& arguments) {
  const bool named = !arguments.gpus.empty();
  const std::string names = report::join(arguments.gpus, " ");
  if (arguments.all && (named || arguments.device)) {
    throw usage_error(fmt::format("--all shows every GPU that has a profile; leave it out, or {}",
                                  named ? "'" + names + "'" : "--device"));
  }
  if (named && arguments.device) {
    throw usage_error(fmt::format("--device chooses a GPU of this machine; leave it out, or '{}'", names));
  }
  if (arguments.device && may_be_several(*arguments.device)) {
    throw usage_error("--device: expect shows one GPU of this machine; give its index, UUID or PCI bus id");
  }
}

}  // namespace

MakeRequest expect_options(CommandOptions& options, const KnownNames& known) {
  const auto arguments = std::make_shared<ExpectArguments>();
  options.add_argument(
      "[PROFILE|FILE...]", arguments->gpus,
      "Names or files of profiles, e.g. h200 (default: the GPU of this machine); several stand side by "
      "side, a column each, e.g. h200 h100 l40s");
  options.add_switch("all", arguments->all,
                     "Every GPU that has a shipped profile, a row each, e.g. to choose one to rent");
  options.add_value("device", "N|UUID|PCI-ID", arguments->device,
                    "The GPU of this machine if it has several, see 'gpumem devices', e.g. --device 1");
  options.add_format(
      report::table_formats(), arguments->format,
      "Format on stdout: a table, of one GPU at most 40 lines (default), or a format for programs, e.g. --format json");
  options.add_value("-o,--output", "FILE", arguments->outputs,
                    "Write to a file instead of stdout, in the format of its extension (.json, .csv, .md, .txt; a page "
                    ".html); "
                    "repeatable, - is stdout, e.g. --output expected.json");
  add_color_options(options, *arguments);
  options.footer(
      "Nothing is measured. 'gpumem check smoke' fails a GPU that is off by more than twice as much as healthy "
      "ones.\n\n"
      "Examples:\n"
      "  gpumem expect                   the GPU of this machine\n"
      "  gpumem expect h200x8            eight H200s, with the links between them\n"
      "  gpumem expect h200 h100 l40s    several side by side, with sources\n"
      "  gpumem expect --all --format csv");
  return [arguments, &known] {
    for (const std::string& gpu : arguments->gpus) refuse_no_gpu(gpu, known);
    refuse_several(*arguments);
    arguments->quiet = true;  // files are instead of stdout
    return Request(*arguments, run_expect_command);
  };
}

}  // namespace gpumem::app
