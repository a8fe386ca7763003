#pragma once
// The code that the probes of shared-memory words share on the host.

#include <vector>

#include "probes/probe.hpp"

namespace gpumem::shared {

namespace axis {
inline constexpr Number<unsigned> word_bytes{"word_bytes", &word_phrase};
inline constexpr Choice<access::Op> op{"op", {{"read", access::Op::load}, {"write", access::Op::store}}};
}  // namespace axis

/// The cycles that a request of the first site takes; its peak is that of a request without conflicts.
[[nodiscard]] Headline words_headline();

/// Wavefronts that a request of a site would take on average if its words were spread evenly over all banks.
[[nodiscard]] double least_wavefronts(const access::Site& site);
/// The bandwidth of one multiprocessor, for a launch of one block a multiprocessor.
[[nodiscard]] Metric rate_of_multiprocessor();

/// A probe with the axes `own` and after them word-bytes and op. Its headline is the cycles that a request of the first
/// site takes. Its facts are about a sweep of the first axis. Names, cases and kernels are left to the caller.
[[nodiscard]] Probe words_probe(std::vector<Axis> own);

}  // namespace gpumem::shared
