#include "engine/measure/counters.hpp"

namespace gpumem::measure {

namespace {

/// A count that two launches double. `only_of`: see CounterField.
constexpr CounterField counted(std::string_view name, CounterField::Value value, std::string_view purpose,
                               std::array<const char*, 2> metrics, std::optional<access::Space> only_of = {}) {
  return {.name = name, .value = value, .purpose = purpose, .metrics = metrics, .only_of = only_of};
}

// Names from NVIDIA's documentation of the profiling metrics (Nsight Compute, Kernel Profiling Guide, "Metrics
// Structure" and the per-chip list of `ncu --query-metrics`). The same names serve every chip since compute capability
// 7.0; where one lacks a counter, the count is absent.
constexpr CounterField all_fields[] = {
    counted("global_load_requests", &Counts::global_load_requests,
            "warps' load instructions that reach L1 for global memory",
            {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}),
    counted("global_load_sectors", &Counts::global_load_sectors, "sectors that these loads touch",
            {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}),
    counted("global_store_requests", &Counts::global_store_requests,
            "warps' store instructions that reach L1 for global memory",
            {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}),
    counted("global_store_sectors", &Counts::global_store_sectors, "sectors that these stores touch",
            {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}),
    counted("shared_load_requests", &Counts::shared_load_requests, "warps' loads from shared memory",
            {"smsp__inst_executed_op_shared_ld.sum"}),
    counted("shared_load_wavefronts", &Counts::shared_load_wavefronts, "passes through the banks that these loads take",
            {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
             "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}),
    counted("shared_store_requests", &Counts::shared_store_requests, "warps' stores to shared memory",
            {"smsp__inst_executed_op_shared_st.sum"}),
    counted("shared_store_wavefronts", &Counts::shared_store_wavefronts,
            "passes through the banks that these stores take",
            {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st.sum",
             "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}),
    counted("shared_copy_requests", &Counts::shared_copy_requests,
            "warps' copies from global to shared memory through L1, by cp.async",
            {"smsp__sass_inst_executed_op_ldgsts_cache_access.sum"}, access::Space::shared),
    counted("shared_copy_wavefronts", &Counts::shared_copy_wavefronts,
            "passes through the banks in which these copies are written",
            {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts_cache_access.sum"}, access::Space::shared),
    counted("shared_bank_conflicts", &Counts::shared_bank_conflicts,
            "passes beyond those that the requests need at least",
            {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}),
    counted("l2_read_requests", &Counts::l2_read_requests, "read requests of L1 to L2",
            {"lts__t_requests_srcunit_tex_op_read.sum"}),
    counted("l2_read_sectors", &Counts::l2_read_sectors, "sectors that L1 reads from L2",
            {"lts__t_sectors_srcunit_tex_op_read.sum"}),
    counted("l2_write_requests", &Counts::l2_write_requests, "write requests of L1 to L2",
            {"lts__t_requests_srcunit_tex_op_write.sum"}),
    counted("l2_write_sectors", &Counts::l2_write_sectors, "sectors that L1 writes to L2",
            {"lts__t_sectors_srcunit_tex_op_write.sum"}),
    counted("host_read_sectors", &Counts::host_read_sectors, "the part of the sectors read that lies in host memory",
            {"lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum"}),
    counted("host_write_sectors", &Counts::host_write_sectors,
            "the part of the sectors written that lies in host memory",
            {"lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum"}),
    counted("dram_read_bytes", &Counts::dram_read_bytes, "bytes that device memory read", {"dram__bytes_read.sum"}),
    counted("dram_write_bytes", &Counts::dram_write_bytes, "bytes that device memory wrote", {"dram__bytes_write.sum"}),
    {.name = "achieved_occupancy",
     .value = &Counts::achieved_occupancy,
     .purpose = "resident warps over the most there can be",
     .metrics = {"sm__warps_active.avg.pct_of_peak_sustained_active"},
     .scale = 0.01,
     .is_share = true},
    {.name = "load_throughput_gb_per_s",
     .value = &Counts::load_throughput_gb_per_s,
     .purpose = "sectors loaded x 32 bytes over the measured time",
     .metrics = {},
     .is_share = true},
    {.name = "load_efficiency",
     .value = &Counts::load_efficiency,
     .purpose = "bytes that loads ask for over sectors x 32 bytes",
     .metrics = {},
     .is_share = true},
    counted("local_load_requests", &Counts::local_load_requests, "warps' loads of their threads' own memory",
            {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"}, access::Space::local),
    counted("local_load_sectors", &Counts::local_load_sectors, "sectors that these loads touch",
            {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"}, access::Space::local),
    counted("local_store_requests", &Counts::local_store_requests, "warps' stores of their threads' own memory",
            {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"}, access::Space::local),
    counted("local_store_sectors", &Counts::local_store_sectors, "sectors that these stores touch",
            {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"}, access::Space::local),
    counted("nvlink_sent_bytes", &Counts::nvlink_sent_bytes, "bytes of data that NVLinks send",
            {"nvltx__bytes_data_user.sum"}, access::Space::peer),
    counted("nvlink_received_bytes", &Counts::nvlink_received_bytes, "bytes of data that NVLinks receive",
            {"nvlrx__bytes_data_user.sum"}, access::Space::peer),
    counted("nvlink_sent_overhead_bytes", &Counts::nvlink_sent_overhead_bytes,
            "bytes that NVLinks send beside the data: headers, requests, acknowledgements",
            {"nvltx__bytes_data_protocol.sum"}, access::Space::peer),
    counted("nvlink_received_overhead_bytes", &Counts::nvlink_received_overhead_bytes,
            "bytes that NVLinks receive beside the data", {"nvlrx__bytes_data_protocol.sum"}, access::Space::peer),
};

}  // namespace

std::span<const CounterField> counter_fields() { return all_fields; }

Counts times(Counts counts, double launches) {
  for (const CounterField& field : all_fields) {
    if (field.is_share || !(counts.*field.value)) continue;
    counts.*field.value = *(counts.*field.value) * launches;
  }
  return counts;
}

}  // namespace gpumem::measure
