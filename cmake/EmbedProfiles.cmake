# The GPU profiles of configs/gpus, compiled into the program so that it predicts from wherever it was copied to.
include_guard()

file(GLOB profiles CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/configs/gpus/*.json")
set(entries "")
foreach(profile IN LISTS profiles)
  get_filename_component(name "${profile}" NAME_WE)
  file(READ "${profile}" text)
  string(APPEND entries "    {\"${name}\", R\"profile(${text})profile\"},\n")
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${profile}")
endforeach()

set(GPUMEM_EMBEDDED_PROFILES "${CMAKE_BINARY_DIR}/generated/embedded_profiles.cpp")
file(CONFIGURE OUTPUT "${GPUMEM_EMBEDDED_PROFILES}" CONTENT [[
#include "probes/model/profile.hpp"

namespace gpumem::model {

std::span<const EmbeddedProfile> embedded_profiles() {
  static constexpr EmbeddedProfile all[] = {
@entries@  };
  return all;
}

}  // namespace gpumem::model
]] @ONLY)
