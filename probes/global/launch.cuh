#pragma once
// A launch of a global kernel with a pattern: which of the compiled kernels it runs, what that kernel is to the model,
// and how it is queued. The caller decides whether its arrays lie in device memory or in mapped host memory.

#include "probes/experiment.hpp"
#include "probes/global/kernels.cuh"
#include "probes/global/launch.hpp"

namespace gpumem::global {

// The word and the elements per thread of the compiled kernel for a launch.
[[nodiscard]] inline auto word_of(const Launch& launch) {
  return type_of_size<std::uint8_t, std::uint16_t, std::uint32_t, uint2, uint4, WideWord>(launch.word_bytes);
}
[[nodiscard]] inline auto elements_of(const Launch& launch) {
  return one_of<1, 2, 4, 8>(launch.tile.elements_per_thread);
}

/// Describes one launch with its arrays in `space`. The caller fills in the bytes that it allocates.
template <class Pattern>
Workload describe_launch(const Launch& launch, const Pattern& pattern, access::Space space) {
  Workload workload = workload_of(launch, pattern, space);
  workload.kernel = dispatch(word_of(launch), elements_of(launch), [&](auto word, auto elements) {
    using Word = typename decltype(word)::type;
    if (launch.op == Op::read) return measure::kernel_name<&read<Word, Pattern, elements()>>();
    if (launch.op == Op::write) return measure::kernel_name<&write<Word, Pattern, elements()>>();
    return measure::kernel_name<&copy<Word, Pattern, elements()>>();
  });
  return workload;
}

/// Queues the launch. `source` and `output` are addresses as the device knows them; `output` is the target, or the
/// checksums of a read: one per thread, or null to store none. An address that the op does not use may be null.
template <class Pattern>
void launch_into(const Launch& launch, const Pattern& pattern, const std::uint32_t* source, std::uint32_t* output,
                 cudaStream_t stream) {
  dispatch(word_of(launch), elements_of(launch), [&](auto word, auto elements) {
    using Word = typename decltype(word)::type;
    const auto grid = static_cast<unsigned>(launch.blocks());
    const unsigned block = launch.tile.block_threads;
    const auto* from = reinterpret_cast<const Word*>(source);
    auto* to = reinterpret_cast<Word*>(output);
    switch (launch.op) {
      case Op::read:
        read<Word, Pattern, elements()><<<grid, block, 0, stream>>>(from, output, launch.count, pattern);
        break;
      case Op::write:
        write<Word, Pattern, elements()><<<grid, block, 0, stream>>>(to, launch.count, pattern);
        break;
      case Op::copy:
        copy<Word, Pattern, elements()><<<grid, block, 0, stream>>>(from, to, launch.count, pattern);
        break;
    }
  });
  measure::check(cudaGetLastError(), "launch the kernel");
}

}  // namespace gpumem::global
