// Probes for the fuzz targets: the axes of some real ones, whose kernels need nvcc, and what these conclude.

#include "probes/host/batching_advice.hpp"
#include "probes/host/overlap_advice.hpp"
#include "probes/host/transfer_advice.hpp"
#include "probes/host/zero_copy_advice.hpp"
#include "probes/probe.hpp"

namespace gpumem {

namespace {

using Names = std::vector<std::string>;

Axis numbers(const std::string& flag, const std::string& parameter, const std::string& unit,
             const std::string& defaults, std::uint64_t minimum) {
  return {.flag = flag,
          .parameter = parameter,
          .unit = unit,
          .purpose = "a number",
          .defaults = defaults,
          .minimum = minimum};
}

Axis names(const std::string& flag, const std::string& parameter, const Names& all) {
  return {.flag = flag, .parameter = parameter, .purpose = "a name", .defaults = all.front(), .names = all};
}

Axis automatic(const std::string& flag, const std::string& parameter) {
  Axis axis = numbers(flag, parameter, "", "auto", 1);
  axis.takes_auto = true;
  axis.candidates = {1, 2, 4};
  return axis;
}

Axis word_bytes() {
  Axis axis = numbers("word-bytes", "word_bytes", "bytes", "4", 0);
  axis.numbers = {4, 8, 16};
  return axis;
}

Axis size() { return numbers("size", "size_bytes", "bytes", "16MiB", 4); }
Axis op() { return names("op", "op", {"copy", "read", "write"}); }
Axis direction() { return names("direction", "direction", {"to-device", "to-host", "both"}); }

Probe pattern(const std::string& name, std::uint64_t least) {
  return {
      .name = name,
      .purpose = "a pattern",
      .axes = {numbers(name, name + "_elements", "elements", "0..32", least), op(), word_bytes(),
               automatic("elements-per-thread", "elements_per_thread"), automatic("block-threads", "block_threads")},
      .baseline = least};
}

Probe alternatives(const std::string& name, std::vector<Axis> axes, const std::string& baseline) {
  Probe probe{.name = name, .purpose = "alternatives", .axes = std::move(axes)};
  probe.axes[1].value_optional = true;
  probe.compared = probe.axes[1].parameter;
  probe.baseline = baseline;
  return probe;
}

Probe transfer() {
  Probe probe = alternatives(
      "transfer",
      {size(), names("transfer", "host_memory", {"pageable", "pinned", "registered", "write-combined"}), direction()},
      "pageable");
  probe.metrics = {{"fixed_cost_us", ""}, {"asymptotic_gb_per_s", ""}, {"half_size_bytes", ""}};
  probe.conclude = host::conclude_transfer;
  return probe;
}

Probe batching() {
  Probe probe = alternatives("batching",
                             {numbers("copies", "copies", "copies", "1..65536*4", 1),
                              names("batching", "batching", {"separate", "packed", "batched"}), direction(), size()},
                             "separate");
  probe.metrics = {{"packing_pays_from_copies", ""}};
  probe.conclude = host::conclude_batching;
  return probe;
}

Probe zero_copy() {
  Probe probe = alternatives(
      "zero-copy",
      {numbers("passes", "passes", "passes", "1..8*2", 1), names("zero-copy", "placement", {"mapped", "copied"}), op()},
      "copied");
  probe.metrics = {{"copying_pays_from_passes", ""}};
  probe.conclude = host::conclude_zero_copy;
  return probe;
}

Probe overlap() {
  Probe probe = alternatives("overlap",
                             {numbers("streams", "streams", "streams", "1..16*2", 1),
                              names("overlap", "overlap", {"staged", "pageable", "host-work"}), size()},
                             "staged");
  probe.metrics = {{"speedup", ""}};
  probe.conclude = host::conclude_overlap;
  return probe;
}

[[maybe_unused]] const bool registered = register_probe(pattern("offset", 0)) && register_probe(pattern("stride", 1)) &&
                                         register_probe(transfer()) && register_probe(batching()) &&
                                         register_probe(zero_copy()) && register_probe(overlap());

}  // namespace

}  // namespace gpumem
