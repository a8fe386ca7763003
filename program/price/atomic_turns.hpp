#pragma once
// The turns that the atomics of a seen launch take in L2.

#include <vector>

#include "engine/model/profile.hpp"
#include "program/watch/raw_format.hpp"
#include "report/record/launch_work.hpp"

namespace gpumem::program {

/// A site of atomics that go beyond their multiprocessor.
struct AtomicSite {
  const inject::Site* site = nullptr;
  bool combined = false;  ///< as if blocks added up before they update a word
  bool adds_floats = false;
};

/// Returns true if atomics of one block meet, in a launch of `blocks` blocks, so that the block could add up first.
/// They meet as lanes at one word, as requests that come back to the same sectors, or as single lanes of several warps
/// that go to few sectors.
[[nodiscard]] bool requests_meet(const inject::Site& site, double blocks);

struct LaunchBlocks {
  double all = 0;
  double resident = 0;  ///< at once
};

/// The work of the sites' atomics, by the arrays that they go to.
[[nodiscard]] std::vector<report::AtomicWork> atomic_work(const std::vector<AtomicSite>& sites,
                                                          const LaunchBlocks& blocks);

/// The turns of atomics in L2: in the slice that has most of them, or at the word that has.
[[nodiscard]] double atomic_turns(const std::vector<report::AtomicWork>& arrays, const model::Rates& rates);

}  // namespace gpumem::program
