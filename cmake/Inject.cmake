# The library that `gpumem run` injects into programs. It lies beside the program, and holds the code that kernels are
# patched with. Without that code it is built all the same: for counters, and to tell whether a program used a GPU.
include_guard()
if(GPUMEM_SANITIZE)
  return()  # a guest in other programs cannot bring the sanitizers' run-time libraries along
endif()
include(Patch)

file(GLOB_RECURSE inject_sources CONFIGURE_DEPENDS program/watch/*.cpp)
if(TARGET gpumem_patch_images)
  list(APPEND inject_sources $<TARGET_OBJECTS:gpumem_patch_images>)
  list(FILTER inject_sources EXCLUDE REGEX "/watch/without_sites[.]cpp$")
else()
  list(FILTER inject_sources EXCLUDE REGEX "/watch/sites/")
endif()
add_library(gpumem_inject MODULE ${inject_sources}
  engine/base/demangle.cpp
  # The hardware's counters are counted as those of our own kernels are.
  engine/measure/counter_fields.cpp engine/measure/cupti.cpp engine/measure/range_profiler.cpp)
target_include_directories(gpumem_inject PRIVATE "${PROJECT_SOURCE_DIR}")
target_include_directories(gpumem_inject SYSTEM PRIVATE
  $<$<TARGET_EXISTS:gpumem_patch_images>:${GPUMEM_SANITIZER_INCLUDE}> ${CUDAToolkit_INCLUDE_DIRS})
# Programs wait for their guest.
target_compile_options(gpumem_inject PRIVATE ${GPUMEM_WARNINGS} $<$<CONFIG:Release>:-O2>)
# Nothing of it can meet what the program it is a guest in has by the same name.
set_target_properties(gpumem_inject PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
  LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}" LINK_DEPENDS "${PROJECT_SOURCE_DIR}/program/watch/exports.map")
find_package(Threads REQUIRED)
target_link_libraries(gpumem_inject PRIVATE ${CMAKE_DL_LIBS} Threads::Threads)
target_link_options(gpumem_inject PRIVATE ${GPUMEM_PORTABLE} "LINKER:--exclude-libs,ALL" "LINKER:-z,defs"
  "LINKER:--version-script=${PROJECT_SOURCE_DIR}/program/watch/exports.map")
gpumem_precompile_headers(gpumem_inject <array> <atomic> <mutex> <unordered_map> <cuda.h>)
add_dependencies(gpumem gpumem_inject)
