#pragma once
// Whether the words that a transfer left in host memory are the ones that were sent.

#include <cstdint>

#include "engine/measure/experiment.hpp"
#include "engine/measure/host_memory.hpp"
#include "engine/measure/session.hpp"

namespace gpumem::host {

/// Compares words in host memory with random_word(first + i): the host does, or the device where the host reads them
/// very slowly (write-combined). The transfer must have ended.
[[nodiscard]] measure::Verification verify_in_host_memory(measure::Session& session, const Buffer& buffer,
                                                          std::uint64_t count, std::uint64_t first,
                                                          CUstream_st* stream);

}  // namespace gpumem::host
