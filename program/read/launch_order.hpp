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

/// The launches of a stream of a process, one after another: indices of the run's kernels, each with true if the launch
/// after it is the next one of the stream.
struct StreamOrder {
  struct Launch {
    std::size_t kernel = 0;
    bool next_is_known = false;
  };
  std::vector<Launch> launches;
};

class LaunchOrder {
 public:
  /// Reads the spans of the processes, which have to be those that were merged.
  LaunchOrder(const std::vector<RawProcess>& processes, const MergedRun& run);

  [[nodiscard]] const std::vector<StreamOrder>& streams() const { return streams_; }
  /// Returns the share of the second kernel's launches that come right after a launch of the first, in one stream.
  /// Launches that may have others before them that nobody timed are left out. 0 if none is left.
  [[nodiscard]] double share_that_follows(const KernelPair& pair) const;
  /// Returns all pairs of kernels of which one was seen right after the other.
  [[nodiscard]] std::vector<KernelPair> pairs() const;

 private:
  std::vector<StreamOrder> streams_;
  std::map<KernelPair, std::size_t> times_;
  std::map<std::size_t, std::size_t> launches_;  ///< by kernel: those whose forerunner is known
};

}  // namespace gpumem::program
