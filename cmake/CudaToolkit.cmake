# Finds nvcc and checks its version before CMake does, whose own errors take a screen to say what is missing.
include_guard()

set(GPUMEM_OLDEST_CUDA 12.4)

if(NOT CMAKE_CUDA_COMPILER AND NOT DEFINED ENV{CUDACXX})
  # The toolkit's installers put nvcc where PATH does not reach.
  find_program(CMAKE_CUDA_COMPILER nvcc HINTS ENV CUDA_HOME ENV CUDA_PATH PATHS /usr/local/cuda /opt/cuda
    PATH_SUFFIXES bin DOC "The CUDA compiler")
endif()
set(nvcc "${CMAKE_CUDA_COMPILER}")
if(NOT nvcc AND DEFINED ENV{CUDACXX})
  find_program(GPUMEM_CUDACXX "$ENV{CUDACXX}" DOC "The CUDA compiler that the environment names")
  set(nvcc "${GPUMEM_CUDACXX}")
endif()
if(NOT nvcc)
  message(FATAL_ERROR "No CUDA compiler (nvcc) found: install the CUDA Toolkit ${GPUMEM_OLDEST_CUDA} or newer"
    " (https://developer.nvidia.com/cuda-downloads), or name its nvcc with CUDACXX=/path/to/nvcc.")
endif()

execute_process(COMMAND "${nvcc}" --version OUTPUT_VARIABLE output ERROR_QUIET)
if(output MATCHES "release ([0-9]+\\.[0-9]+)")
  set(GPUMEM_CUDA_VERSION "${CMAKE_MATCH_1}")
else()
  message(FATAL_ERROR "${nvcc} does not tell its version: is it nvcc of the CUDA Toolkit?")
endif()
if(GPUMEM_CUDA_VERSION VERSION_LESS GPUMEM_OLDEST_CUDA)
  message(FATAL_ERROR "${nvcc} is of CUDA ${GPUMEM_CUDA_VERSION}, and gpumem needs ${GPUMEM_OLDEST_CUDA} or newer:"
    " https://developer.nvidia.com/cuda-downloads, or name another nvcc with CUDACXX=/path/to/nvcc.")
endif()
