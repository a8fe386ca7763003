#pragma once
// State that is a thread's own. It tells what the thread is in the middle of, so that calls which our own code makes
// are not taken for the program's, and time that is counted once is not counted twice. It is plain memory without
// constructors and destructors: threads call us while they are being made and until they are gone.

#include <cstddef>
#include <cstdint>
#include <string>

namespace gpumem::inject {

struct Range;
struct SampleTables;

/// The domain of ranges, by its name; null: the program's own.
using Domain = const std::string*;

/// A range that is open.
struct OpenRange {
  Domain domain;
  const Range* range;
  std::uint64_t began_ns;
};

inline constexpr std::size_t deepest_open = 128;  ///< deeper ones of a thread do not count

/// The ranges that the thread has open, outermost first.
struct OpenRanges {
  OpenRange open[deepest_open];
  std::size_t depth;
  std::size_t deeper;
  const Range* current;  ///< as current_range() has it

  void name_current() {
    current = nullptr;
    for (std::size_t i = depth; i-- > 0;) {
      if (open[i].range == nullptr) continue;
      if (current == nullptr || open[i].domain == nullptr) current = open[i].range;
      if (open[i].domain == nullptr) return;
    }
  }
};

/// The launch that the thread samples.
struct SampledLaunch {
  SampleTables* tables;  ///< null: none
  bool was_launched;
  std::uint64_t launched_ns;
};

struct ThreadState {
  unsigned own_calls;  ///< objects of OwnCalls that live
  unsigned spending;   ///< objects of Spending that live
  OpenRanges ranges;
  SampledLaunch sampled;
};
inline constinit thread_local ThreadState this_thread{};

}  // namespace gpumem::inject
