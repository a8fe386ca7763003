#pragma once
// Describes a case independently of any GPU: the model reads it, and the counters confirm it.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/machine/peer_link.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/model/rates.hpp"

namespace gpumem {

/// One piece of work in a stream of a case that is more than a launch. Work in one stream runs in its order; work in
/// different streams runs at once where different engines do it, and one piece after another on the same engine.
struct Operation {
  enum class Work {
    copy_to_device,  ///< by a copy engine, or from pageable memory staged by the host
    copy_to_host,
    launch,       ///< the workload's kernel, as its sites describe it
    busy_kernel,  ///< a kernel that takes as long as copying `bytes` to the device from pinned memory does
    pack,         ///< the host gathers `count` chunks into one buffer, or scatters them from one
    busy_host     ///< the host computes for as long as copying `bytes` to the device from pinned memory takes
  };
  Work work = Work::launch;
  std::string stage;  ///< in the timeline: "copy in"
  unsigned stream = 0;
  std::uint64_t bytes = 0;  ///< in all
  std::uint64_t count = 1;  ///< copies, launches or chunks of equal size, one after another
  bool pageable = false;    ///< of a copy: the host memory is not page-locked, and the caller waits for the copy
  bool one_call = false;    ///< of a copy: all are handed over in one call
};

/// Loads of one thread that each wait for the one before. The model predicts the time of one step.
struct Chase {
  std::string level = {};   ///< that answers every step, one of model::latency_levels(): "shared"
  std::uint64_t lines = 0;  ///< without a level: of device memory, each visited again only after all the others
  /// Other traffic of the level: its share, below 1, of the rate that such traffic can reach, and its share of written
  /// bytes.
  double traffic_share = 0;
  double written_share = 0;
};

/// Bytes that cross from one GPU of the machine to another.
struct PeerTraffic {
  enum class Mover { copy_engine, kernel_read, kernel_write, host };
  Mover mover = Mover::copy_engine;  ///< `host`: both GPUs' copy engines, through its memory
  PeerLink link = {};
  std::uint64_t bytes = 0;  ///< of a copy, each way
  bool both_ways = false;
  unsigned copies = 1;       ///< in a row, each way
  unsigned commands = 1;     ///< that these are queued as: one each, or one for all
  std::uint64_t chunks = 1;  ///< that a copy is cut into on its way through the host's memory
};

/// A kernel that goes over the same bytes again and again, or copies over the host link, on one part of the
/// multiprocessors, while a neighbour on another part streams through device memory.
struct Neighbours {
  enum class Victim { l2, atomics, link };
  Victim victim = Victim::l2;  ///< loads that L2 answers, atomics that it executes, copies by a copy engine
  unsigned victim_multiprocessors = 1;
  unsigned neighbour_multiprocessors = 1;         ///< that the neighbour takes when it is alone
  unsigned neighbour_beside_multiprocessors = 1;  ///< and beside the victim
  std::uint64_t victim_bytes = 0;                 ///< that the victim goes over
  bool persists = false;                          ///< they have a persisting window
};

/// Data that the blocks of a cluster move through the network that joins their multiprocessors.
struct ClusterTraffic {
  /// `read`, `write` and `atomic` access the shared memory of another block. `multicast` loads from L2 into that of all
  /// blocks of the cluster, `fetch` from L2 into each block's own.
  enum class Move { read, write, atomic, multicast, fetch };
  Move move = Move::read;
  std::uint64_t movers = 1;  ///< blocks of the launch that move some
  std::uint64_t bytes = 0;   ///< of each; of a multicast, what each receives
  std::uint64_t steps = 0;   ///< tiles in which a block uses them, one by one; only if they come from L2
  double sectors = 4;        ///< in which the words of a request (128 bytes) lie
  unsigned sharers = 1;      ///< blocks that ask the same block at once
};

/// The steps of a warp that follow one after another.
struct Chain {
  double waits = 0;   ///< for loads that its L1 does not have
  double cycles = 0;  ///< that it takes besides when no other warp is there
};

/// The chains of the warps of a launch that was observed.
struct Chains {
  Chain mean;     ///< of all warps
  Chain busiest;  ///< of a block's warps, in the mean over the blocks
  Chain longest;  ///< of all
};

/// One launch (or run of operations) of a case, independent of any GPU. The model reads it, and the counters confirm
/// it.
struct Workload {
  /// Demangled name of the kernel in the compiled code; empty if the case launches none, or one of a library, of which
  /// nobody knows the accesses.
  std::string kernel;
  std::vector<access::Site> sites;
  std::uint64_t useful_bytes_read = 0;             ///< per launch
  std::uint64_t useful_bytes_written = 0;          ///< per launch
  std::optional<std::uint64_t> useful_flops = {};  ///< per launch; absent where computing is not the point
  bool double_precision = false;                   ///< of the flops
  std::uint64_t allocated_bytes = 0;               ///< device memory the case needs at once
  std::uint64_t host_bytes = 0;                    ///< host memory the case needs at once
  std::uint64_t blocks = 0;
  unsigned cluster_blocks = 1;  ///< blocks of a cluster, resident on one GPC together; 1: no clusters
  unsigned block_threads = 0;
  unsigned shared_bytes_per_block = 0;
  std::optional<unsigned> registers_per_thread = {};  ///< where they limit how many blocks are resident
  measure::Clock clock = measure::Clock::device;
  unsigned waits = 1;                 ///< times that a thread waits for loads before it issues further ones
  std::optional<Chains> chains = {};  ///< where they are known, instead of `waits`
  bool in_step = false;               ///< all threads of a block wait for each other, with `waits` in every round
  unsigned launches = 1;              ///< one after another, that share out what is described
  bool cold = false;  ///< nothing that a launch touches is in L2 when it begins, however little it touches
  /// Cycles that the instructions of all warps keep a scheduler busy, where that may matter: one each, more on a pipe
  /// that is narrower than a warp.
  std::optional<double> scheduler_cycles = {};
  /// The stage of these cycles: the busiest pipe, if that is known.
  std::string_view pipe = "instructions";
  /// The same for computing the addresses of a user's pattern, on a GPU with these rates; empty if they hardly cost
  /// anything.
  std::function<double(const model::Rates&)> address_cycles = {};
  /// True if the runs sample the headline themselves, although the headline of other cases follows from the time.
  bool sampled = false;
  /// The reason why no stage of the model covers the case, so that only its requests are predicted; empty if one does.
  std::string_view unmodelled = {};
  /// The rates, measured only (model::RateField), without which nothing is predicted of the case.
  std::vector<model::RateId> needed_rates = {};
  std::optional<Chase> chase = {};            ///< if the case is one
  std::optional<Neighbours> neighbours = {};  ///< if the case is about them
  std::optional<PeerTraffic> peer = {};       ///< if the case is about another GPU
  std::optional<ClusterTraffic> cluster = {};
  std::vector<Operation> operations = {};  ///< in the order the host issues them; empty: one launch of the kernel

  [[nodiscard]] std::uint64_t warps_of_block() const {
    return (std::uint64_t{block_threads} + access::warp_lanes - 1) / access::warp_lanes;
  }
  [[nodiscard]] bool modelled() const { return unmodelled.empty(); }
  [[nodiscard]] std::uint64_t useful_bytes() const { return useful_bytes_read + useful_bytes_written; }
};

}  // namespace gpumem
