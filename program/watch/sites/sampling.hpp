#pragma once
// One launch seen access by access: its module is patched before it and unpatched after it.

#include <cuda.h>
#include <sanitizer.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <unordered_map>
#include <vector>

#include "program/watch/raw_format.hpp"
#include "program/watch/sites/sample.hpp"
#include "program/watch/sites/sanitizer.hpp"

namespace gpumem::inject {

/// Samples launches. Its functions are called by the thread that launches, in relaxed capture mode.
class Sampler {
 public:
  explicit Sampler(const Sanitizer& sanitizer) : sanitizer_(sanitizer) {}

  /// Patches the kernel's module. Returns Unseen::none, or why the launch cannot be sampled. `parameters` are the bytes
  /// that the kernel is called with, as far as they are known.
  [[nodiscard]] Unseen begin(const Sample& sample, std::vector<std::byte> parameters);
  /// Within the launch: hands it its table.
  void attach_table(const Sanitizer_LaunchData& launch);
  /// Takes the patch away again, so that a launch that failed with it can be tried without.
  void drop(const Sample& sample);
  /// Gives a context's memory back to the program; there are no more samples in it.
  void release_tables(CUcontext context);
  /// Drops what is kept of a context that has ended, and its memory with it.
  void forget(CUcontext context) { contexts_.erase(context); }
  /// Waits for the launch, writes what was seen of it, and takes the patch away. `again` launches the kernel once more:
  /// blocks that have not run, because looking at them would have taken too long, run unseen, and a launch that may run
  /// once more (repeat_rule.hpp) is timed.
  [[nodiscard]] SampleEnd end(const Sample& sample, SampleEvent event, std::uint64_t began_ns, const Relaunch& again);

 private:
  /// Runs a launch once more that may, and returns the nanoseconds that it takes; 0: not known.
  [[nodiscard]] double repeat(const Sample& sample, SampleTables& tables, bool first_is_unseen, const Relaunch& again);

  const Sanitizer& sanitizer_;
  std::unordered_map<CUcontext, SampleTables> contexts_;
  std::vector<std::byte> parameters_;  ///< of the launch that is sampled
};

}  // namespace gpumem::inject
