#include "probes/host/verify.hpp"

#include "engine/measure/verify.hpp"

namespace gpumem::host {

measure::Verification verify_in_host_memory(measure::Session& session, const Buffer& buffer, std::uint64_t count,
                                            std::uint64_t first, CUstream_st* stream) {
  constexpr const char* what = "32-bit words in host memory";
  if (buffer.memory() == Memory::write_combined && buffer.device_words() != nullptr) {
    return measure::verify_random_words(session, buffer.device_words(), count, first, stream, what);
  }
  const Difference difference = compare_random(buffer.words(), count, first);
  return {.mismatches = difference.mismatches, .first_mismatch = difference.first, .what = what};
}

}  // namespace gpumem::host
