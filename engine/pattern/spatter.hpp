#pragma once
// Gathers and scatters in the notation of Spatter, a benchmark of them (https://github.com/hpcgarage/spatter): a short
// pattern of offsets, repeated `count` times, each time `delta` elements further on. Lavin et al., Evaluating Gather
// and Scatter Performance on CPUs and GPUs, MEMSYS 2020.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

/// Spatter's defaults, as its README has them, in elements and repeats.
inline constexpr std::uint64_t spatter_delta = 8;
inline constexpr std::uint64_t spatter_count = 1024;

/// Offsets of one repeat.
struct SpatterPattern {
  std::vector<std::uint64_t> offsets;  ///< elements; at least one, none above most_index
  std::optional<std::uint64_t> delta;  ///< elements, where the notation says it, as UNIFORM:8:1:NR and LAPLACIAN do
};

/// True if a text is meant as notation rather than as the name of a file: it begins like a generator, or has nothing
/// but digits, commas and blanks.
[[nodiscard]] bool is_spatter_notation(std::string_view text);

/// UNIFORM:LENGTH:STRIDE[:DELTA|:NR], NR (no reuse) for a delta of LENGTH * STRIDE; MS1:LENGTH:BREAKS:GAPS, steps of 1
/// but at the breaks; LAPLACIAN:DIMENSION:ORDER:SIZE, a stencil in a cube of SIZE elements a side, delta 1; or offsets,
/// "0,4,8,12". A stride of 0 names one element all the time. Throws a usage error that begins with `source` and says at
/// which character, counted from 1, what is wrong, and how the generator is written.
[[nodiscard]] SpatterPattern parse_spatter(std::string_view notation, const std::string& source);

/// The accesses of a pattern, whose repeats lie the deltas apart (see RepeatShifts). Throws a usage error that begins
/// with `source` when they need more than 63 bits.
[[nodiscard]] IndexSequence spatter_indices(const SpatterPattern& pattern, std::span<const std::int64_t> deltas,
                                            std::uint64_t count, const std::string& source);
/// The same with one delta, at most most_index.
[[nodiscard]] IndexSequence spatter_indices(const SpatterPattern& pattern, std::uint64_t delta, std::uint64_t count,
                                            const std::string& source);

/// One configuration of a file.
struct SpatterRun {
  /// The reason why it cannot be run, though others of its file can: one line with source, JSON pointer and what was
  /// expected there. If set, nothing else is known of the run.
  std::optional<std::string> refusal = {};
  enum class Kernel { gather, scatter, gather_scatter };

  std::string name;  ///< the file's, else empty
  Kernel kernel = Kernel::gather;
  bool indirect = false;                 ///< multi-gather or multi-scatter: each index was itself found by an index
  std::optional<IndexSequence> gather;   ///< indices that are read; absent if the reads are contiguous
  std::optional<IndexSequence> scatter;  ///< indices that are written; absent if the writes are contiguous
  std::uint64_t wrap = 1;                ///< the contiguous side starts anew after so many patterns
  std::vector<std::string> ignored;      ///< members that say nothing about the accesses, or are none of Spatter's
};

/// Reads a file of Spatter's: an array of objects. The kernel, its patterns and its numbers have Spatter's own meaning.
/// A delta in the notation goes before the member "delta", several deltas take turns, "pattern-size" shortens patterns,
/// offsets are taken modulo "boundary", and multi-kernels index "pattern" by the other one. A negative delta goes down:
/// the last repeat then lies where the first one would otherwise. Commas behind the last item of a list do no harm.
/// Throws a usage error with source, JSON pointer and what was expected there if the file is of another form, if none
/// of its configurations can be run, or if the name of a member is nearly, but not quite, one that matters.
[[nodiscard]] std::vector<SpatterRun> parse_spatter_json(std::string_view text, const std::string& source);

}  // namespace gpumem::pattern
