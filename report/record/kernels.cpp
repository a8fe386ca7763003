#include "report/record/kernels.hpp"

namespace gpumem::report {

namespace {

Probe make_kernel_probe() {
  Probe probe;
  probe.name = kernel_probe_name;
  probe.purpose = "a kernel of the user's own program, as it was launched";
  probe.axes = {
      {.flag = "kernel", .parameter = kernel_parameter, .purpose = "its name, demangled", .defaults = ""},
      {.flag = "grid", .parameter = grid_parameter, .purpose = "blocks of a launch", .defaults = ""},
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
      {.quantity = {could_save_name, "time on the GPU that its wasteful accesses cost, by the model", Better::less}},
  };
  return probe;
}

}  // namespace

const Probe& kernel_probe() {
  static const Probe probe = make_kernel_probe();
  return probe;
}

bool is_kernel(const Record& record) { return record.probe == kernel_probe_name; }

const Probe* find_described_probe(std::string_view name) {
  return name == kernel_probe_name ? &kernel_probe() : find_probe(name);
}

}  // namespace gpumem::report
