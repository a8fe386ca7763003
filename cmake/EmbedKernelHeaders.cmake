# The headers of kernels that are compiled when the program runs, compiled into it.
include_guard()
include(EmbedFiles)

set(kernel_headers probes/access/host_device.hpp probes/access/request.hpp probes/measure/content.hpp
  probes/global/kernels.cuh probes/global/verify_kernels.cuh probes/global/count_requests.cuh)
list(TRANSFORM kernel_headers PREPEND "${PROJECT_SOURCE_DIR}/")
set(GPUMEM_EMBEDDED_KERNEL_HEADERS "${CMAKE_BINARY_DIR}/generated/embedded_kernel_headers.cpp")
gpumem_embed("${GPUMEM_EMBEDDED_KERNEL_HEADERS}" probes/global/pattern_kernel.hpp gpumem::global KernelHeader
  kernel_headers ${kernel_headers})
