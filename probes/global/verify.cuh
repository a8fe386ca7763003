#pragma once
// Device-side checks of the global kernels' output against the functor itself, and the function that runs them.

#include "probes/global/kernels.cuh"
#include "probes/global/launch.hpp"
#include "probes/measure/cuda.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/session.hpp"
#include "probes/measure/verify.hpp"

namespace gpumem::global {

/// What a check found; lives in device memory.
struct Mismatches {
  unsigned long long count = 0;
  unsigned long long first = ~0ULL;  ///< smallest offending index; all ones without any
  unsigned long long written = 0;    ///< words that no longer hold the poison
};

__device__ inline void report_mismatch(Mismatches* found, std::uint64_t index) {
  atomicAdd(&found->count, 1ULL);
  atomicMin(&found->first, static_cast<unsigned long long>(index));
}

/// Every element the pattern names must hold its random content, with the bits of `also` set in each word. One thread
/// per element, in any order.
template <class Pattern>
__global__ void check_target(const std::uint32_t* target, std::uint32_t words_per_element, std::uint64_t count,
                             std::uint32_t also, Pattern pattern, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (!pattern.active(i)) continue;
    const std::uint64_t first = pattern(i) * words_per_element;
    for (std::uint64_t word = first; word < first + words_per_element; ++word) {
      if (target[word] != (measure::random_word(word) | also)) report_mismatch(found, word);
    }
  }
}

/// Each thread's checksum must be the fold of the elements that the tile and the pattern give it.
template <class Pattern>
__global__ void check_checksums(const std::uint32_t* checksums, std::uint32_t words_per_element, std::uint64_t count,
                                Tile tile, std::uint64_t threads, Pattern pattern, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t t = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; t < threads; t += step) {
    std::uint32_t expected = 0;
    for (std::uint32_t turn = 0; turn < tile.elements_per_thread; ++turn) {
      const std::uint64_t i =
          tile.element(t / tile.block_threads, static_cast<std::uint32_t>(t % tile.block_threads), turn);
      if (i >= count || !pattern.active(i)) continue;
      for (std::uint32_t k = 0; k < words_per_element; ++k) {
        expected ^= measure::random_word(pattern(i) * words_per_element + k);
      }
    }
    if (checksums[t] != expected) report_mismatch(found, t);
  }
}

/// Counts the words that are no longer poison: more than the pattern names means stray stores.
static __global__ void count_written(const std::uint32_t* target, std::uint64_t words, Mismatches* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  unsigned long long written = 0;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < words; i += step) {
    written += target[i] != measure::poison_word ? 1 : 0;
  }
  if (written != 0) atomicAdd(&found->written, written);
}

/// Compares what a launch left in `output` with what its pattern says: the target of a store, in which nothing else may
/// have been touched, or the checksums of a read. The output must have been poisoned before; `also` are bits of the
/// poison that the launch leaves set. Waits for the result.
template <class Pattern>
measure::Verification check_output(measure::Session& session, const Launch& launch, const Pattern& pattern,
                                   const std::uint32_t* output, cudaStream_t stream, std::uint32_t also = 0) {
  constexpr unsigned threads = 256;
  const unsigned blocks = session.device().multiprocessors * 8;
  const measure::CheckResult<Mismatches> check(session);
  Mismatches* const found = check.data();
  check.reset(stream);
  if (launch.stores()) {
    check_target<<<blocks, threads, 0, stream>>>(output, launch.words_per_element(), launch.count, also, pattern,
                                                 found);
    count_written<<<blocks, threads, 0, stream>>>(output, pattern.extent(launch.count) * launch.words_per_element(),
                                                  found);
  } else {
    check_checksums<<<blocks, threads, 0, stream>>>(output, launch.words_per_element(), launch.count, launch.tile,
                                                    launch.threads(), pattern, found);
  }
  const Mismatches result = check.read(stream);
  measure::Verification verification{.mismatches = result.count,
                                     .what = launch.stores() ? "32-bit words of the target" : "threads' checksums"};
  if (result.count > 0) verification.first_mismatch = result.first;
  const std::uint64_t expected = pattern.useful(launch.count) * launch.words_per_element();
  if (launch.stores() && result.count == 0 && result.written != expected) {
    verification.mismatches = result.written > expected ? result.written - expected : expected - result.written;
    verification.what = "32-bit words outside the pattern";
  }
  return verification;
}

}  // namespace gpumem::global
