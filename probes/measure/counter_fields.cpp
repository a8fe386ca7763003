#include "probes/measure/counters.hpp"

namespace gpumem::measure {

namespace {

// Names from NVIDIA's documentation of the profiling metrics (Nsight Compute, Kernel Profiling Guide, "Metrics
// Structure" and the per-chip list of `ncu --query-metrics`). The same names serve every chip since compute capability
// 7.0; where one lacks a counter, the count is absent.
constexpr CounterField all_fields[] = {
    {"global_load_requests",
     &Counts::global_load_requests,
     "warps' load instructions that reach L1 for global memory",
     {"l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"}},
    {"global_load_sectors",
     &Counts::global_load_sectors,
     "sectors that these loads touch",
     {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"}},
    {"global_store_requests",
     &Counts::global_store_requests,
     "warps' store instructions that reach L1 for global memory",
     {"l1tex__t_requests_pipe_lsu_mem_global_op_st.sum"}},
    {"global_store_sectors",
     &Counts::global_store_sectors,
     "sectors that these stores touch",
     {"l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum"}},
    {"shared_load_requests",
     &Counts::shared_load_requests,
     "warps' loads from shared memory",
     {"smsp__inst_executed_op_shared_ld.sum"}},
    {"shared_load_wavefronts",
     &Counts::shared_load_wavefronts,
     "passes through the banks that these loads take",
     {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"}},
    {"shared_store_requests",
     &Counts::shared_store_requests,
     "warps' stores to shared memory",
     {"smsp__inst_executed_op_shared_st.sum"}},
    {"shared_store_wavefronts",
     &Counts::shared_store_wavefronts,
     "passes through the banks that these stores take",
     {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st.sum"}},
    {"shared_bank_conflicts",
     &Counts::shared_bank_conflicts,
     "passes beyond those that the requests need at least",
     {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared.sum"}},
    {"l2_read_requests",
     &Counts::l2_read_requests,
     "read requests of L1 to L2",
     {"lts__t_requests_srcunit_tex_op_read.sum"}},
    {"l2_read_sectors",
     &Counts::l2_read_sectors,
     "sectors that L1 reads from L2",
     {"lts__t_sectors_srcunit_tex_op_read.sum"}},
    {"l2_write_requests",
     &Counts::l2_write_requests,
     "write requests of L1 to L2",
     {"lts__t_requests_srcunit_tex_op_write.sum"}},
    {"l2_write_sectors",
     &Counts::l2_write_sectors,
     "sectors that L1 writes to L2",
     {"lts__t_sectors_srcunit_tex_op_write.sum"}},
    {"host_read_sectors",
     &Counts::host_read_sectors,
     "the part of the sectors read that lies in host memory",
     {"lts__t_sectors_srcunit_tex_aperture_sysmem_op_read.sum"}},
    {"host_write_sectors",
     &Counts::host_write_sectors,
     "the part of the sectors written that lies in host memory",
     {"lts__t_sectors_srcunit_tex_aperture_sysmem_op_write.sum"}},
    {"dram_read_bytes", &Counts::dram_read_bytes, "bytes that device memory read", {"dram__bytes_read.sum"}},
    {"dram_write_bytes", &Counts::dram_write_bytes, "bytes that device memory wrote", {"dram__bytes_write.sum"}},
    {"achieved_occupancy",
     &Counts::achieved_occupancy,
     "resident warps over the most there can be",
     {"sm__warps_active.avg.pct_of_peak_sustained_active"},
     0.01,
     true},
    {"load_throughput_gb_per_s",
     &Counts::load_throughput_gb_per_s,
     "sectors loaded x 32 bytes over the measured time",
     {},
     1,
     true},
    {"load_efficiency", &Counts::load_efficiency, "bytes that lanes ask to load over sectors x 32 bytes", {}, 1, true},
    {"local_load_requests",
     &Counts::local_load_requests,
     "warps' loads of their threads' own memory",
     {"l1tex__t_requests_pipe_lsu_mem_local_op_ld.sum"},
     1,
     false,
     access::Space::local},
    {"local_load_sectors",
     &Counts::local_load_sectors,
     "sectors that these loads touch",
     {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld.sum"},
     1,
     false,
     access::Space::local},
    {"local_store_requests",
     &Counts::local_store_requests,
     "warps' stores of their threads' own memory",
     {"l1tex__t_requests_pipe_lsu_mem_local_op_st.sum"},
     1,
     false,
     access::Space::local},
    {"local_store_sectors",
     &Counts::local_store_sectors,
     "sectors that these stores touch",
     {"l1tex__t_sectors_pipe_lsu_mem_local_op_st.sum"},
     1,
     false,
     access::Space::local},
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
