#pragma once
// The simulation of a launch in the caches of a GPU, in the order in which its blocks are resident.
//
// It follows more rules than the caches that a patched kernel plays while it runs (program/watch/sites/patch.cu), on
// purpose. Here one thread of the host goes through a sample of the lines, and may keep any state of them: the order of
// their use, the part of L2 that they are in, which bytes were written. Unlike the patched kernel, it has to assume the
// order of the accesses.

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "engine/access/lanes.hpp"
#include "engine/access/order_of_first.hpp"
#include "engine/model/l2_cache.hpp"
#include "engine/model/line_cache.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/traffic.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// The lines that are simulated: one group of lines in 2^log2_rate, chosen by the hash of its number, so that no
/// pattern of addresses can hide from it (C. Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015).
class Sample {
 public:
  explicit Sample(unsigned log2_rate) : log2_rate_(log2_rate) {}
  /// A bit for each active lane of the request whose line is simulated.
  [[nodiscard]] std::uint32_t lanes_of(const access::WarpRequest& request) const;

 private:
  unsigned log2_rate_;
};

/// The sampled lines of a request, in the order in which its lanes come to them.
class LineRequests {
 public:
  /// `array` tells apart lines of different arrays, whose addresses all begin at 0.
  void take_apart(const access::WarpRequest& request, const Sample& sample, std::uint64_t array);

  [[nodiscard]] std::span<const LineRequest> all() const { return {line_requests_.data(), lines_.count()}; }

 private:
  std::array<LineRequest, access::warp_lanes> line_requests_;
  access::OrderOfFirst lines_;
};

/// True if the site's accesses are for the GPU's own memory.
[[nodiscard]] bool in_device_memory(const access::Site& site, const Device& device);

/// Simulates a launch. Each of its sites in device memory has its requests in order (Site::fill).
class CacheSimulation {
 public:
  CacheSimulation(const Workload& workload, const Profile& profile, unsigned log2_rate);
  CacheSimulation(const CacheSimulation&) = delete;
  CacheSimulation& operator=(const CacheSimulation&) = delete;

  /// Traffic of the launch, or of parts of a long one: of `lookups` lines in L1.
  struct Part {
    Traffic traffic;
    double lookups = 0;
    double load_requests = 0;     ///< whose passes through L1 were counted
    double store_requests = 0;    ///< the same
    double waves = 0;             ///< of resident blocks
    double incomplete_lines = 0;  ///< that wait for other blocks to complete them, summed over the waves
    double weights = 0;           ///< of stores
    double unevenness = 0;        ///< see Traffic, times these

    void add(const Part& other);
  };

  /// Simulates the whole launch; if `again`, after another one of its kind.
  [[nodiscard]] Part all(bool again);

  /// Simulates two places of the launch, its beginning and its middle. Each is counted from when L2 is full or holds
  /// all that is asked for, and for as long as that took: data that is used again later than that is no longer in L2.
  /// The beginning alone if L2 holds all `lines` of the launch by then. Absent if the launch is too short.
  [[nodiscard]] std::optional<Part> parts(double lines);

 private:
  void simulate(std::uint64_t first, std::uint64_t end);
  void simulate_loads(const access::Site& site, std::uint64_t array, std::uint64_t first, std::uint64_t end);
  void simulate_stores(const access::Site& site, std::uint64_t array, std::uint64_t first, std::uint64_t end);
  void simulate_turn(const access::Site& site, std::uint64_t array, unsigned turn, std::uint64_t block,
                     std::uint64_t end);
  void fill(const access::Site& site, std::uint64_t block, unsigned turn, std::uint64_t warp, std::uint64_t warps);
  void count_passes(const access::Site& site, const access::WarpRequest& request);
  void expect(const access::Site& site, unsigned multiprocessor);
  void load(const access::Site& site, const LineRequest& request, unsigned multiprocessor);
  void store(const LineRequest& request);
  void leave_to_others(CachedLine& line);

  const Workload& workload_;
  const Device& device_;
  unsigned log2_rate_;
  Sample sample_;
  unsigned parts_;
  std::uint64_t together_;  ///< blocks that are resident at once
  std::uint64_t warps_;
  Part part_;
  L2Cache l2_;
  std::vector<LineCacheOf<ReadLine>> l1_;
  std::vector<access::WarpRequest> batch_;
  LineRequests line_requests_;
  bool is_far_ = false;  ///< the simulated caches do not fit into one of this machine's
  access::DistinctNumbers scratch_;
  std::uint32_t wave_ = 0;
  std::uint32_t turn_ = 0;        ///< of all resident blocks
  std::uint32_t block_turn_ = 0;  ///< of one block
  double squares_ = 0;            ///< of how often each line was stored in this turn
  double weights_ = 0;            ///< all of these
  double lines_ = 0;              ///< stored in this turn
};

}  // namespace gpumem::model
