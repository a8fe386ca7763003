# Several sources as one: compilers take longer for the headers that sources include than for what these say.
include_guard()

# gpumem_unite_sources(<target> [<size>]): compiles the C++ sources of a target in batches of 33, or of so many. Does
# nothing unless GPUMEM_UNITED is on. Sources with compile options or definitions of their own stay alone.
function(gpumem_unite_sources target)
  if(NOT GPUMEM_UNITED)
    return()
  endif()
  set(size 33)
  if(ARGC GREATER 1)
    set(size ${ARGV1})
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ON UNITY_BUILD_BATCH_SIZE ${size})
endfunction()

# gpumem_unite_kernels(<list> <name>): replaces the .cu files of a list of sources by a few that include them, for nvcc
# parses each three times. Does nothing unless GPUMEM_UNITED is on. Neighbours come into different files, for they are
# alike in what they take.
function(gpumem_unite_kernels list name)
  if(NOT GPUMEM_UNITED)
    return()
  endif()
  set(others ${${list}})
  set(kernels ${${list}})
  list(FILTER others EXCLUDE REGEX "\\.cu$")
  list(FILTER kernels INCLUDE REGEX "\\.cu$")
  list(LENGTH kernels count)
  math(EXPR files "(${count} + 11) / 12")
  set(number 0)
  foreach(kernel IN LISTS kernels)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${kernel}")
    math(EXPR file "${number} % ${files}")
    string(APPEND content_${file} "#include \"${path}\"\n")
    math(EXPR number "${number} + 1")
  endforeach()
  math(EXPR last "${files} - 1")
  foreach(file RANGE ${last})
    set(united "${CMAKE_BINARY_DIR}/generated/${name}_${file}.cu")
    file(CONFIGURE OUTPUT "${united}" CONTENT "${content_${file}}" @ONLY)
    # CMake 3.31 and newer would unite these once more, into one.
    set_source_files_properties("${united}" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
    list(APPEND others "${united}")
  endforeach()
  set(${list} ${others} PARENT_SCOPE)
endfunction()
