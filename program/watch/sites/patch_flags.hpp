#pragma once
// Values that the sanitizer's library passes to patches, and that not every toolkit's headers name. The library that a
// program is watched with may be newer than the headers, or older.

#include <sanitizer_patching.h>

namespace gpumem::inject {

/// SANITIZER_MEMORY_DEVICE_FLAG_ATOMIC_WRITE_ONLY, of headers since CUDA 13.4. An older library never sets it.
constexpr unsigned atomic_write_only = 1U << 8;

/// Sanitizer_InstructionId: SANITIZER_INSTRUCTION_..., of headers since CUDA 12.4 (the first five), 12.6 and, of tensor
/// loads (TMA_LOAD), 13.3.
namespace later_instruction {
constexpr auto remote_shared_memory_access = static_cast<Sanitizer_InstructionId>(17);
constexpr auto matrix_memory_access = static_cast<Sanitizer_InstructionId>(19);
constexpr auto warpgroup_mma_async = static_cast<Sanitizer_InstructionId>(23);
constexpr auto async_store = static_cast<Sanitizer_InstructionId>(26);
constexpr auto async_reduction = static_cast<Sanitizer_InstructionId>(27);
constexpr auto bulk_copy_global_to_shared = static_cast<Sanitizer_InstructionId>(30);
constexpr auto bulk_copy_shared_to_global = static_cast<Sanitizer_InstructionId>(35);
constexpr auto bulk_copy_shared_to_shared = static_cast<Sanitizer_InstructionId>(36);
constexpr auto bulk_reduction_shared_to_global = static_cast<Sanitizer_InstructionId>(37);
constexpr auto bulk_reduction_shared_to_shared = static_cast<Sanitizer_InstructionId>(38);
constexpr auto tensor_load = static_cast<Sanitizer_InstructionId>(43);
}  // namespace later_instruction

}  // namespace gpumem::inject
