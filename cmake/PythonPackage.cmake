# The Python package in the build folder, ready for $PYTHONPATH: the sources as links, and the two modules that the program
# is asked for (python/make_probes.py).
include_guard()

if(NOT Python3_Interpreter_FOUND OR CMAKE_CROSSCOMPILING)
  message(STATUS "python3 is not here, or cannot run the program: there will be no Python package")
  return()
endif()
set(package "${CMAKE_BINARY_DIR}/python/gpumem")
file(GLOB modules RELATIVE "${PROJECT_SOURCE_DIR}/python/gpumem" CONFIGURE_DEPENDS python/gpumem/*.py
  python/gpumem/py.typed)
file(MAKE_DIRECTORY "${package}")
foreach(module IN LISTS modules)
  file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/gpumem/${module}" "${package}/${module}" SYMBOLIC)
endforeach()
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/python/gpumem/agents" "${package}/agents" SYMBOLIC)
file(CREATE_LINK "${PROJECT_SOURCE_DIR}/report/plotting" "${package}/plotting" SYMBOLIC)

set(generated "${package}/probes.py" "${package}/keywords.py")
add_custom_command(OUTPUT ${generated}
  COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/python/make_probes.py" "$<TARGET_FILE:gpumem>" "${package}"
  DEPENDS gpumem python/make_probes.py COMMENT "The probes as functions of Python" VERBATIM)
add_custom_target(gpumem_python ALL DEPENDS ${generated})
