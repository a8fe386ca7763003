#include "program/watch/driver.hpp"

#include <dlfcn.h>

namespace gpumem::inject {

namespace {

Driver loaded_driver;

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

}  // namespace

const Driver& driver() { return loaded_driver; }

std::string load_driver() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return "libcuda.so.1";
  std::string missing;
#define GPUMEM_FIND(name) \
  if (!find(library, #name, loaded_driver.name)) missing = #name;
  GPUMEM_DRIVER_FUNCTIONS(GPUMEM_FIND)
#undef GPUMEM_FIND
#define GPUMEM_FIND_AS(name, function) \
  if (!find(library, name, loaded_driver.function)) missing = name;
  GPUMEM_FIND_AS("cuDeviceTotalMem_v2", cuDeviceTotalMem)
  GPUMEM_FIND_AS("cuEventElapsedTime", cuEventElapsedTime)
  GPUMEM_FIND_AS("cuMemAlloc_v2", cuMemAlloc)
  GPUMEM_FIND_AS("cuMemFree_v2", cuMemFree)
  GPUMEM_FIND_AS("cuMemGetInfo_v2", cuMemGetInfo)
  GPUMEM_FIND_AS("cuMemHostGetDevicePointer_v2", cuMemHostGetDevicePointer)
  GPUMEM_FIND_AS("cuStreamDestroy_v2", cuStreamDestroy)
  GPUMEM_FIND_AS("cuMemcpyDtoHAsync_v2", cuMemcpyDtoHAsync)
  GPUMEM_FIND_AS("cuMemcpyHtoDAsync_v2", cuMemcpyHtoDAsync)
#undef GPUMEM_FIND_AS
  if (!find(library, "cuDeviceGetUuid_v2", loaded_driver.cuDeviceGetUuid) &&
      !find(library, "cuDeviceGetUuid", loaded_driver.cuDeviceGetUuid)) {
    missing = "cuDeviceGetUuid";
  }
  bool graphs = true;
#define GPUMEM_FIND_OF_GRAPHS(name) graphs = find(library, #name, loaded_driver.name) && graphs;
  GPUMEM_GRAPH_FUNCTIONS(GPUMEM_FIND_OF_GRAPHS)
#undef GPUMEM_FIND_OF_GRAPHS
  if (!graphs) loaded_driver.cuGraphGetNodes = nullptr;
  find(library, "cuStreamWaitValue32_v2", loaded_driver.cuStreamWaitValue32);
  find(library, "cuFuncLoad", loaded_driver.cuFuncLoad);
  find(library, "cuFuncGetParamInfo", loaded_driver.cuFuncGetParamInfo);
  find(library, "cuFuncGetName", loaded_driver.cuFuncGetName);
  find(library, "cuKernelGetFunction", loaded_driver.cuKernelGetFunction);
  return missing;
}

}  // namespace gpumem::inject
