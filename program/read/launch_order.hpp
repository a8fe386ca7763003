#pragma once
// The kernels of a run in the order in which each stream ran them, as far as every launch is known.

#include <cstddef>
#include <map>
#include <utility>
#include <vector>

#include "program/read/merge.hpp"

namespace gpumem::program {

/// Two kernels, by their index in the run: the second follows the first.
using KernelPair = std::pair<std::size_t, std::size_t>;

class LaunchOrder {
 public:
  /// Reads the spans of the processes, which have to be those that were merged.
  LaunchOrder(const std::vector<RawProcess>& processes, const MergedRun& run);

  /// The kernels of each stream of each process, by their index in the run, a launch after another. Launches that
  /// nobody timed are missing.
  [[nodiscard]] const std::vector<std::vector<std::size_t>>& streams() const { return streams_; }
  /// Returns the share of the second kernel's launches that come right after a launch of the first, in one stream.
  /// Launches that may have others before them that nobody timed are left out. 0 if none is left.
  [[nodiscard]] double share_that_follows(const KernelPair& pair) const;
  /// Returns all pairs of kernels of which one was seen right after the other.
  [[nodiscard]] std::vector<KernelPair> pairs() const;

 private:
  std::vector<std::vector<std::size_t>> streams_;
  std::map<KernelPair, std::size_t> times_;
  std::map<std::size_t, std::size_t> launches_;  ///< by kernel: those whose forerunner is known
};

}  // namespace gpumem::program
