#pragma once
// Decides if a launch that has run may run once more without anybody noticing. A launch that the program makes only
// once, and that was looked at, can then be timed as well. No CUDA.
//
// A launch that stores to no byte that it loads finds the same data again, does the same, and stores the same.
// Constants and parameters are no part of this, because a kernel cannot store to them (PTX ISA, "Constant State
// Space"). Memory of a block or thread is not, because it does not outlive the launch.

#include <algorithm>
#include <cstdint>
#include <span>

#include "program/watch/code_traits.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// The memory that a site's requests access.
struct SeenRange {
  std::uint64_t pc = 0;  ///< as Site has it, like the next three
  RawSpace space{};
  RawOp op{};
  std::uint8_t flags = 0;
  std::uint64_t begin = 0;      ///< address of the lowest byte
  std::uint64_t end = 0;        ///< behind the highest byte; 0: not known
  bool only_counted = false;    ///< some requests were, so that the range is too small
  bool private_memory = false;  ///< all of it is memory of this GPU, which neither the host nor another GPU can reach
};

/// Why a launch does not run once more.
enum class NoRepeat : std::uint8_t {
  none,           ///< it does
  untold,         ///< its code may access memory that no callback tells of
  partly_seen,    ///< some of its blocks, sites or requests were not looked at
  atomic,         ///< it adds to what was there
  strong,         ///< something may wait for what it stores, or it waits for something
  shared_memory,  ///< it stores to memory that others may read and change meanwhile
  overlap         ///< it may store to what it loads
};

/// Returns true if the range is of memory that outlives the launch.
[[nodiscard]] inline bool outlives_launch(const SeenRange& range) {
  return range.space == RawSpace::global || range.space == RawSpace::host;
}

/// Returns true if each copy of blocks in the code was seen, and with it the callback that tells of such copies.
[[nodiscard]] inline bool are_bulk_copies_seen(std::span<const SeenRange> ranges, const CodeAccesses& code) {
  return std::ranges::all_of(code.bulk, [&](std::uint64_t pc) {
    return std::ranges::any_of(ranges, [&](const SeenRange& range) {
      return range.pc == pc && (range.flags & raw_bulk_copy) != 0 && (range.flags & raw_outside_kernel) == 0;
    });
  });
}

/// Returns why a launch with these ranges, one for each site, may not run once more. `whole`: all of its blocks were
/// looked at, and no site was lost.
[[nodiscard]] inline NoRepeat reason_not_to_repeat(std::span<const SeenRange> ranges, const CodeAccesses& code,
                                                   bool whole) {
  if (!code.all_are_told || !are_bulk_copies_seen(ranges, code)) return NoRepeat::untold;
  if (!whole) return NoRepeat::partly_seen;
  for (const SeenRange& range : ranges) {
    if ((range.flags & raw_outside_kernel) != 0) return NoRepeat::untold;
    if (!outlives_launch(range)) continue;
    if (range.op == RawOp::atomic) return NoRepeat::atomic;
    if (range.only_counted || range.end == 0 || (range.flags & raw_not_counted) != 0) return NoRepeat::partly_seen;
    if (std::ranges::find(code.strong, range.pc) != code.strong.end()) return NoRepeat::strong;
    if (range.op == RawOp::store && !range.private_memory) return NoRepeat::shared_memory;
  }
  for (const SeenRange& stored : ranges) {
    if (!outlives_launch(stored) || stored.op != RawOp::store) continue;
    for (const SeenRange& loaded : ranges) {
      if (!outlives_launch(loaded) || loaded.op != RawOp::load) continue;
      if (stored.begin < loaded.end && loaded.begin < stored.end) return NoRepeat::overlap;
    }
  }
  return NoRepeat::none;
}

}  // namespace gpumem::inject
