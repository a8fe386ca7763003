# The GPUs to compile for: what the user asks for; else the GPUs that are there, unless the program is for other machines;
# else a list that suits the toolkit.
include_guard()
include(CudaToolkit)

# What a toolkit's list is made of: machine code runs on every later minor revision, so one entry per major one; newer
# GPUs compile the last one's PTX when the program starts.
function(gpumem_default_architectures result)
  if(GPUMEM_CUDA_VERSION VERSION_GREATER_EQUAL 13.0)
    set(list 75-real 80-real 90-real 100-real 120)
  elseif(GPUMEM_CUDA_VERSION VERSION_GREATER_EQUAL 12.8)
    set(list 70-real 75-real 80-real 90-real 100-real 120)
  else()
    set(list 70-real 75-real 80-real 90)
  endif()
  set(${result} ${list} PARENT_SCOPE)
endfunction()

# The GPUs of this machine as architectures; empty when there is none.
function(gpumem_present_architectures result)
  set(${result} "" PARENT_SCOPE)
  find_program(NVIDIA_SMI nvidia-smi)
  mark_as_advanced(NVIDIA_SMI)
  if(NOT NVIDIA_SMI)
    return()
  endif()
  execute_process(COMMAND "${NVIDIA_SMI}" --query-gpu=compute_cap --format=csv,noheader
    OUTPUT_VARIABLE output RESULT_VARIABLE status ERROR_QUIET)
  if(NOT status EQUAL 0)
    return()
  endif()
  string(REGEX MATCHALL "[0-9]+\\.[0-9]+" present "${output}")
  string(REPLACE "." "" present "${present}")
  list(REMOVE_DUPLICATES present)
  set(${result} ${present} PARENT_SCOPE)
endfunction()

option(GPUMEM_EVERY_GPU "One program for every GPU that the toolkit knows, not for this machine's alone" OFF)

if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES AND NOT DEFINED ENV{CUDAARCHS})
  set(architectures "")
  if(NOT GPUMEM_EVERY_GPU)
    gpumem_present_architectures(architectures)
  endif()
  execute_process(COMMAND "${nvcc}" --list-gpu-arch OUTPUT_VARIABLE known ERROR_QUIET)
  foreach(architecture IN LISTS architectures)
    if(NOT known MATCHES "compute_${architecture}[ \r\n]")
      message(WARNING "CUDA ${GPUMEM_CUDA_VERSION} does not compile for this machine's GPU of compute capability"
        " ${architecture}; the program will run on it only if the GPU is newer than the toolkit.")
      set(architectures "")
      break()
    endif()
  endforeach()
  if(NOT architectures)
    gpumem_default_architectures(architectures)
  endif()
  set(CMAKE_CUDA_ARCHITECTURES "${architectures}" CACHE STRING "GPU architectures to compile for")
endif()
