# build_information.cpp with the version, commit, compilers, architectures and build type of the program. Included by
# the project, it adds a step that every build starts with; that step is this file again, as a script.

# The commit that is being built, and its date. Only the sources' own repository counts: a tarball may have been
# unpacked in another one.
function(gpumem_git_commit source_dir commit date)
  set(${commit} unknown PARENT_SCOPE)
  set(${date} "" PARENT_SCOPE)
  find_package(Git QUIET)
  if(NOT GIT_FOUND OR NOT EXISTS "${source_dir}/.git")
    return()
  endif()
  # Also when the checkout belongs to another user, as in a container.
  set(git "${GIT_EXECUTABLE}" -c "safe.directory=${source_dir}" -C "${source_dir}")
  execute_process(COMMAND ${git} describe --always --dirty --abbrev=12 --exclude=*
    OUTPUT_VARIABLE described RESULT_VARIABLE result OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  execute_process(COMMAND ${git} log -1 --format=%cs
    OUTPUT_VARIABLE day OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0)
    set(${commit} "${described}" PARENT_SCOPE)
    set(${date} "${day}" PARENT_SCOPE)
  endif()
endfunction()

if(CMAKE_SCRIPT_MODE_FILE)
  gpumem_git_commit("${SOURCE_DIR}" GPUMEM_GIT_COMMIT GPUMEM_GIT_DATE)
  configure_file("${TEMPLATE}" "${RESULT}" @ONLY)  # leaves the file alone where nothing has changed
  return()
endif()

include_guard()
include(CudaArchitectures)

# The other values are known now; what is left for the step are the two that change from build to build.
set(GPUMEM_GIT_COMMIT "@GPUMEM_GIT_COMMIT@")
set(GPUMEM_GIT_DATE "@GPUMEM_GIT_DATE@")
gpumem_compiled_architectures(GPUMEM_ARCHITECTURES)
list(TRANSFORM GPUMEM_ARCHITECTURES PREPEND "sm_")
list(JOIN GPUMEM_ARCHITECTURES ", " GPUMEM_ARCHITECTURES)
configure_file("${PROJECT_SOURCE_DIR}/app/command_line/build_information.cpp.in" "${CMAKE_BINARY_DIR}/generated/commit.cpp.in" @ONLY)

set(GPUMEM_BUILD_INFORMATION "${CMAKE_BINARY_DIR}/generated/build_information.cpp")
add_custom_target(gpumem_commit
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE_DIR=${PROJECT_SOURCE_DIR}"
    "-DTEMPLATE=${CMAKE_BINARY_DIR}/generated/commit.cpp.in" "-DRESULT=${GPUMEM_BUILD_INFORMATION}"
    -P "${CMAKE_CURRENT_LIST_FILE}"
  BYPRODUCTS "${GPUMEM_BUILD_INFORMATION}" COMMENT "" VERBATIM)
set_source_files_properties("${GPUMEM_BUILD_INFORMATION}" PROPERTIES GENERATED ON)
