// A program's report as a comment on GitHub: what ran, what to change first and the command that measures it again,
// where the time goes, and what was not seen. At most 60 lines, however many kernels there are.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <iterator>
#include <ostream>

#include "engine/base/words.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/reports/program_block.hpp"
#include "report/write/reports/program_kernels.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_advice = 5;    // of four lines each
constexpr std::size_t most_kernels = 10;  // rows of the table
constexpr std::size_t most_coverage = 9;
constexpr std::size_t widest_title = 80;
constexpr std::size_t widest_kernel_name = 60;
constexpr std::size_t widest_caller = 120;

/// "31 ms on the GPU (NVIDIA H200) in 60 launches of 5 kernels. By the model, 12 ms of that could be saved (37 %)."
std::string summary(const Report& report, const ProgramKernels& kernels) {
  const ProgramRecord& program = *report.program;
  const double gpu_s = program.gpu_seconds.value_or(0);
  std::string text =
      fmt::format("{} of {}", launches_words(program.launches_seen), counted(program.kernels_seen, "kernel"));
  const std::string gpus = report.devices.empty() ? "" : " (" + markdown_escaped(gpus_in_words(report)) + ")";
  if (gpu_s > 0) text = fmt::format("{} on the GPU{} in {}", duration_words(gpu_s), gpus, text);
  if (program.processes > 1) text += fmt::format(", {} processes", program.processes);
  if (program.exit_code.value_or(0) != 0) text += fmt::format(", exit code {}", *program.exit_code);
  text += ".";
  double saved_s = 0;
  for (const AdviceRecord& advice : kernels.advice()) saved_s += advice.saves_s;
  if (saved_s > 0) text += fmt::format(" By the model, {} of that could be saved", duration_words(saved_s));
  if (saved_s > 0 && gpu_s > 0) text += fmt::format(" ({})", whole_percent(saved_s / gpu_s));
  return saved_s > 0 ? text + "." : text;
}

/// "5 of 60 launches were seen access by access, which took 260 ms."
std::string looked_at(const ProgramRecord& program) {
  std::string text = fmt::format("{} of {} {} {}", program.launches_counted, launches_words(program.launches_seen),
                                 program.launches_counted == 1 ? "was" : "were", looked_words(program));
  if (program.sampling_seconds.value_or(0) > 0) {
    text += fmt::format(", which took {}", duration_words(*program.sampling_seconds));
  }
  return text + ".";
}

/// "**9.8 ms** (7.8 to 11 ms), 32 % of the GPU time, high confidence".
std::string saving_words_of(const AdviceRecord& advice) {
  std::string text = "**" + duration_words(advice.saves_s) + "**";
  if (advice.saves_low_s && advice.saves_high_s) {
    text += fmt::format(" ({} to {})", duration_words(*advice.saves_low_s), duration_words(*advice.saves_high_s));
  }
  if (advice.saves_share) text += fmt::format(", {} of the GPU time", whole_percent(*advice.saves_share));
  return text + ", " + markdown_escaped(advice.confidence) + " confidence";
}

/// "Launched at `model.py:42 in forward` by `aten::copy_`, on an array of 256 MiB that `load.py:7` made". Empty where
/// nobody knows.
std::string origin_words(const AdviceRecord& advice, const Record& kernel) {
  const auto said = [](const std::string& text) { return markdown_code(truncated(one_line(text), widest_caller)); };
  std::vector<std::string> parts;
  if (kernel.caller) {
    parts.push_back("at " + said(*kernel.caller));
  } else if (!advice.python_line.empty()) {
    parts.push_back("at " + said(advice.python_line));
  }
  if (advice.operator_name) parts.push_back("by " + said(*advice.operator_name));
  std::string text = parts.empty() ? "" : "launched " + join(parts, " ");
  if (advice.array) {
    text += text.empty() ? "on an array of " : ", on an array of ";
    text += size_text(advice.array->bytes);
    if (advice.array->made_at) text += " made at " + said(*advice.array->made_at);
  }
  return capitalised(text);
}

void write_advice(std::ostream& out, const Report& report, const ProgramKernels& kernels, const KernelText& name) {
  const std::vector<AdviceRecord>& all = kernels.advice();
  if (all.empty()) return;
  out << "\n### Changes that save most\n\n";
  const std::size_t shown = std::min(all.size(), most_advice);
  for (std::size_t i = 0; i < shown; ++i) {
    const Record& kernel = report.results[all[i].result];
    out << i + 1 << ". " << markdown_code(name(kernel)) << " could save " << saving_words_of(all[i]) << '\n';
    out << "   - " << markdown_escaped(capitalised(all[i].text)) << '\n';
    const std::string origin = origin_words(all[i], kernel);
    if (!origin.empty()) out << "   - " << origin << '\n';
    out << "   - Measure it again: " << markdown_code(all[i].command) << '\n';
  }
  if (shown == all.size()) return;
  double rest_s = 0;
  for (std::size_t i = shown; i < all.size(); ++i) rest_s += all[i].saves_s;
  out << fmt::format("\n{} could save {}; `advice` in the JSON report lists all.\n",
                     counted(all.size() - shown, "more kernel"), duration_words(rest_s));
}

/// The kernels that take most time.
Cases longest(const Report& report) {
  Cases all = cases_of(report.results);
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const Record* record) { return finite_value(*record, gpu_time_name).value_or(0); });
  all.resize(std::min(all.size(), most_kernels));
  return all;
}

void write_kernels(std::ostream& out, const Report& report, const ProgramKernels& kernels, const KernelText& name) {
  if (report.results.empty()) return;
  const auto why = [&](const Record& kernel) {
    const AdviceRecord* advice = kernels.advice_on(kernel);
    if (advice == nullptr) return kernels.why(kernel);
    const auto place = static_cast<std::size_t>(advice - kernels.advice().data());
    return place < most_advice ? fmt::format("see {} above", place + 1) : one_line(advice->text);
  };
  const Cases rows = longest(report);
  Block block = program_block(rows, name, why);
  block.title = rows.size() == report.results.size()
                    ? "Kernels by GPU time"
                    : fmt::format("Kernels by GPU time: {} of {}", rows.size(), report.results.size());
  write_markdown_page(out, {.before = {}, .blocks = {std::move(block)}, .after = {}});
}

void write_coverage(std::ostream& out, const ProgramRecord& program, const ProgramKernels& kernels) {
  std::vector<std::string> all;
  if (program.launches_seen > 0) all.push_back(looked_at(program));
  for (const std::string& text : kernels.nothing_to_do()) all.push_back(text);
  for (const std::string& text : kernels.not_seen()) all.push_back(text);
  if (all.empty()) return;
  out << "\n### Coverage\n\n";
  const std::size_t shown = all.size() <= most_coverage ? all.size() : most_coverage - 1;
  for (std::size_t i = 0; i < shown; ++i) out << "- " << markdown_escaped(all[i]) << '\n';
  if (shown < all.size()) out << fmt::format("- And {}.\n", counted(all.size() - shown, "more reason"));
}

}  // namespace

void write_program_markdown(std::ostream& out, const Report& report) {
  const ProgramRecord& program = report.program.value();
  const ProgramKernels kernels(report, 0);
  if (program.launches_seen == 0) {
    out << "## gpumem: no kernel was launched by " << markdown_code(command_words(program, widest_title)) << '\n';
    write_coverage(out, program, kernels);
    return;
  }
  out << "## gpumem: " << markdown_code(command_words(program, widest_title)) << "\n\n"
      << summary(report, kernels) << '\n';
  const KernelPlaces places(cases_of(report.results), widest_kernel_name);
  const auto name = [&](const Record& kernel) { return places.words(kernel); };
  write_advice(out, report, kernels, name);
  write_kernels(out, report, kernels, name);
  write_coverage(out, program, kernels);
  const std::string legend = program_legend(report, longest(report));
  if (!legend.empty()) out << '\n' << markdown_escaped(legend) << '\n';
}

}  // namespace gpumem::report
