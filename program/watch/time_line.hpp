#pragma once
// When launches of a slot ran: the time since the process's first launch in bins, two of which become one whenever the
// program outlasts them, so that a program of any length takes as much memory. No CUDA.

#include <algorithm>
#include <cstdint>

#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

inline constexpr std::uint64_t narrowest_bin_ns = std::uint64_t{1} << 16U;
/// Two years, after which nothing is kept.
inline constexpr std::uint64_t longest_run_ns = std::uint64_t{1} << 56U;

/// Makes the bins so wide, a power of two times the narrowest, if they are narrower.
inline void widen(TimeLine& line, std::uint64_t bin_ns) {
  if (line.bin_ns == 0) line.bin_ns = narrowest_bin_ns;
  for (; line.bin_ns < bin_ns; line.bin_ns *= 2) {
    for (std::uint32_t i = 0; i < kept_bins; ++i) {
      line.ran_ns[i] = i < kept_bins / 2 ? line.ran_ns[2 * i] + line.ran_ns[2 * i + 1] : 0;
    }
  }
}

/// Adds `ran_ns` of GPU time, spread evenly from `begin_ns` to `end_ns`.
inline void add_ran(TimeLine& line, std::uint64_t begin_ns, std::uint64_t end_ns, std::uint64_t ran_ns) {
  if (begin_ns >= end_ns || end_ns > longest_run_ns) return;
  widen(line, narrowest_bin_ns);
  while (end_ns > kept_bins * line.bin_ns) widen(line, 2 * line.bin_ns);
  const double each = static_cast<double>(ran_ns) / static_cast<double>(end_ns - begin_ns);
  for (std::uint64_t bin = begin_ns / line.bin_ns; bin * line.bin_ns < end_ns; ++bin) {
    const std::uint64_t begin = std::max(begin_ns, bin * line.bin_ns);
    const std::uint64_t end = std::min(end_ns, (bin + 1) * line.bin_ns);
    line.ran_ns[bin] += static_cast<std::uint64_t>(each * static_cast<double>(end - begin));
  }
}

}  // namespace gpumem::inject
