# The code that kernels of watched programs are patched with, for every architecture: the target gpumem_patch_images, and
# in GPUMEM_PATCH_IMAGES the files. Neither where there are no headers of the Compute Sanitizer's, which every toolkit
# has, or nothing to build it for.
include_guard()
set(GPUMEM_PATCH_IMAGES "")

find_path(GPUMEM_SANITIZER_INCLUDE sanitizer_patching.h
  HINTS ${CUDAToolkit_LIBRARY_ROOT} ${CUDAToolkit_BIN_DIR}/..
  PATH_SUFFIXES compute-sanitizer/include extras/Sanitizer/include
  DOC "Headers of the Compute Sanitizer's API")
if(NOT GPUMEM_SANITIZER_INCLUDE)
  # scripts/install-dependencies puts them here.
  file(GLOB downloaded "${PROJECT_SOURCE_DIR}/build/tools/sanitizer/nvidia/*/compute-sanitizer/include")
  find_path(GPUMEM_SANITIZER_INCLUDE sanitizer_patching.h PATHS ${downloaded} NO_DEFAULT_PATH)
endif()
if(NOT GPUMEM_SANITIZER_INCLUDE)
  message(STATUS "No headers of the Compute Sanitizer (sanitizer_patching.h): gpumem run can count (--counters), but not"
    " see accesses")
  return()
endif()

# The patch for every architecture, as machine code.
gpumem_compiled_architectures(patch_architectures)
if(NOT patch_architectures)
  message(STATUS "No architecture to patch kernels of (${CMAKE_CUDA_ARCHITECTURES}): gpumem run can count (--counters), but"
    " not see accesses")
  return()
endif()
set(images "${CMAKE_BINARY_DIR}/generated/inject")
file(MAKE_DIRECTORY "${images}")
set(patch "${PROJECT_SOURCE_DIR}/program/watch/sites/patch.cu")
set(patch_files "")
set(patch_assembly "")
set(patch_table "")
foreach(architecture IN LISTS patch_architectures)
  set(image "${images}/patch_${architecture}.cubin")
  add_custom_command(OUTPUT "${image}"
    COMMAND "${CMAKE_CUDA_COMPILER}" --cubin --compile-as-tools-patch -std=c++20 -O3 -arch sm_${architecture}
      "-I${PROJECT_SOURCE_DIR}" "-I${GPUMEM_SANITIZER_INCLUDE}" -MD -MF "${image}.d" "${patch}" -o "${image}"
    DEPENDS "${patch}" DEPFILE "${image}.d" COMMENT "Patch for sm_${architecture}" VERBATIM)
  list(APPEND patch_files "${image}")
  string(APPEND patch_assembly
    "asm(\".section .rodata\\n.balign 16\\npatch_${architecture}: .incbin \\\"${image}\\\"\\npatch_${architecture}_end:\\n.text\\n\");\n"
    "extern \"C\" const unsigned char patch_${architecture}[];\nextern \"C\" const unsigned char patch_${architecture}_end[];\n")
  string(APPEND patch_table
    "    {${architecture}, patch_${architecture}, static_cast<std::size_t>(patch_${architecture}_end - patch_${architecture})},\n")
endforeach()
file(CONFIGURE OUTPUT "${images}/patch_images.cpp" @ONLY CONTENT [[
#include "program/watch/sites/patch_image.hpp"

@patch_assembly@
namespace gpumem::inject {

std::span<const PatchImage> patch_images() {
  static const PatchImage images[] = {
@patch_table@  };
  return images;
}

}  // namespace gpumem::inject
]])
set_property(SOURCE "${images}/patch_images.cpp" PROPERTY OBJECT_DEPENDS "${patch_files}")
set_property(SOURCE "${images}/patch_images.cpp" PROPERTY SKIP_LINTING ON)

# A compiler's cache would not see that what is included has changed.
add_library(gpumem_patch_images OBJECT "${images}/patch_images.cpp")
target_include_directories(gpumem_patch_images PRIVATE "${PROJECT_SOURCE_DIR}")
set_target_properties(gpumem_patch_images PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
  CXX_COMPILER_LAUNCHER "")
set(GPUMEM_PATCH_IMAGES ${patch_files})
