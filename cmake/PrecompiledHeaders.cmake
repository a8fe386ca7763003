# The headers of libraries that take longest to compile, once for all C++ sources of a target: where these have to be
# compiled one by one, because names in them clash.
include_guard()

# gpumem_precompile_headers(<target> [<header>...]): these, and what most sources include of the standard library. Does
# nothing unless GPUMEM_UNITED is on.
function(gpumem_precompile_headers target)
  if(NOT GPUMEM_UNITED)
    return()
  endif()
  set(headers <algorithm> <functional> <map> <memory> <optional> <span> <string> <vector> ${ARGN})
  list(TRANSFORM headers REPLACE "(.+)" "$<$<COMPILE_LANGUAGE:CXX>:\\1>")
  target_precompile_headers(${target} PRIVATE ${headers})
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    # ccache knows them by their content, of which the time would be part.
    target_compile_options(${target} PRIVATE "$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
  endif()
endfunction()
