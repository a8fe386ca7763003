#pragma once
// A launch that is sampled: what is asked of it, what is kept for it on the GPU, and how it ended.

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>

#include "program/watch/kernels.hpp"
#include "program/watch/memory.hpp"
#include "program/watch/raw_format.hpp"
#include "program/watch/sites/site_table.hpp"

namespace gpumem::inject {

/// A launch that is to be sampled. A process samples one at a time.
struct Sample {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  const Kernel* kernel = nullptr;
  std::uint64_t blocks = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  bool divisible = false;   ///< some of its blocks may be launched now and others later
  bool repeatable = false;  ///< as Launch has it, and if it is repeatable, a repeat would be of use

  [[nodiscard]] std::uint64_t warps_per_block() const { return (block_threads + 31) / 32; }
};

/// Launches the kernel of a sample once more, as the program asked for it.
struct Relaunch {
  std::function<CUresult()> launch;
  /// The same, and waits for it. The nanoseconds that it took are left as they were if they are not known.
  std::function<CUresult(std::optional<double>& took_ns)> timed;
};

struct SampleEnd {
  CUresult result = CUDA_SUCCESS;  ///< what the launch returned
  double would_take_ns = 0;        ///< what looking at it takes, where that was too long and nothing was looked at
  double launch_ns = 0;            ///< what it takes without a patch, where most of its blocks ran so
  double repeat_ns = 0;            ///< what it took when it ran once more for that; 0: it did not, or that is not known
};

/// Tables for the samples of a context, made once.
struct SampleTables {
  bool ready = false;
  Unseen failed = Unseen::none;
  Room room;
  SiteTable* table = nullptr;  ///< on the device, as the caches are
  CacheTag* l1 = nullptr;
  CacheTag* l2 = nullptr;
  std::uint32_t* l2_words = nullptr;
  std::uint32_t* warp_loads = nullptr;
  std::unique_ptr<SiteTable> copy;
  std::uint32_t l1_sets = 0;
  std::uint32_t l2_sets = 0;
  std::uint32_t multiprocessors = 0;
};

}  // namespace gpumem::inject
