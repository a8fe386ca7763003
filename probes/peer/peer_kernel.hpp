#pragma once
// The kernels that copy from one GPU to another, in words of 16 bytes: one on the target that reads, one on the source
// that writes.

#include <cstdint>

#include "engine/machine/device.hpp"
#include "probes/probe.hpp"

struct CUstream_st;

namespace gpumem::peer {

inline constexpr std::uint32_t word_bytes = 16;

/// One copy of so many words by a kernel on `gpu`: sites "source" and "target", the far one of them in peer memory.
[[nodiscard]] Workload describe_read(std::uint64_t words, const Device& gpu);
[[nodiscard]] Workload describe_write(std::uint64_t words);

/// Queue as many copies in a row, those that read in one launch. The stream's device, `gpu`, is the current one and can
/// address both arrays.
void queue_reads(unsigned copies, std::uint64_t words, const std::uint32_t* source, std::uint32_t* target,
                 const Device& gpu, CUstream_st* stream);
void queue_writes(unsigned copies, std::uint64_t words, const std::uint32_t* source, std::uint32_t* target,
                  CUstream_st* stream);

}  // namespace gpumem::peer
