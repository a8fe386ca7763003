#include "program/watch/sites/patching.hpp"

#include <string>

#include "program/watch/sites/patch_flags.hpp"
#include "program/watch/sites/patch_image.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

struct Callback {
  Sanitizer_InstructionId instruction;
  const char* function;
};
constexpr Callback callbacks[] = {
    {SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS, "gpumem_global"},
    {SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS, "gpumem_shared"},
    {SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS, "gpumem_local"},
    {SANITIZER_INSTRUCTION_MEMCPY_ASYNC, "gpumem_async_copy"},
};
/// Callbacks that older libraries do not know. They refuse them, or take them and never call back.
constexpr Callback later_callbacks[] = {
    {later_instruction::remote_shared_memory_access, "gpumem_remote"},
    {later_instruction::matrix_memory_access, "gpumem_matrix"},
    {later_instruction::warpgroup_mma_async, "gpumem_matrix_product"},
    {later_instruction::async_store, "gpumem_async_store"},
    {later_instruction::async_reduction, "gpumem_async_reduction"},
    {later_instruction::bulk_copy_global_to_shared, "gpumem_bulk_load"},
    {later_instruction::bulk_copy_shared_to_global, "gpumem_bulk_store"},
    {later_instruction::bulk_copy_shared_to_shared, "gpumem_bulk_to_block"},
    {later_instruction::bulk_reduction_shared_to_global, "gpumem_bulk_reduction"},
    {later_instruction::bulk_reduction_shared_to_shared, "gpumem_reduction_to_block"},
    {later_instruction::tensor_load, "gpumem_tensor_load"},
};

bool patch_block_begins(const Sanitizer& sanitizer, CUmodule module) {
  return fine(sanitizer,
              sanitizer.sanitizerPatchInstructions(SANITIZER_INSTRUCTION_BLOCK_ENTER, module, "gpumem_enter"),
              "patching");
}

void write_unseen(const char* what, const std::string& reason) {
  watch().output.write_problem(
      false, std::string("some launches were not seen access by access: ") + what + " failed (" + reason + ")");
}

const PatchImage* image_for(const DeviceEvent& device) {
  const PatchImage* best = nullptr;
  for (const PatchImage& image : patch_images()) {
    const bool runs = image.architecture / 10 == device.compute_capability_major &&
                      image.architecture % 10 <= device.compute_capability_minor;
    if (runs && (best == nullptr || image.architecture > best->architecture)) best = &image;
  }
  return best;
}

}  // namespace

bool fine(const Sanitizer& sanitizer, SanitizerResult result, const char* what) {
  if (result == SANITIZER_SUCCESS) return true;
  const char* reason = nullptr;
  sanitizer.sanitizerGetResultString(result, &reason);
  write_unseen(what, reason == nullptr ? "unknown error" : reason);
  return false;
}

bool fine(CUresult result, const char* what) {
  if (result == CUDA_SUCCESS) return true;
  write_unseen(what, "CUDA error " + std::to_string(result));
  return false;
}

bool add_patches(const Sanitizer& sanitizer, CUcontext context, const DeviceEvent& device) {
  const PatchImage* image = image_for(device);
  if (image != nullptr)
    return fine(sanitizer, sanitizer.sanitizerAddPatches(image->data, context), "loading the patch");
  watch().output.write_problem(false, "nothing is seen access by access on GPUs of compute capability " +
                                          std::to_string(device.compute_capability_major) + "." +
                                          std::to_string(device.compute_capability_minor) +
                                          ": this gpumem was not built for them (CMAKE_CUDA_ARCHITECTURES)");
  return false;
}

bool patch_accesses(const Sanitizer& sanitizer, CUmodule module, bool blocks) {
  for (const auto& [instruction, callback] : callbacks) {
    if (!fine(sanitizer, sanitizer.sanitizerPatchInstructions(instruction, module, callback), "patching")) return false;
  }
  for (const auto& [instruction, callback] : later_callbacks) {
    static_cast<void>(sanitizer.sanitizerPatchInstructions(instruction, module, callback));
  }
  if (blocks && !patch_block_begins(sanitizer, module)) return false;
  return fine(sanitizer, sanitizer.sanitizerPatchModule(module), "patching");
}

bool patch_blocks(const Sanitizer& sanitizer, CUmodule module) {
  return patch_block_begins(sanitizer, module) && fine(sanitizer, sanitizer.sanitizerPatchModule(module), "patching");
}

bool unpatch(const Sanitizer& sanitizer, CUmodule module) {
  return fine(sanitizer, sanitizer.sanitizerUnpatchModule(module), "taking the patch away");
}

}  // namespace gpumem::inject
