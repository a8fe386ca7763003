# Compiles files into the program, so that it works from wherever it was copied to.
include_guard()

# Makes a source file that defines `function` to return the files as a span of `type`, each by its name and text. The
# name is the file's without extension, or, of headers, what #include says.
function(gpumem_embed output header namespace type function)
  set(entries "")
  foreach(file IN LISTS ARGN)
    if(file MATCHES "\\.(hpp|cuh)$")
      file(RELATIVE_PATH name "${PROJECT_SOURCE_DIR}" "${file}")
    else()
      get_filename_component(name "${file}" NAME_WE)
    endif()
    file(READ "${file}" text)
    string(APPEND entries "    {\"${name}\", R\"embedded(${text})embedded\"},\n")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  endforeach()
  file(CONFIGURE OUTPUT "${output}" CONTENT [[
#include "@header@"

namespace @namespace@ {

std::span<const @type@> @function@() {
  static constexpr @type@ all[] = {
@entries@  };
  return all;
}

}  // namespace @namespace@
]] @ONLY)
endfunction()
