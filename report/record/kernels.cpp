#include "report/record/kernels.hpp"

#include "report/text/name_pattern.hpp"

namespace gpumem::report {

namespace {

/// Texts that a list would take apart: names have commas.
std::vector<std::string> one_name(std::string_view text) {
  std::string name(text);
  static_cast<void>(NamePattern(name));  // refused here, where it is known what it is for
  return {std::move(name)};
}

std::vector<std::string> one_text(std::string_view text) { return {std::string(text)}; }

Probe make_kernel_probe() {
  Probe probe;
  probe.name = kernel_probe_name;
  probe.purpose = "a kernel of the user's own program, as it was launched";
  probe.axes = {
      {.flag = "kernel",
       .parameter = kernel_parameter,
       .purpose = "its name, demangled",
       .defaults = "",
       .texts = one_name,
       .takes = "names of kernels, or extended regular expressions that match them"},
      {.flag = "grid",
       .parameter = grid_parameter,
       .purpose = "blocks of a launch",
       .defaults = "",
       .texts = one_text,
       .takes = "grids such as 64x64"},
      {.flag = "block",
       .parameter = block_threads_parameter,
       .unit = "threads",
       .purpose = "threads of a block",
       .defaults = ""},
      {.flag = "device", .parameter = device_parameter, .purpose = "the GPU it ran on", .defaults = ""},
  };
  probe.metrics = {
      {.quantity = {gpu_time_name, "time on the GPU of all its launches", Better::less}},
      {.quantity = {gpu_share_name, "share of the program's time on the GPU", Better::neither}},
      {.quantity = {launches_name, "times it was launched with this grid and block", Better::neither}},
      {.quantity = {moved_name, "bytes of the sectors that requests touch, over the bytes asked for", Better::less}},
      {.quantity = {could_save_name, "time on the GPU that its wasteful accesses and its waiting cost, by the model",
                    Better::less}},
      {.quantity = {could_save_low_name, "low end of that saving: nine of ten kernels save more", Better::less}},
      {.quantity = {could_save_high_name, "high end of that saving: nine of ten kernels save less", Better::less}},
  };
  return probe;
}

}  // namespace

const Probe& kernel_probe() {
  static const Probe probe = make_kernel_probe();
  return probe;
}

bool is_kernel(const Record& record) { return record.probe == kernel_probe_name; }

bool has_seen_accesses(const Record& record) {
  return is_kernel(record) && record.status == Status::ok && !(record.counters && record.access.empty());
}

bool is_only_timed(const Record& record) { return is_kernel(record) && record.status == Status::skipped; }

bool is_seen_by_another_grid(const Record& record) { return record.has_flag("seen_by_another_grid"); }

std::string_view case_noun(const Report& report) { return report.program ? "kernel" : "case"; }

const Probe* find_described_probe(std::string_view name) {
  return name == kernel_probe_name ? &kernel_probe() : find_probe(name);
}

}  // namespace gpumem::report
