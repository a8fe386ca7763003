// The page of `gpumem run`: which kernels of a user's program waste most, and what is wrong with them. Kernels that
// are fine, and rows beyond the first ten, are a line; what could not be seen has its reason.

#include <fmt/format.h>

#include "engine/base/words.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/reports/program_block.hpp"
#include "report/write/reports/program_kernels.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_rows = 10;
constexpr std::size_t most_command_columns = 80;

/// "gpumem: 19 kernels in 7270 launches of python3 train.py, 1.3 s on the GPU; 19 launches seen access by access,
/// 0.26 s for it".
std::string headline(const ProgramRecord& program) {
  std::string command = command_words(program, most_command_columns);
  std::vector<std::string> about;
  if (program.processes > 1) about.push_back(fmt::format("{} processes", program.processes));
  if (program.exit_code.value_or(0) != 0) about.push_back(fmt::format("exit code {}", *program.exit_code));
  if (!about.empty()) command += " (" + join(about, ", ") + ")";
  if (program.launches_seen == 0) return "gpumem: no kernel was launched by " + command;
  std::string text = fmt::format("gpumem: {} in {} of {}", counted(program.kernels_seen, "kernel"),
                                 launches_words(program.launches_seen), command);
  if (program.gpu_seconds) text += fmt::format(", {} on the GPU", duration_words(*program.gpu_seconds));
  if (program.launches_counted == 0) return text + fmt::format("; none {}", looked_words(program));
  text += fmt::format("; {} {}", launches_words(program.launches_counted), looked_words(program));
  if (program.sampling_seconds.value_or(0) > 0)
    text += fmt::format(", {} for it", duration_words(*program.sampling_seconds));
  return text;
}

std::string beyond_words(const Cases& beyond) {
  return fmt::format(
      "{} could save {}; save all of them with --output report.json, and read why with gpumem explain report.json.",
      kernel_words(beyond, "more "), duration_words(sum_of(beyond, could_save_name)));
}

}  // namespace

Page program_page(const Report& report, std::size_t width) {
  const ProgramKernels kernels(report, most_rows);
  Page page;
  page.before.push_back({headline(report.program.value()), Tint::bold});
  if (!kernels.rows.empty()) {
    page.blocks.push_back(
        program_block(kernels.rows, width, [&](const Record& kernel) { return kernels.why(kernel); }));
  }
  if (!kernels.beyond.empty()) page.after.push_back({beyond_words(kernels.beyond)});
  for (const std::string& text : kernels.nothing_to_do()) page.after.push_back({text});
  for (const std::string& text : kernels.not_seen()) page.after.push_back({text, Tint::yellow});
  const std::string legend = program_legend(report, kernels.rows);
  if (!legend.empty()) page.after.push_back({legend, Tint::dim});
  return page;
}

}  // namespace gpumem::report
