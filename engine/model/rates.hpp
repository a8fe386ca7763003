#pragma once
// The rates of a GPU's stages, by the part of the GPU that they are about. rate_fields.cpp says in a line each what a
// rate is: a new one is a member here and a line there.

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>

#include "engine/pattern/instruction_costs.hpp"

namespace gpumem::model {

/// Names a rate, whichever GPU's it is: rate_ids.l2.load_sectors_per_s.
struct RateId {
  std::uint16_t place = 0;  ///< among the rates, in the order of their declaration

  friend bool operator==(const RateId&, const RateId&) = default;
};

/// A T for each rate: its value (Rates), or its name (rate_ids). Rates are of the whole GPU, unless the sentence of
/// their line says otherwise.
template <typename T>
struct PerRate {
  struct Dram {
    T read_bytes_per_s{};
    T write_bytes_per_s{};
    T copy_bytes_per_s{};
    T split_sectors_per_s{};
  };
  struct L2 {
    T load_sectors_per_s{};
    T store_sectors_per_s{};
    T split_sectors_per_s{};
    T crossing_share{};
    T load_lines_per_s{};
    T load_line_pairs_per_s{};
    T store_lines_per_s{};
    T store_line_pairs_per_s{};
    T fill_lines_per_s{};
    T fill_line_pairs_per_s{};
    T line_spread_share{};
    T read_requests_per_s{};
    T write_requests_per_s{};
    T store_collisions_per_s{};
    T port_bytes_per_cycle{};
    T near_share{};
    // For launches that are simulated:
    T loads_exponent{};
    T filled_share{};
    T exposed_share{};
    T mixed_factor{};
    T held_share{};
    T written_share{};
  };
  struct L1 {
    T bytes{};
    T lines_per_cycle{};
    T lines_at_a_time{};
    T bytes_per_cycle{};
  };
  struct Shared {
    T wavefronts_per_cycle{};
  };
  struct Launch {
    T blocks_per_s{};
    T fixed_s{};
    T cached_fixed_s{};
    T kernel_s{};
    T code_fetch_s{};
  };
  struct Waiting {
    T load_latency_s{};
    T load_turn_s{};
    T store_latency_s{};
    T block_drain_share{};
  };
  /// Exponents p of (a^p + b^p)^(1/p), the time of two things that hide each other: the larger, the better they do.
  struct Overlap {
    T exponent{};
    T on_chip_exponent{};
    T addresses_exponent{};
  };
  /// Parts of sectors that neighbouring warps store, and that arrive in L2 one by one.
  struct Uncombined {
    T behind_loads_share{};
    T half_stores{};
    // For launches that are simulated:
    T half_lines{};
    T usual_cycles{};
    T many_lines{};
    T cycles_exponent{};
    T lines_exponent{};
    T odds_exponent{};
    T loads_factor{};
    T plain_cycles{};
  };
  /// Scheduler cycles of a warp that works out addresses.
  struct Addresses {
    T thread_cycles{};
    T access_cycles{};
    T request_cycles{};
    T store_word_cycles{};
    T store_saved_cycles{};
    T copy_cycles{};
  };
  /// Rates of the host link.
  struct Link {
    T to_device_bytes_per_s{};
    T to_host_bytes_per_s{};
    T both_ways_bytes_per_s{};
    T load_lines_per_s{};
    T load_atoms_per_s{};
    T load_sectors_per_s{};
    T load_split_lines_per_s{};
    T write_bytes_per_s{};
    T partial_writes_per_s{};
    T split_writes_per_s{};
    T lone_writes_per_s{};
    T lone_idle_writes_per_s{};
    T lone_copy_share{};
    T copy_bytes_per_s{};
    T latency_s{};
  };
  /// Fixed costs of copies, by whatever link.
  struct Copy {
    T to_device_s{};
    T to_host_s{};
    T batched_s{};
    T to_device_call_s{};
    T to_host_call_s{};
    T pageable_s{};
  };
  struct Host {
    T wait_s{};
    T streams_join_s{};
    T staging_to_device_bytes_per_s{};
    T staging_cached_to_device_bytes_per_s{};
    T staging_to_host_bytes_per_s{};
    T cache_bytes{};
    T copy_bytes_per_s{};
    T copy_piece_s{};
    T memory_bytes_per_s{};
  };
  /// From one load to the next that waits for it, by what answers (subjects/chase.hpp).
  struct Latency {
    T register_cycles{};
    T shared_cycles{};
    T cluster_cycles{};
    T l1_cycles{};
    T texture_cycles{};
    T constant_cycles{};
    T constant_far_cycles{};
    T local_cycles{};
    T l2_cycles{};
    T l2_far_cycles{};
    T memory_cycles{};
    T host_cycles{};
    T miss_sharpness{};
  };
  /// The queues of a busy memory (subjects/queueing.hpp).
  struct Queue {
    struct Of {
      T cycles{};
      T growth{};
    };
    Of memory_loads{};
    Of memory_both{};
    Of memory_stores{};
    Of l2{};
  };
  struct Atomics {
    T port_bytes_per_cycle{};
    T sectors_per_s{};
    T turn_cycles{};
    T float_cycles{};
    T slice_lines{};
    T slices{};
  };
  struct Nvlink {
    T efficiency{};
    T header_bytes{};
    T kernel_return_bytes{};
    T store_return_bytes{};
    T copy_return_bytes{};
    T latency_s{};
  };
  struct Peer {
    T copy_s{};
    T staged_piece_s{};
  };
  /// Rates of a multiprocessor, in clusters whose blocks have one each (subjects/cluster.hpp).
  struct Cluster {
    struct Move {
      T alone_bytes_per_cycle{};
      T served_bytes_per_cycle{};
      T all_bytes_per_cycle{};
    };
    Move read{};
    Move write{};
    Move atomic{};
    T multicast_bytes_per_cycle{};
    T tile_step_cycles{};
  };

  Dram dram{};
  L2 l2{};
  L1 l1{};
  Shared shared{};
  Launch launch{};
  Waiting waiting{};
  Overlap overlap{};
  Uncombined uncombined{};
  Addresses addresses{};
  pattern::PerInstruction<T> integer{};
  Link link{};
  Copy copy{};
  Host host{};
  Latency latency{};
  Queue queue{};
  Atomics atomics{};
  Nvlink nvlink{};
  Peer peer{};
  Cluster cluster{};

  // All members are Ts, one after another: this is an array of them.
  [[nodiscard]] T& operator[](RateId rate) { return reinterpret_cast<T*>(this)[rate.place]; }
  [[nodiscard]] const T& operator[](RateId rate) const { return reinterpret_cast<const T*>(this)[rate.place]; }
};

/// The rates of a GPU. docs/method.md tells how each acts.
using Rates = PerRate<double>;

constexpr std::size_t rate_count = sizeof(Rates) / sizeof(double);

/// The names of all rates.
inline constexpr auto rate_ids = [] {
  std::array<RateId, rate_count> ids;
  for (std::uint16_t i = 0; i < rate_count; ++i) ids[i].place = i;
  return std::bit_cast<PerRate<RateId>>(ids);
}();

}  // namespace gpumem::model
