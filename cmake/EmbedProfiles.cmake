# The GPU profiles of configs/gpus, compiled into the program so that it predicts without them.
include_guard()
include(EmbedFiles)

file(GLOB profiles CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/configs/gpus/*.json")
set(GPUMEM_EMBEDDED_PROFILES "${CMAKE_BINARY_DIR}/generated/embedded_profiles.cpp")
gpumem_embed("${GPUMEM_EMBEDDED_PROFILES}" engine/model/profile.hpp gpumem::model EmbeddedProfile embedded_profiles
  ${profiles})
