#include "probes/host/verify.hpp"
#include "probes/measure/content.hpp"
#include "probes/measure/cuda.hpp"

namespace gpumem::host {

namespace {

struct Found {
  unsigned long long mismatches;
  unsigned long long first;  ///< smallest index that differs; all ones without any
};

__global__ void compare(const std::uint32_t* words, std::uint64_t count, std::uint64_t first, Found* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (words[i] == measure::random_word(first + i)) continue;
    atomicAdd(&found->mismatches, 1ULL);
    atomicMin(&found->first, static_cast<unsigned long long>(i));
  }
}

}  // namespace

measure::Verification verify_on_device(measure::Session& session, const std::uint32_t* words, std::uint64_t count,
                                       std::uint64_t first, CUstream_st* stream, const char* what) {
  Found found{0, ~0ULL};
  auto* on_device = session.scratch<Found>();
  measure::check(cudaMemcpyAsync(on_device, &found, sizeof found, cudaMemcpyDefault, stream), "reset the check");
  compare<<<session.device().multiprocessors * 4, 512, 0, stream>>>(words, count, first, on_device);
  measure::check(cudaGetLastError(), "launch the check");
  measure::check(cudaMemcpyAsync(&found, on_device, sizeof found, cudaMemcpyDefault, stream), "read the check");
  measure::check(cudaStreamSynchronize(stream), "run the transfer and its check");
  measure::Verification verification{.mismatches = found.mismatches, .what = what};
  if (found.mismatches > 0) verification.first_mismatch = found.first;
  return verification;
}

measure::Verification verify_in_host_memory(measure::Session& session, const Buffer& buffer, std::uint64_t count,
                                            std::uint64_t first, CUstream_st* stream) {
  constexpr const char* what = "32-bit words in host memory";
  if (buffer.memory() == Memory::write_combined && buffer.device_words() != nullptr) {
    return verify_on_device(session, buffer.device_words(), count, first, stream, what);
  }
  const Difference difference = compare_random(buffer.words(), count, first);
  return {.mismatches = difference.mismatches, .first_mismatch = difference.first, .what = what};
}

}  // namespace gpumem::host
