#pragma once
// One launch seen access by access: its module is patched before it and unpatched after it.

#include <cuda.h>
#include <sanitizer.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

#include "program/watch/kernels.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// A launch that is to be sampled. A process samples one at a time.
struct Sample {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  const Kernel* kernel = nullptr;
  std::uint64_t blocks = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t dynamic_shared_bytes = 0;
  bool divisible = false;  ///< some of its blocks may be launched now and others later
};

struct SampleEnd {
  CUresult result = CUDA_SUCCESS;  ///< what the launch returned
  double would_take_ns = 0;        ///< what looking at it takes, where that was too long and nothing was looked at
  double launch_ns = 0;            ///< what it takes without a patch, where most of its blocks ran so
};

// Called by the thread that launches, in relaxed capture mode.

/// Patches the kernel's module. Returns Unseen::none, or why the launch cannot be sampled. `parameters` are the bytes
/// that the kernel is called with, as far as they are known.
[[nodiscard]] Unseen begin_sample(const Sample& sample, std::vector<std::byte> parameters);
/// Within the launch: hands it its table.
void attach_table(const Sanitizer_LaunchData& launch);
/// Takes the patch away again, so that a launch that failed with it can be tried without.
void drop_sample(const Sample& sample);
/// Gives a context's memory back to the program; there are no more samples in it.
void release_tables(CUcontext context);
/// Drops what is kept of a context that has ended, and its memory with it.
void forget_tables(CUcontext context);
/// Waits for the launch, writes what was seen of it, and takes the patch away. Blocks that have not run, because
/// looking at them would have taken too long, run unseen: `again` launches them once more.
[[nodiscard]] SampleEnd end_sample(const Sample& sample, SampleEvent event, std::uint64_t began_ns,
                                   const std::function<CUresult()>& again);

}  // namespace gpumem::inject
