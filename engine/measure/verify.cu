#include "engine/measure/content.hpp"
#include "engine/measure/host_memory.hpp"
#include "engine/measure/verify.hpp"

namespace gpumem::measure {

namespace {

struct DifferentWords {
  unsigned long long count = 0;
  unsigned long long first = ~0ULL;  ///< smallest index; all ones without any
};

__global__ void compare(const std::uint32_t* words, std::uint64_t count, std::uint64_t first, DifferentWords* found) {
  const std::uint64_t step = std::uint64_t{gridDim.x} * blockDim.x;
  for (std::uint64_t i = std::uint64_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += step) {
    if (words[i] == random_word(first + i)) continue;
    atomicAdd(&found->count, 1ULL);
    atomicMin(&found->first, static_cast<unsigned long long>(i));
  }
}

}  // namespace

void poison(void* data, std::size_t bytes, cudaStream_t stream, std::string_view what, std::source_location location) {
  check(cudaMemsetAsync(data, poison_byte, bytes, stream), what, location);
}

void poison(const DeviceBuffer& buffer, cudaStream_t stream, std::string_view what, std::source_location location) {
  poison(buffer.data(), buffer.bytes(), stream, what, location);
}

Verification verify_random_words(Session& session, const std::uint32_t* words, std::uint64_t count, std::uint64_t first,
                                 cudaStream_t stream, const char* what) {
  const CheckResult<DifferentWords> check(session);
  check.reset(stream);
  compare<<<session.device().multiprocessors * 4, 512, 0, stream>>>(words, count, first, check.data());
  const DifferentWords found = check.read(stream, "run the transfer and its check");
  Verification verification{.mismatches = found.count, .what = what};
  if (found.count > 0) verification.first_mismatch = found.first;
  return verification;
}

Verification verify_in_host_memory(Session& session, const host::Buffer& buffer, std::uint64_t count,
                                   std::uint64_t first, cudaStream_t stream) {
  constexpr const char* what = "32-bit words in host memory";
  if (buffer.memory() == host::Memory::write_combined && buffer.device_words() != nullptr) {
    return verify_random_words(session, buffer.device_words(), count, first, stream, what);
  }
  const host::Difference difference = host::compare_random(buffer.words(), count, first);
  return {.mismatches = difference.mismatches, .first_mismatch = difference.first, .what = what};
}

}  // namespace gpumem::measure
