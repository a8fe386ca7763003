# app/build_information.cpp with the version, commit, compilers and build type that a report names.
include_guard()

set(GPUMEM_GIT_COMMIT unknown)
find_package(Git QUIET)
if(GIT_FOUND)
  execute_process(COMMAND "${GIT_EXECUTABLE}" describe --always --dirty --abbrev=12 --exclude=*
    WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}" OUTPUT_VARIABLE commit RESULT_VARIABLE result
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  if(result EQUAL 0)
    set(GPUMEM_GIT_COMMIT "${commit}")
  endif()
endif()
# A new commit or checkout makes the next build configure again, so the commit named is the commit built.
foreach(file HEAD logs/HEAD)
  if(EXISTS "${PROJECT_SOURCE_DIR}/.git/${file}")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/.git/${file}")
  endif()
endforeach()

set(GPUMEM_BUILD_INFORMATION "${CMAKE_BINARY_DIR}/generated/build_information.cpp")
configure_file("${PROJECT_SOURCE_DIR}/app/build_information.cpp.in" "${GPUMEM_BUILD_INFORMATION}" @ONLY)
