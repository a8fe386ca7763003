# Puts the code that draws pictures (report/plotting) beside the program in the build tree. plotly's script is part of
# every page. It comes from plotly's Python package if this machine has that; otherwise the package is needed where
# pages are drawn.
include_guard()

find_package(Python3 QUIET COMPONENTS Interpreter)
set(plotly_folders "${PROJECT_SOURCE_DIR}/build/tools/plotly" "${PROJECT_SOURCE_DIR}/build/tools/python")
if(Python3_Interpreter_FOUND)  # asked, because pip builds wheels with packages that lie elsewhere
  execute_process(COMMAND "${Python3_EXECUTABLE}" -c
      "from importlib.util import find_spec; print(find_spec('plotly').submodule_search_locations[0] + '/..')"
    OUTPUT_VARIABLE plotly_folder OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
  list(APPEND plotly_folders ${plotly_folder})
endif()
list(TRANSFORM plotly_folders APPEND /plotly/package_data)
find_file(GPUMEM_PLOTLY plotly.min.js PATHS ${plotly_folders} NO_DEFAULT_PATH DOC "plotly's script, for pages")
if(NOT GPUMEM_PLOTLY)
  message(STATUS "plotly is not here: drawing a page takes the user's ('python3 -m pip install plotly')")
endif()

file(CREATE_LINK "${PROJECT_SOURCE_DIR}/report/plotting" "${CMAKE_BINARY_DIR}/plotting" SYMBOLIC)
if(GPUMEM_PLOTLY)
  file(CREATE_LINK "${GPUMEM_PLOTLY}" "${CMAKE_BINARY_DIR}/plotly.min.js" SYMBOLIC)
endif()
