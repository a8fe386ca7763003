#pragma once
// Whether the words at the far end of a transfer are the ones that were sent.

#include <cstdint>

#include "probes/host/host_memory.hpp"
#include "probes/measure/experiment.hpp"
#include "probes/measure/session.hpp"

namespace gpumem::host {

/// Compares words that the device can address with random_word(first + i), on the device. Waits for everything that the
/// stream holds before. `what` names the words in a failure: "32-bit words on the device".
[[nodiscard]] measure::Verification verify_on_device(measure::Session& session, const std::uint32_t* words,
                                                     std::uint64_t count, std::uint64_t first, CUstream_st* stream,
                                                     const char* what);

/// The same for host memory: compared by the host, or by the device where the host reads it very slowly
/// (write-combined). The transfer must have ended.
[[nodiscard]] measure::Verification verify_in_host_memory(measure::Session& session, const Buffer& buffer,
                                                          std::uint64_t count, std::uint64_t first,
                                                          CUstream_st* stream);

}  // namespace gpumem::host
