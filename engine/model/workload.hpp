#pragma once
// Describes a case independently of any GPU: the model reads it, and the counters confirm it.
//
// A probe with physics of its own takes:
// - engine/model/subjects/NAME.hpp and .cpp: the subject, a structure of what it moves; the functions that predict it;
//   needed_rates() if a profile may lack some; stage_of() if it is a stage of its launch; headline_alone if the time of
//   its whole run is not predicted,
// - its name in Subject, below,
// - its rates: members in rates.hpp, lines in rate_fields.cpp, values in configs/gpus/. The schema of profiles and
//   docs/rates.md follow,
// - app/calibrate/NAME_rates.cpp that reads them off, declared in calibration.hpp, with a line in rate_readers.cpp and
//   cases in calibration_plan.cpp,
// - the probe itself in probes/, and its cases in configs/full.json.

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/model/rates.hpp"
#include "engine/model/subjects/chase.hpp"
#include "engine/model/subjects/cluster.hpp"
#include "engine/model/subjects/neighbours.hpp"
#include "engine/model/subjects/peer.hpp"

namespace gpumem {

/// The subject of a case that is about more than launches and operations. needed_rates() says which measured_only rates
/// a subject needs; without one of them nothing is predicted of the case.
using Subject = std::variant<std::monostate, Chase, Neighbours, PeerTraffic, ClusterTraffic>;

/// One piece of work in a stream of a case that is more than a launch, which engine/model/schedule.hpp simulates. Work
/// in one stream runs in its order; work in different streams runs at once where different engines do it, and one piece
/// after another on the same engine.
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
  /// Cycles for which a wavefront keeps the banks of L1 and shared memory busy, with all that its request asks of L1,
  /// if they are known from the requests. Absent: one for each wavefront and each line of L1.
  std::optional<double> cycles_per_wavefront = {};
  /// Cycles of a scheduler that warps take to arrive at barriers of their block, one after another; of all warps.
  double barrier_cycles = 0;
  /// Like scheduler_cycles, for computing the addresses of a user's pattern, on a GPU with these rates; empty if they
  /// hardly cost anything.
  std::function<double(const model::Rates&)> address_cycles = {};
  /// True if the runs sample the headline themselves, although the headline of other cases follows from the time.
  bool sampled = false;
  /// The reason why no stage of the model covers the case, so that only its requests are predicted; empty if one does.
  std::string_view unmodelled = {};
  Subject subject = {};
  std::vector<Operation> operations = {};  ///< in the order the host issues them; empty: one launch of the kernel

  [[nodiscard]] std::uint64_t warps_of_block() const {
    return (std::uint64_t{block_threads} + access::warp_lanes - 1) / access::warp_lanes;
  }
  /// Returns the subject if it is a T, else null.
  template <typename T>
  [[nodiscard]] const T* about() const {
    return std::get_if<T>(&subject);
  }
  /// True if the headline of such a subject is predicted although the time of the whole run is not.
  [[nodiscard]] bool headline_alone() const {
    return std::visit(
        [](const auto& known) {
          return requires { known.headline_alone; };
        },
        subject);
  }
  [[nodiscard]] bool modelled() const { return unmodelled.empty(); }
  [[nodiscard]] std::uint64_t useful_bytes() const { return useful_bytes_read + useful_bytes_written; }
};

}  // namespace gpumem
