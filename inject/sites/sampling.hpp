#pragma once
// One launch seen access by access: its module is patched before it and unpatched after it.

#include <cuda.h>
#include <sanitizer.h>

#include <cstddef>
#include <cstdint>
#include <vector>

#include "inject/kernels.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::inject {

/// What is to be sampled, and where. One at a time in a process.
struct Sample {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  const Kernel* kernel = nullptr;
  std::uint64_t blocks = 0;
  std::uint32_t block_threads = 0;
  std::uint32_t dynamic_shared_bytes = 0;
};

// Called by the thread that launches, in relaxed capture mode.

/// Patches the kernel's module. Unseen::none, or why not. `parameters` are the bytes that the kernel is called with, as
/// far as they are known.
[[nodiscard]] Unseen begin_sample(const Sample& sample, std::vector<std::byte> parameters);
/// Within the launch: hands it its table.
void attach_table(const Sanitizer_LaunchData& launch);
/// Takes the patch away again, so that a launch that failed with it can be tried without.
void drop_sample(const Sample& sample);
/// Gives a context's memory back to the program; there are no more samples in it.
void release_tables(CUcontext context);
/// Drops what is kept of a context that has ended, and its memory with it.
void forget_tables(CUcontext context);
/// Waits for the launch, writes what was seen of it, and takes the patch away.
void end_sample(const Sample& sample, SampleEvent event, std::uint64_t began_ns);

}  // namespace gpumem::inject
