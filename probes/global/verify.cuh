#pragma once
// Runs the checks of the global kernels' output (verify_kernels.cuh).

#include "probes/experiment.hpp"
#include "probes/global/launch.hpp"
#include "probes/global/verify_kernels.cuh"

namespace gpumem::global {

/// Compares what a launch left in `output` with what its pattern says: the target of a store, in which nothing else may
/// have been touched, or the checksums of a read. The output must have been poisoned before; `also` are bits of the
/// poison that the launch leaves set. Waits for the result.
template <class Pattern>
measure::Verification check_output(measure::Session& session, const Launch& launch, const Pattern& pattern,
                                   const std::uint32_t* output, cudaStream_t stream, std::uint32_t also = 0) {
  constexpr unsigned threads = 256;
  const unsigned blocks = session.device().multiprocessors * 8;
  const measure::ContentParts parts = launch.parts();
  const measure::CheckResult<Mismatches> check(session);
  Mismatches* const found = check.data();
  check.reset(stream);
  if (launch.stores()) {
    check_target<<<blocks, threads, 0, stream>>>(output, parts, launch.count, also, pattern, found);
    count_written<<<blocks, threads, 0, stream>>>(output, pattern.extent(launch.count) * parts.per_element, parts,
                                                  found);
  } else {
    check_checksums<<<blocks, threads, 0, stream>>>(output, parts, launch.count, launch.tile, launch.threads(), pattern,
                                                    found);
  }
  const Mismatches result = check.read(stream);
  measure::Verification verification{.mismatches = result.count, .what = checked_parts(launch)};
  if (result.count > 0) verification.first_mismatch = result.first;
  const std::uint64_t expected = pattern.useful(launch.count) * parts.per_element - result.unseen;
  if (launch.stores() && result.count == 0 && result.written != expected) {
    verification.mismatches = result.written > expected ? result.written - expected : expected - result.written;
    verification.what = stray_parts(launch);
  }
  return verification;
}

}  // namespace gpumem::global
