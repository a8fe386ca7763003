// A program's kernels on other GPUs, for people: a table for each GPU.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <set>

#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernel_place.hpp"
#include "report/record/kernels.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/cells.hpp"
#include "report/write/ported/ported.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t most_ported = 20;

std::string changed_place(const PortedKernel& kernel) {
  if (!kernel.place_here || kernel.place_here == kernel.place_there) return "";
  return fmt::format("{} to {}", *kernel.place_here, *kernel.place_there);
}

std::string marks_of(const PortedKernel& kernel) {
  std::string marks;
  for (const PortNote& note : port_notes) {
    if (std::ranges::find(kernel.notes, note.name) != kernel.notes.end()) marks += note.mark;
  }
  return marks;
}

/// Fills the table of one GPU. Times are in the unit of the longest kernel here.
class GpuBlock {
 public:
  GpuBlock(const PortedGpu& gpu, const Report& report, std::size_t longest_name)
      : gpu_(gpu), report_(report), names_(cases_of(report.results), longest_name) {
    for (const PortedKernel& kernel : gpu.kernels) {
      if (kernel.all_there() && rows_.size() < most_ported) rows_.push_back(&kernel);
    }
    unit_ = time_unit(rows_.empty() ? 1 : *rows_.front()->all_here_s);
  }

  [[nodiscard]] Block build() {
    block_.title = fmt::format("on {}, by profile '{}'", one_line(gpu_.device.name), one_line(gpu_.profile));
    block_.parameter_columns = 1;
    block_.rows.resize(rows_.size());
    add({.heading = {"kernel", ""}, .names = true, .code = true},
        [&](const PortedKernel& kernel) { return names_.words(record_of(kernel)); });
    add({.heading = {"launches", ""}, .rank = 6}, [&](const PortedKernel& kernel) {
      return fixed(finite_value(record_of(kernel), launches_name).value_or(0), 0);
    });
    add_times({"here", unit_.name}, 0, [](const PortedKernel& kernel) { return kernel.all_here_s; });
    add_times({"there", unit_.name}, 0, [](const PortedKernel& kernel) { return kernel.all_there()->seconds; });
    add({.heading = {"nine of ten", unit_.name}, .rank = 2}, [&](const PortedKernel& kernel) {
      const PortedTime time = *kernel.all_there();
      return significant(time.low * unit_.per_second, 3) + " to " + significant(time.high * unit_.per_second, 3);
    });
    add({.heading = {"here/there", ""}, .rank = 1},
        [](const PortedKernel& kernel) { return times_words(*kernel.all_here_s / kernel.all_there()->seconds); });
    add({.heading = {"limited here by", ""}, .rank = 5, .names = true},
        [](const PortedKernel& kernel) { return stage_words(kernel.limit_here); });
    add({.heading = {"there by", ""}, .rank = 3, .names = true},
        [](const PortedKernel& kernel) { return stage_words(kernel.limit_there); });
    add_if_any({.heading = {"place", ""}, .rank = 4, .names = true}, changed_place);
    add_if_any({.heading = {"note", ""}, .names = true}, marks_of);
    block_.findings = sentences();
    return std::move(block_);
  }

 private:
  template <class Text>
  void add(const Column& column, const Text& text) {
    block_.columns.push_back(column);
    for (std::size_t i = 0; i < rows_.size(); ++i) block_.rows[i].cells.push_back(text(*rows_[i]));
  }

  template <class Text>
  void add_if_any(const Column& column, const Text& text) {
    if (std::ranges::any_of(rows_, [&](const PortedKernel* kernel) { return !text(*kernel).empty(); }))
      add(column, text);
  }

  template <class Seconds>
  void add_times(Heading heading, unsigned rank, const Seconds& seconds) {
    std::vector<std::optional<double>> values;
    for (const PortedKernel* kernel : rows_) {
      std::optional<double> value = seconds(*kernel);
      values.push_back(value ? std::optional(*value * unit_.per_second) : std::nullopt);
    }
    const std::vector<std::string> cells = aligned(values, 3, 3);
    block_.columns.push_back({.heading = std::move(heading), .rank = rank});
    for (std::size_t i = 0; i < cells.size(); ++i) block_.rows[i].cells.push_back(cells[i]);
  }

  [[nodiscard]] const Record& record_of(const PortedKernel& kernel) const { return report_.results[kernel.result]; }

  [[nodiscard]] std::string share_words(double seconds) const {
    const double all_s = report_.program ? report_.program->gpu_seconds.value_or(0) : 0;
    return all_s > 0 && seconds > 0 ? fmt::format(", {} of the GPU time here", percent_with_tenths(seconds / all_s))
                                    : "";
  }

  /// The sum, the kernels beyond the last row, and those without a time, by the reason.
  [[nodiscard]] std::vector<std::string> sentences() const {
    std::vector<std::string> said;
    const auto known = static_cast<std::size_t>(
        std::ranges::count_if(gpu_.kernels, [](const PortedKernel& kernel) { return kernel.all_there().has_value(); }));
    if (known > 0) {
      said.push_back(fmt::format("In all {}{}: {} here, {} there ({} to {}), here/there {}.", counted(known, "kernel"),
                                 share_words(gpu_.here_s), duration_words(gpu_.here_s, 3),
                                 duration_words(gpu_.there.seconds, 3), duration_words(gpu_.there.low, 3),
                                 duration_words(gpu_.there.high, 3), times_words(gpu_.here_s / gpu_.there.seconds)));
    }
    if (known > rows_.size())
      said.push_back(
          fmt::format("In the sum, without a row: {}; --format csv has all.", counted(known - rows_.size(), "kernel")));
    struct Without {
      std::size_t kernels = 0;
      double seconds = 0;
    };
    std::vector<std::pair<std::string, Without>> reasons;
    for (const PortedKernel& kernel : gpu_.kernels) {
      if (kernel.no_time.empty()) continue;
      auto found = std::ranges::find(reasons, kernel.no_time, &std::pair<std::string, Without>::first);
      if (found == reasons.end()) found = reasons.emplace(found, kernel.no_time, Without{});
      ++found->second.kernels;
      found->second.seconds += kernel.all_here_s.value_or(0);
    }
    constexpr std::size_t most_reasons = 4;
    for (std::size_t i = 0; i < std::min(most_reasons, reasons.size()); ++i) {
      const auto& [reason, without] = reasons[i];
      said.push_back(fmt::format("Without a time there: {}{}: {}.", counted(without.kernels, "kernel"),
                                 share_words(without.seconds), one_line(reason)));
    }
    if (reasons.size() > most_reasons)
      said.emplace_back("Further kernels have no time there; --format csv gives the reasons.");
    return said;
  }

  const PortedGpu& gpu_;
  const Report& report_;
  KernelPlaces names_;
  std::vector<const PortedKernel*> rows_;
  TimeUnit unit_;
  Block block_;
};

std::string recorded_words(const Report& report) {
  const std::string gpu = report.device ? one_line(report.device->name) : "an unknown GPU";
  constexpr std::size_t most_columns = 80;
  const std::string command = truncated(one_line(command_line(report.program->command)), most_columns);
  return fmt::format("gpumem: {}, recorded on {}", command, gpu);
}

/// The meaning of the marks that the kernels have, and of the code there.
std::vector<Note> notes_below(const Ported& ported, const Report& report) {
  std::vector<Note> notes;
  std::set<std::string> used;
  std::vector<std::string> other_code;
  for (const PortedGpu& gpu : ported.gpus) {
    for (const PortedKernel& kernel : gpu.kernels) used.insert(kernel.notes.begin(), kernel.notes.end());
    if (gpu.other_machine_code)
      other_code.push_back(fmt::format("{} ({})", one_line(gpu.device.name), gpu.device.compute_capability));
  }
  std::vector<std::string> marks;
  for (const PortNote& note : port_notes) {
    if (used.contains(std::string(note.name))) marks.push_back(fmt::format("{}: {}", note.mark, note.words));
  }
  if (!marks.empty()) notes.push_back({join(marks, ". ") + ".", Tint::dim});
  if (!other_code.empty() && report.device) {
    notes.push_back(
        {fmt::format("The compiler makes other machine code for {} than for compute capability {}; here its "
                     "instructions are taken to be the same.",
                     join_in_words(other_code), report.device->compute_capability),
         Tint::dim});
  }
  notes.push_back(
      {"Times there: by the model, times what was measured here over what the model says here.", Tint::dim});
  return notes;
}

Page page_of(const Ported& ported, const Report& report, std::size_t width) {
  Page page;
  page.before = {{recorded_words(report), Tint::bold}};
  constexpr std::size_t shortest = 16;
  constexpr std::size_t longest = 60;
  for (const PortedGpu& gpu : ported.gpus) {
    page.blocks.push_back(GpuBlock(gpu, report, std::clamp(width / 5, shortest, longest)).build());
  }
  page.after = notes_below(ported, report);
  return page;
}

}  // namespace

void write_ported(std::ostream& out, const Ported& ported, const Report& report, Format format,
                  const TableStyle& style) {
  if (format == Format::json) return write_ported_json(out, ported, report);
  if (format == Format::csv) return write_ported_csv(out, ported, report);
  constexpr std::size_t of_markdown = 160;
  if (format == Format::markdown) return write_markdown_page(out, page_of(ported, report, of_markdown));
  write_page(out, page_of(ported, report, style.width), style);
}

}  // namespace gpumem::report
