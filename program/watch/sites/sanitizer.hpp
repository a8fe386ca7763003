#pragma once
// Functions of the Compute Sanitizer's library, found at run time.

#include <sanitizer.h>

#include <string>

namespace gpumem::inject {

#define GPUMEM_SANITIZER_FUNCTIONS(F) \
  F(sanitizerAddPatches)              \
  F(sanitizerEnableAllDomains)        \
  F(sanitizerEnableCallback)          \
  F(sanitizerEnableDomain)            \
  F(sanitizerGetFunctionPcAndSize)    \
  F(sanitizerGetResultString)         \
  F(sanitizerPatchInstructions)       \
  F(sanitizerPatchModule)             \
  F(sanitizerSetLaunchCallbackData)   \
  F(sanitizerSubscribe)               \
  F(sanitizerUnpatchModule)           \
  F(sanitizerUnsubscribe)

struct Sanitizer {
#define GPUMEM_MEMBER(name) decltype(&::name) name = nullptr;
  GPUMEM_SANITIZER_FUNCTIONS(GPUMEM_MEMBER)
#undef GPUMEM_MEMBER

  /// Finds the functions in the library at `path`. Returns the reason in words if one is missing, else an empty text.
  [[nodiscard]] std::string load(const std::string& path);
};

}  // namespace gpumem::inject
