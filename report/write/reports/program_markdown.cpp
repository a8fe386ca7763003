// A program's report for an agent, or as a comment on GitHub: what ran, what to change first and the command that
// measures it again, where the time goes, and what was not seen. It fits most_markdown_tokens, however many kernels
// there are: it gives up what is worth least, and says what that is.

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <ostream>
#include <sstream>

#include "engine/base/words.hpp"
#include "report/advise/caller_words.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/text/tokens.hpp"
#include "report/write/blocks.hpp"
#include "report/write/reports/program_block.hpp"
#include "report/write/reports/program_kernels.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t widest_title = 80;
constexpr std::size_t widest_first_phrase = 400;  // keeps the first diagnosis where others are cut
constexpr std::size_t most_command_tokens = 450;  // of the only command, on the shortest page
constexpr std::size_t whole = 1'000'000;

/// The room that a page has: numbers of entries, and widths in columns.
struct Room {
  std::size_t changes;    ///< entries of advice
  std::size_t kernels;    ///< rows of the table
  bool repeats;           ///< commands and reasons are written out even where an earlier one says the same
  std::size_t name;       ///< of a kernel
  bool callers_in_table;  ///< and not in the advice alone
  std::size_t caller;     ///< of the place that launched a kernel
  std::size_t phrase;     ///< of a diagnosis or a note
  std::size_t coverage;   ///< lines
};

/// Each gives up what is worth least of the one before.
constexpr Room rooms[] = {
    {5, 10, true, 60, true, 120, whole, 9},   // all
    {5, 10, false, 60, true, 120, whole, 9},  // repeats
    {5, 9, false, 60, true, 120, whole, 9},   // kernels that could save least
    {5, 8, false, 60, true, 120, whole, 9},   //
    {5, 7, false, 60, true, 120, whole, 9},   //
    {5, 6, false, 60, true, 120, whole, 9},   //
    {4, 6, false, 60, true, 120, whole, 9},   //
    {4, 5, false, 60, true, 120, whole, 9},   //
    {3, 5, false, 60, true, 120, whole, 9},   //
    {3, 5, false, 48, true, 120, whole, 9},   // long names
    {3, 5, false, 48, false, 120, whole, 9},  // callers
    {3, 5, false, 48, false, 60, whole, 9},   //
    {3, 5, false, 48, false, 60, 240, 9},     // long explanations
    {3, 5, false, 48, false, 60, 240, 6},     //
    {3, 4, false, 40, false, 60, 200, 5},     // more of each
    {2, 3, false, 40, false, 60, 200, 4},     //
    {1, 2, false, 40, false, 60, 160, 3},     //
    {1, 0, false, 32, false, 40, 120, 2},     //
};

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

/// The text, or its two ends. A diagnosis begins with the operation and ends with the counts, the line and the cure.
std::string without_middle(const std::string& text, std::size_t width) {
  if (text.size() <= width) return text;
  const std::size_t blank = text.find(' ', text.size() - width / 3 * 2);
  return blank == std::string::npos ? truncated(text, width) : truncated(text, width / 3) + text.substr(blank);
}

/// The command without the program's own words: "gpumem run --kernel '^tile' --output after.json --".
std::string without_program(const std::string& command) {
  constexpr std::string_view end = " --";
  const std::size_t at = command.find(" -- ");
  return at == std::string::npos ? command : command.substr(0, at + end.size());
}

/// The kernels that take most time. If there is no room for all of these, those that could save most.
Cases kernels_of_table(const Report& report, std::size_t most) {
  const auto keep_most = [](Cases& cases, const char* metric, std::size_t most_cases) {
    std::ranges::stable_sort(cases, std::ranges::greater(),
                             [&](const Record* record) { return finite_value(*record, metric).value_or(0); });
    cases.resize(std::min(cases.size(), most_cases));
  };
  Cases longest = cases_of(report.results);
  keep_most(longest, gpu_time_name, rooms[0].kernels);
  Cases kept = longest;
  keep_most(kept, could_save_name, most);
  std::erase_if(longest, [&](const Record* record) { return std::ranges::find(kept, record) == kept.end(); });
  return longest;
}

class ProgramMarkdown {
 public:
  ProgramMarkdown(const Report& report, const ProgramKernels& kernels, const KernelPlaces& places, const Room& room)
      : report_(report),
        kernels_(kernels),
        places_(places),
        room_(room),
        rows_(kernels_of_table(report, room.kernels)) {}

  [[nodiscard]] std::string written() {
    const ProgramRecord& program = *report_.program;
    const std::string command = markdown_code(command_words(program, widest_title));
    if (program.launches_seen == 0) {
      out_ << "## gpumem: no kernel was launched by " << command << '\n';
    } else {
      out_ << "## gpumem: " << command << "\n\n" << summary(report_, kernels_) << '\n';
      write_advice();
      write_table();
    }
    write_coverage();
    write_left_out();
    const std::string legend = program_legend(report_, rows_);
    if (!legend.empty()) out_ << '\n' << markdown_escaped(legend) << '\n';
    return out_.str();
  }

 private:
  [[nodiscard]] std::size_t changes() const { return std::min(kernels_.advice().size(), room_.changes); }

  std::string phrase(const std::string& text, std::size_t width) {
    const std::string line = one_line(text);
    std::string kept = without_middle(line, width);
    is_cut_ = is_cut_ || kept.size() < line.size();
    return kept;
  }

  void write_advice() {
    const std::vector<AdviceRecord>& all = kernels_.advice();
    if (all.empty()) return;
    out_ << "\n### Changes that save most\n\n";
    for (std::size_t i = 0; i < changes(); ++i) {
      const Record& kernel = report_.results[all[i].result];
      const std::size_t width = i == 0 ? std::max(room_.phrase, widest_first_phrase) : room_.phrase;
      out_ << i + 1 << ". " << markdown_code(places_.words(kernel)) << " could save " << saving_words_of(all[i])
           << '\n';
      out_ << "   - " << markdown_escaped(capitalised(phrase(all[i].text, width))) << '\n';
      const std::string origin = origin_words(all[i], kernel);
      if (!origin.empty()) out_ << "   - " << origin << '\n';
      out_ << "   - Measure it again" << measure_again_words(i) << '\n';
    }
    if (changes() == all.size()) return;
    double rest_s = 0;
    for (std::size_t i = changes(); i < all.size(); ++i) rest_s += all[i].saves_s;
    out_ << fmt::format("\n{} could save {}; `advice` in the JSON report lists all.\n",
                        counted(all.size() - changes(), "more kernel"), duration_words(rest_s));
  }

  /// "Launched at `model.py:42 in forward` by `aten::copy_`, on an array of 256 MiB that `load.py:7` made". Empty where
  /// nobody knows.
  [[nodiscard]] std::string origin_words(const AdviceRecord& advice, const Record& kernel) const {
    const auto said = [&](const std::string& text) { return markdown_code(truncated(one_line(text), room_.caller)); };
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

  /// ": `gpumem run ...`". If there is no room for repeats, an entry refers to an earlier one with the same command,
  /// and the program's own words stand in the first entry alone.
  [[nodiscard]] std::string measure_again_words(std::size_t entry) const {
    const std::vector<AdviceRecord>& all = kernels_.advice();
    const std::string& command = all[entry].command;
    const auto same = static_cast<std::size_t>(std::ranges::find(all, command, &AdviceRecord::command) - all.begin());
    if (!room_.repeats && same < entry) return fmt::format(" as in {}", same + 1);
    const auto has_room = [&](const std::string& words) {
      return room_.kernels > 0 || estimated_tokens(words) <= most_command_tokens;
    };
    if ((entry == 0 || room_.repeats) && has_room(command)) return ": " + markdown_code(command);
    const std::string own = without_program(command);
    if (!has_room(own)) return " by its `command` in the JSON report";
    return ": " + markdown_code(own) + " and the program's command";
  }

  void write_table() {
    if (rows_.empty()) return;
    const std::map<const Record*, std::string> reasons = reasons_of_rows();
    Block block = program_block(
        rows_, [&](const Record& kernel) { return places_.words(kernel); },
        [&](const Record& kernel) { return reasons.at(&kernel); });
    block.title = rows_.size() == report_.results.size()
                      ? "Kernels by GPU time"
                      : fmt::format("Kernels by GPU time: {} of {}", rows_.size(), report_.results.size());
    write_markdown_page(out_, {.before = {}, .blocks = {std::move(block)}, .after = {}});
  }

  /// If there is no room for repeats, a reason that was given before is a reference to it.
  std::map<const Record*, std::string> reasons_of_rows() {
    std::map<std::string, std::string> given;
    for (std::size_t i = 0; i < changes(); ++i) {
      given.emplace(subject_of(report_.results[kernels_.advice()[i].result]), fmt::format("like {} above", i + 1));
    }
    std::map<const Record*, std::string> reasons;
    for (std::size_t row = 0; row < rows_.size(); ++row) {
      const Record& kernel = *rows_[row];
      const AdviceRecord* advice = kernels_.advice_on(kernel);
      const auto entry = advice == nullptr ? changes() : static_cast<std::size_t>(advice - kernels_.advice().data());
      const auto [before, is_new] = given.emplace(subject_of(kernel), fmt::format("like row {}", row + 1));
      std::string reason = kernels_.reason(kernel);
      if (entry < changes()) {
        reason = fmt::format("see {} above", entry + 1);
      } else if (!is_new && !room_.repeats && before->second.size() < reason.size()) {
        reason = before->second;
      } else {
        reason = phrase(reason, room_.phrase);
      }
      const std::string caller = advice == nullptr ? caller_words(kernel) : "";
      if (!caller.empty() && room_.callers_in_table) reason += "; " + caller;
      lacks_callers_ = lacks_callers_ || (!caller.empty() && !room_.callers_in_table);
      reasons.emplace(&kernel, std::move(reason));
    }
    return reasons;
  }

  /// The same for kernels that are slow at the same place for the same reason.
  [[nodiscard]] std::string subject_of(const Record& kernel) const {
    const AdviceRecord* advice = kernels_.advice_on(kernel);
    if (advice == nullptr || !advice->site) return kernels_.reason(kernel);
    return join(std::vector{advice->cause, advice->cure, advice->site->site, advice->site->op}, "\n");
  }

  void write_coverage() {
    std::vector<std::string> all;
    if (report_.program->launches_seen > 0) all.push_back(looked_at(*report_.program));
    for (const std::string& text : kernels_.nothing_to_do()) all.push_back(text);
    for (const std::string& text : kernels_.not_seen()) all.push_back(text);
    if (all.empty()) return;
    out_ << "\n### Coverage\n\n";
    const std::size_t shown = all.size() <= room_.coverage ? all.size() : room_.coverage - 1;
    for (std::size_t i = 0; i < shown; ++i) out_ << "- " << markdown_escaped(phrase(all[i], room_.phrase)) << '\n';
    if (shown < all.size()) out_ << fmt::format("- And {}.\n", counted(all.size() - shown, "more reason"));
    lacks_coverage_ = shown < all.size() && room_.coverage < rooms[0].coverage;
  }

  /// "Left out to fit 1,500 tokens: 2 changes, callers. `gpumem show FILE.json` shows more of a saved report."
  void write_left_out() {
    const std::size_t most_changes = std::min(kernels_.advice().size(), rooms[0].changes);
    const std::size_t most_kernels = std::min(report_.results.size(), rooms[0].kernels);
    std::vector<std::string> parts;
    if (changes() < most_changes) parts.push_back(counted(most_changes - changes(), "change"));
    if (rows_.size() < most_kernels) parts.push_back(counted(most_kernels - rows_.size(), "kernel") + " of the table");
    if (lacks_callers_) parts.emplace_back("callers in the table");
    if (lacks_coverage_) parts.emplace_back("lines of coverage");
    if (is_cut_) parts.emplace_back("parts of reasons");
    if (parts.empty()) return;
    out_ << fmt::format("\nLeft out to fit 1,500 tokens: {}. `gpumem show FILE.json` shows more of a saved report.\n",
                        join(parts, ", "));
  }

  const Report& report_;
  const ProgramKernels& kernels_;
  const KernelPlaces& places_;
  const Room& room_;
  Cases rows_;  ///< of the table
  bool lacks_callers_ = false;
  bool lacks_coverage_ = false;
  bool is_cut_ = false;
  std::ostringstream out_;
};

}  // namespace

void write_program_markdown(std::ostream& out, const Report& report) {
  const ProgramKernels kernels(report, 0);
  std::map<std::size_t, KernelPlaces> places;  // by the width of names
  std::string text;
  for (const Room& room : rooms) {
    const auto& names = places.try_emplace(room.name, cases_of(report.results), room.name).first->second;
    text = ProgramMarkdown(report, kernels, names, room).written();
    if (estimated_tokens(text) <= most_markdown_tokens) break;
  }
  out << text;
}

}  // namespace gpumem::report
