#include "engine/model/profile.hpp"

namespace gpumem::model {

namespace {

constexpr RateField constant(const char* name, RateMember value, double least, double most) {
  return {name, value, Scale::nothing, false, true, least, most};
}

/// Nothing else tells it than a measurement on such a GPU.
constexpr RateField measured_only(const char* name, RateMember value, double least = RateField{}.least,
                                  double most = RateField{}.most) {
  return {name, value, Scale::nothing, true, false, least, most, true};
}

constexpr RateField cycles(const char* name, RateMember value) { return constant(name, value, 1e-3, 1e6); }
constexpr RateField lines(const char* name, RateMember value) { return constant(name, value, 1e-3, 1e6); }
constexpr RateField share(const char* name, RateMember value) { return constant(name, value, 1e-6, 1); }
constexpr RateField factor(const char* name, RateMember value) { return constant(name, value, 1e-3, 1e3); }
/// Its inverse is an exponent of 2 where two things that hide each other take as long as each other.
constexpr double least_exponent = 0.1;
constexpr RateField exponent(const char* name, RateMember value) { return constant(name, value, least_exponent, 10); }

/// Of what a queue grows by: below 1, so that it is finite beside any traffic below all.
constexpr double most_growth = 0.999999;

}  // namespace

std::span<const RateField> rate_fields() {
  static constexpr RateField fields[] = {
      {"dram_read_bytes_per_s", &Rates::dram_read_bytes_per_s, Scale::memory},
      {"dram_write_bytes_per_s", &Rates::dram_write_bytes_per_s, Scale::memory},
      {"dram_copy_bytes_per_s", &Rates::dram_copy_bytes_per_s, Scale::memory},
      {"dram_split_sectors_per_s", &Rates::dram_split_sectors_per_s, Scale::memory},
      {"l2_load_sectors_per_s", &Rates::l2_load_sectors_per_s, Scale::chip},
      {"l2_store_sectors_per_s", &Rates::l2_store_sectors_per_s, Scale::chip},
      {"l2_split_sectors_per_s", &Rates::l2_split_sectors_per_s, Scale::chip},
      {"l2_load_lines_per_s", &Rates::l2_load_lines_per_s, Scale::banks},
      {"l2_load_line_pairs_per_s", &Rates::l2_load_line_pairs_per_s, Scale::banks},
      {"l2_store_lines_per_s", &Rates::l2_store_lines_per_s, Scale::chip},
      {"l2_store_line_pairs_per_s", &Rates::l2_store_line_pairs_per_s, Scale::chip},
      {"l2_fill_lines_per_s", &Rates::l2_fill_lines_per_s, Scale::banks},
      {"l2_fill_line_pairs_per_s", &Rates::l2_fill_line_pairs_per_s, Scale::banks},
      {"load_latency_s", &Rates::load_latency_s, Scale::nothing},
      {"block_launches_per_s", &Rates::block_launches_per_s, Scale::chip},
      {"launch_s", &Rates::launch_s, Scale::nothing},
      {"shared_wavefronts_per_cycle", &Rates::shared_wavefronts_per_cycle, Scale::nothing},
      {"cached_launch_s", &Rates::cached_launch_s, Scale::nothing},
      {"store_latency_s", &Rates::store_latency_s, Scale::nothing},
      {"load_turn_s", &Rates::load_turn_s, Scale::nothing},
      {"block_drain_share", &Rates::block_drain_share, Scale::nothing},
      {"l2_read_requests_per_s", &Rates::l2_read_requests_per_s, Scale::chip},
      {"l2_write_requests_per_s", &Rates::l2_write_requests_per_s, Scale::chip},
      {"l2_meetings_per_s", &Rates::l2_store_collisions_per_s, Scale::chip},
      {"l1_lines_per_cycle", &Rates::l1_lines_per_cycle, Scale::nothing},
      {"overlap_exponent", &Rates::overlap_exponent, Scale::nothing, false, false, least_exponent},
      {"line_spread_share", &Rates::line_spread_share, Scale::nothing},
      {"pcie_to_device_bytes_per_s", &Rates::pcie_to_device_bytes_per_s, Scale::link, true},
      {"pcie_to_host_bytes_per_s", &Rates::pcie_to_host_bytes_per_s, Scale::link, true},
      {"pcie_both_ways_bytes_per_s", &Rates::pcie_both_ways_bytes_per_s, Scale::link, true},
      {"copy_to_device_s", &Rates::copy_to_device_s, Scale::nothing, true},
      {"copy_to_host_s", &Rates::copy_to_host_s, Scale::nothing, true},
      {"copy_batched_s", &Rates::copy_batched_s, Scale::nothing, true},
      {"copy_to_device_call_s", &Rates::copy_to_device_call_s, Scale::nothing, true},
      {"copy_to_host_call_s", &Rates::copy_to_host_call_s, Scale::nothing, true},
      {"host_wait_s", &Rates::host_wait_s, Scale::nothing, true},
      {"streams_join_s", &Rates::streams_join_s, Scale::nothing, true},
      {"pageable_copy_s", &Rates::pageable_copy_s, Scale::nothing, true},
      {"staging_to_device_bytes_per_s", &Rates::staging_to_device_bytes_per_s, Scale::nothing, true},
      {"staging_cached_to_device_bytes_per_s", &Rates::staging_cached_to_device_bytes_per_s, Scale::nothing, true},
      {"staging_to_host_bytes_per_s", &Rates::staging_to_host_bytes_per_s, Scale::nothing, true},
      {"host_cache_bytes", &Rates::host_cache_bytes, Scale::nothing, true},
      {"host_copy_bytes_per_s", &Rates::host_copy_bytes_per_s, Scale::nothing, true},
      {"host_copy_piece_s", &Rates::host_copy_piece_s, Scale::nothing, true},
      {"pcie_load_lines_per_s", &Rates::pcie_load_lines_per_s, Scale::link},
      {"pcie_load_atoms_per_s", &Rates::pcie_load_atoms_per_s, Scale::link},
      {"pcie_load_sectors_per_s", &Rates::pcie_load_sectors_per_s, Scale::link},
      {"pcie_load_split_lines_per_s", &Rates::pcie_load_split_lines_per_s, Scale::link},
      {"pcie_write_bytes_per_s", &Rates::pcie_write_bytes_per_s, Scale::link},
      {"pcie_partial_writes_per_s", &Rates::pcie_partial_writes_per_s, Scale::link},
      {"pcie_split_writes_per_s", &Rates::pcie_split_writes_per_s, Scale::link},
      {"pcie_lone_writes_per_s", &Rates::pcie_lone_writes_per_s, Scale::link},
      {"pcie_lone_idle_writes_per_s", &Rates::pcie_lone_idle_writes_per_s, Scale::link},
      {"pcie_lone_copy_share", &Rates::pcie_lone_copy_share, Scale::nothing},
      {"pcie_copy_bytes_per_s", &Rates::pcie_copy_bytes_per_s, Scale::link},
      {"pcie_latency_s", &Rates::pcie_latency_s, Scale::nothing},
      {"register_latency_cycles", &Rates::register_latency_cycles, Scale::nothing, true},
      {"shared_latency_cycles", &Rates::shared_latency_cycles, Scale::nothing, true},
      {"cluster_latency_cycles", &Rates::cluster_latency_cycles, Scale::nothing, true},
      {"l1_latency_cycles", &Rates::l1_latency_cycles, Scale::nothing, true},
      {"texture_latency_cycles", &Rates::texture_latency_cycles, Scale::nothing, true},
      {"constant_latency_cycles", &Rates::constant_latency_cycles, Scale::nothing, true},
      {"constant_far_latency_cycles", &Rates::constant_far_latency_cycles, Scale::nothing, true},
      {"local_latency_cycles", &Rates::local_latency_cycles, Scale::nothing, true},
      {"l2_latency_cycles", &Rates::l2_latency_cycles, Scale::nothing, true},
      {"l2_far_latency_cycles", &Rates::l2_far_latency_cycles, Scale::nothing, true},
      {"memory_latency_cycles", &Rates::memory_latency_cycles, Scale::nothing, true},
      {"host_latency_cycles", &Rates::host_latency_cycles, Scale::nothing, true},
      measured_only("memory_queue_loads_cycles", &Rates::memory_queue_loads_cycles),
      measured_only("memory_queue_loads_growth", &Rates::memory_queue_loads_growth, 1e-6, most_growth),
      measured_only("memory_queue_both_cycles", &Rates::memory_queue_both_cycles),
      measured_only("memory_queue_both_growth", &Rates::memory_queue_both_growth, 1e-6, most_growth),
      measured_only("memory_queue_stores_cycles", &Rates::memory_queue_stores_cycles),
      measured_only("memory_queue_stores_growth", &Rates::memory_queue_stores_growth, 1e-6, most_growth),
      measured_only("l2_queue_cycles", &Rates::l2_queue_cycles),
      measured_only("l2_queue_growth", &Rates::l2_queue_growth, 1e-6, most_growth),
      {"l1_bytes", &Rates::l1_bytes, Scale::nothing, true},
      {"l2_near_share", &Rates::l2_near_share, Scale::nothing, true},
      measured_only("l2_port_bytes_per_cycle", &Rates::l2_port_bytes_per_cycle),
      measured_only("atomic_sectors_per_s", &Rates::atomic_sectors_per_s),
      {"nvlink_efficiency", &Rates::nvlink_efficiency, Scale::nothing, true},
      {"nvlink_header_bytes", &Rates::nvlink_header_bytes, Scale::nothing, true},
      {"nvlink_kernel_return_bytes", &Rates::nvlink_kernel_return_bytes, Scale::nothing, true},
      {"nvlink_store_return_bytes", &Rates::nvlink_store_return_bytes, Scale::nothing, true},
      {"nvlink_copy_return_bytes", &Rates::nvlink_copy_return_bytes, Scale::nothing, true},
      {"nvlink_latency_s", &Rates::nvlink_latency_s, Scale::nothing, true},
      {"peer_copy_s", &Rates::peer_copy_s, Scale::nothing, true},
      {"staged_piece_s", &Rates::staged_piece_s, Scale::nothing, true},
      {"host_memory_bytes_per_s", &Rates::host_memory_bytes_per_s, Scale::nothing, true},
      measured_only("cluster_read_bytes_per_cycle", &Rates::cluster_read_bytes_per_cycle, 1e-3, 1e6),
      measured_only("cluster_write_bytes_per_cycle", &Rates::cluster_write_bytes_per_cycle, 1e-3, 1e6),
      measured_only("cluster_atomic_bytes_per_cycle", &Rates::cluster_atomic_bytes_per_cycle, 1e-3, 1e6),
      measured_only("cluster_wide_share", &Rates::cluster_wide_share, 1e-3, 10),
      measured_only("cluster_served_bytes_per_cycle", &Rates::cluster_served_bytes_per_cycle, 1e-3, 1e6),
      measured_only("multicast_bytes_per_cycle", &Rates::multicast_bytes_per_cycle, 1e-3, 1e6),
      cycles("atomic_turn_cycles", &Rates::atomic_turn_cycles),
      cycles("atomic_float_cycles", &Rates::atomic_float_cycles),
      lines("atomic_slice_lines", &Rates::atomic_slice_lines),
      lines("atomic_slices", &Rates::atomic_slices),
      exponent("on_chip_exponent", &Rates::on_chip_exponent),
      exponent("addresses_exponent", &Rates::addresses_exponent),
      exponent("l2_loads_exponent", &Rates::l2_loads_exponent),
      share("l2_filled_share", &Rates::l2_filled_share),
      share("l2_exposed_share", &Rates::l2_exposed_share),
      factor("l2_mixed_factor", &Rates::l2_mixed_factor),
      share("l2_held_share", &Rates::l2_held_share),
      share("l2_written_share", &Rates::l2_written_share),
      lines("l1_lines_at_a_time", &Rates::l1_lines_at_a_time),
      constant("code_fetch_s", &Rates::code_fetch_s, 1e-9, 1),
      share("uncombined_behind_loads_share", &Rates::uncombined_behind_loads_share),
      factor("uncombined_half_stores", &Rates::uncombined_half_stores),
      lines("uncombined_half_lines", &Rates::uncombined_half_lines),
      cycles("uncombined_usual_cycles", &Rates::uncombined_usual_cycles),
      lines("uncombined_many_lines", &Rates::uncombined_many_lines),
      exponent("uncombined_cycles_exponent", &Rates::uncombined_cycles_exponent),
      exponent("uncombined_lines_exponent", &Rates::uncombined_lines_exponent),
      exponent("uncombined_odds_exponent", &Rates::uncombined_odds_exponent),
      factor("uncombined_loads_factor", &Rates::uncombined_loads_factor),
      cycles("uncombined_plain_cycles", &Rates::uncombined_plain_cycles),
      exponent("miss_sharpness", &Rates::miss_sharpness),
      cycles("address_thread_cycles", &Rates::address_thread_cycles),
      cycles("address_access_cycles", &Rates::address_access_cycles),
      cycles("address_request_cycles", &Rates::address_request_cycles),
      cycles("address_store_word_cycles", &Rates::address_store_word_cycles),
      cycles("address_store_saved_cycles", &Rates::address_store_saved_cycles),
      cycles("address_copy_cycles", &Rates::address_copy_cycles),
      cycles("integer_sum_cycles", &Rates::integer_sum_cycles),
      cycles("integer_bits_cycles", &Rates::integer_bits_cycles),
      cycles("integer_shift_cycles", &Rates::integer_shift_cycles),
      cycles("integer_product_cycles", &Rates::integer_product_cycles),
      cycles("integer_wide_product_cycles", &Rates::integer_wide_product_cycles),
      cycles("integer_narrow_product_cycles", &Rates::integer_narrow_product_cycles),
      cycles("integer_division_cycles", &Rates::integer_division_cycles),
      cycles("integer_division_by_literal_cycles", &Rates::integer_division_by_literal_cycles),
      cycles("integer_narrow_division_cycles", &Rates::integer_narrow_division_cycles),
      cycles("integer_like_division_cycles", &Rates::integer_like_division_cycles),
      cycles("integer_shifted_division_cycles", &Rates::integer_shifted_division_cycles),
      cycles("integer_comparison_cycles", &Rates::integer_comparison_cycles),
      cycles("integer_choice_cycles", &Rates::integer_choice_cycles),
  };
  return fields;
}

}  // namespace gpumem::model
