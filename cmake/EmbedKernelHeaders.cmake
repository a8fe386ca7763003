# The headers of kernels that are compiled when the program runs, compiled into it.
include_guard()
include(EmbedFiles)

set(kernel_headers engine/access/host_device.hpp engine/access/request.hpp engine/measure/content.hpp
  probes/global/kernels.cuh probes/global/verify_kernels.cuh probes/user/pattern/count_requests.cuh)
list(TRANSFORM kernel_headers PREPEND "${PROJECT_SOURCE_DIR}/")
set(GPUMEM_EMBEDDED_KERNEL_HEADERS "${CMAKE_BINARY_DIR}/generated/embedded_kernel_headers.cpp")
gpumem_embed("${GPUMEM_EMBEDDED_KERNEL_HEADERS}" probes/user/pattern/pattern_kernel.hpp gpumem::global KernelHeader
  kernel_headers ${kernel_headers})
