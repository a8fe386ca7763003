// The quantities that are expected of GPUs, a line each.

#include "app/expected/expected.hpp"

namespace gpumem::app {

namespace {

// The ranges of measurements of ten H200s, five H100s and three pairs of these, as multiples of their predictions
// (docs/suites.md, Spread of healthy GPUs; tests/end_to_end/test_expect.py holds the reference reports to it).
constexpr Spread of_memory = {0.97, 1.08};
constexpr Spread of_l2_of_h200 = {0.86, 1.13};
constexpr Spread of_l2_of_h100 = {0.99, 1.09};
constexpr Spread on_chip = {0.98, 1.02};
constexpr Spread of_far_latencies = {0.92, 1.10};
constexpr Spread of_host_latency = {0.85, 1.09};
constexpr Spread of_host_link = {0.88, 1.07};
constexpr Spread of_nvlinks = {0.98, 1.02};

using Axes = std::vector<GivenAxis>;

Axes coalesced(const char* op) { return {{"lanes", {"aligned"}}, {"op", {op}}}; }
Axes level(const char* name) { return {{"hierarchy", {name}}}; }
Axes latency(const char* name) { return {{"latency", {name}}}; }
Axes pinned(const char* direction) {
  return {{"transfer", {"pinned"}}, {"size", {"64MiB"}}, {"direction", {direction}}};
}
Axes pair(const char* via) {
  return {{"source", {"{source}"}}, {"target", {"{target}"}}, {"via", {via}}, {"direction", {"one-way"}}};
}

constexpr const char* bandwidths = "bandwidth";
constexpr const char* latencies = "latency";
constexpr const char* links = "links and launches";

}  // namespace

std::span<const ExpectedQuantity> expected_quantities() {
  using Reading = ExpectedQuantity::Reading;
  static const std::vector<ExpectedQuantity> quantities = [] {
    std::vector<ExpectedQuantity> all = {
        {"shared_read_gb_per_s", bandwidths, "shared memory", level("shared"), "shared_wavefronts_per_cycle", on_chip},
        {"l1_read_gb_per_s", bandwidths, "L1 read", level("l1"), "l1_bytes_per_cycle", on_chip},
        {.name = "l2_read_gb_per_s",
         .group = bandwidths,
         .title = "L2 read",
         .axes = level("l2"),
         .rate = "l2_load_sectors_per_s",
         .spread_of_kind = {{"NVIDIA H200", of_l2_of_h200}, {"NVIDIA H100 80GB HBM3", of_l2_of_h100}}},
        {"memory_read_gb_per_s", bandwidths, "memory read", coalesced("read"), "dram_read_bytes_per_s", of_memory},
        {"memory_write_gb_per_s", bandwidths, "memory write", coalesced("write"), "dram_write_bytes_per_s", of_memory},
        {"memory_copy_gb_per_s", bandwidths, "memory copy", coalesced("copy"), "dram_copy_bytes_per_s", of_memory},
        {"memory_triad_gb_per_s",
         bandwidths,
         "memory triad",
         {{"stream", {"triad"}}, {"type", {"double"}}},
         "dram_copy_bytes_per_s",
         of_memory},
    };
    const auto add_latency = [&](const char* cycles, const char* ns, const char* title, const char* name,
                                 const char* rate, Spread spread) {
      all.push_back({cycles, latencies, title, latency(name), rate, spread});
      all.push_back({ns, latencies, title, latency(name), rate, spread, Reading::nanoseconds});
    };
    add_latency("shared_latency_cycles", "shared_latency_ns", "shared memory", "shared", "shared_latency_cycles",
                on_chip);
    add_latency("l1_latency_cycles", "l1_latency_ns", "L1", "l1", "l1_latency_cycles", on_chip);
    add_latency("l2_latency_cycles", "l2_latency_ns", "L2 near", "l2", "l2_latency_cycles", of_far_latencies);
    add_latency("l2_far_latency_cycles", "l2_far_latency_ns", "L2 far", "l2-far", "l2_far_latency_cycles",
                of_far_latencies);
    add_latency("memory_latency_cycles", "memory_latency_ns", "memory", "memory", "memory_latency_cycles",
                of_far_latencies);
    add_latency("host_latency_cycles", "host_latency_ns", "host memory", "host", "host_latency_cycles",
                of_host_latency);
    const ExpectedQuantity between[] = {
        {"link_to_device_gb_per_s", links, "link to device", pinned("to-device"), "pcie_to_device_bytes_per_s",
         of_host_link},
        {"link_to_host_gb_per_s", links, "link to host", pinned("to-host"), "pcie_to_host_bytes_per_s", of_host_link},
        {"link_both_ways_gb_per_s", links, "link both ways", pinned("both"), "pcie_both_ways_bytes_per_s",
         of_host_link},
        {"pair_copy_gb_per_s", links, "pair copy", pair("copy-engine"), "nvlink_efficiency", of_nvlinks},
        {"pair_read_gb_per_s", links, "pair read", pair("kernel-read"), "nvlink_efficiency", of_nvlinks},
        {"pair_write_gb_per_s", links, "pair write", pair("kernel-write"), "nvlink_efficiency", of_nvlinks},
        {.name = "launch_us",
         .group = links,
         .title = "launch",
         .axes = {{"lanes", {"aligned"}}, {"op", {"read"}}, {"buffer", {"4KiB"}}},
         .rate = "cached_launch_s",
         .reading = Reading::microseconds}};
    all.insert(all.end(), std::begin(between), std::end(between));
    return all;
  }();
  return quantities;
}

}  // namespace gpumem::app
