// The command `port`: a recorded program on GPUs that nobody here has.

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/commands/named_profiles.hpp"
#include "app/run/run_options.hpp"
#include "engine/base/error.hpp"
#include "engine/model/find_profile.hpp"
#include "program/price/ported.hpp"
#include "report/text/text.hpp"
#include "report/write/ported/ported.hpp"

namespace gpumem::app {

namespace {

struct PortArguments : ResultRequest {
  std::optional<std::string> report;  ///< a file, or "-" for standard input
  std::vector<std::string> gpus;      ///< names or files of profiles
};

int run_port_command(const PortArguments& arguments, const Environment& environment) {
  refuse_directories({*arguments.report}, "gpumem port");
  std::vector<std::string> inputs = {*arguments.report};
  for (const std::string& gpu : arguments.gpus) {
    if (looks_like_path(gpu)) inputs.push_back(gpu);
  }
  const ResultOutputs outputs(reading(arguments, inputs), report::table_formats(), environment.out,
                              environment.out_terminal);
  const std::vector<model::Profile> profiles = named_profiles(arguments.gpus, environment);
  const report::NamedReport named = read_reports({*arguments.report}, environment).front();
  if (const auto why = program::why_not_portable(named.report))
    throw usage_error(fmt::format("'{}' {}", report::one_line(named.name), *why));
  report::Ported ported{.name = named.name, .gpus = {}};
  for (const model::Profile& profile : profiles) ported.gpus.push_back(program::ported(named.report, profile));
  outputs.finish([&](std::ostream& out, report::Format format, const report::TableStyle& style) {
    report::write_ported(out, ported, named.report, format, style);
  });
  return 0;
}

/// Splits a list such as "b200,l40s". Throws a usage error for an empty part.
std::vector<std::string> gpus_of(const std::string& text) {
  std::vector<std::string> names = report::split(text, ',');
  if (std::ranges::find(names, "") != names.end())
    throw usage_error(fmt::format("--gpu: '{}' has an empty name; give profiles such as b200,l40s", text));
  return names;
}

}  // namespace

MakeRequest port_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<PortArguments>();
  options.add_argument("REPORT", arguments->report,
                       "A JSON report that 'gpumem run --output' wrote; - is standard input");
  options.add_value(
      "gpu", "PROFILE|FILE", [arguments](const std::string& text) { arguments->gpus = gpus_of(text); },
      "Profiles of the GPUs to price the kernels for, with commas between them, e.g. --gpu b200,l40s");
  options.add_format(report::table_formats(), arguments->format,
                     "Format on stdout: a table for people (default), or a format for programs, e.g. --format csv");
  options.add_value("-o,--output", "FILE", arguments->outputs,
                    "Write to a file instead of stdout, in the format of its extension (.json, .csv, .md, .txt; a page "
                    ".html; a figure .svg, .png, .pdf); repeatable, - is stdout, e.g. --output ported.json");
  add_color_options(options, *arguments);
  options.footer(
      "Nothing is measured: the model prices the recorded work by the rates of the other GPU.\n\n"
      "Examples:\n"
      "  gpumem run --output app.json -- ./app\n"
      "  gpumem port app.json --gpu b200           each kernel here and on a B200\n"
      "  gpumem port app.json --gpu b200,l40s -o ported.html");
  return [arguments] {
    if (!arguments->report) throw usage_error("port needs a report, e.g. gpumem port app.json --gpu b200");
    if (arguments->gpus.empty()) {
      throw usage_error(fmt::format("port needs --gpu PROFILE, of {}; e.g. gpumem port {} --gpu b200",
                                    fmt::join(model::profile_names(), ", "), report::shell_quoted(*arguments->report)));
    }
    arguments->quiet = true;  // files are instead of stdout
    return Request(*arguments, run_port_command);
  };
}

}  // namespace gpumem::app
