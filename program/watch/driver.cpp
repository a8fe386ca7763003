#include "program/watch/driver.hpp"

#include <dlfcn.h>

namespace gpumem::inject {

namespace {

struct LoadedDriver {
  Driver functions;
  std::string missing;  ///< as load_driver() has it
};

template <class Function>
bool find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  return function != nullptr;
}

LoadedDriver find_functions() {
  void* library = dlopen("libcuda.so.1", RTLD_NOW);
  LoadedDriver loaded;
  if (library == nullptr) {
    loaded.missing = "libcuda.so.1";
    return loaded;
  }
  auto& [functions, missing] = loaded;
#define GPUMEM_FIND(name) \
  if (!find(library, #name, functions.name)) missing = #name;
  GPUMEM_DRIVER_FUNCTIONS(GPUMEM_FIND)
#undef GPUMEM_FIND
#define GPUMEM_FIND_AS(name, function) \
  if (!find(library, name, functions.function)) missing = name;
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
  if (!find(library, "cuDeviceGetUuid_v2", functions.cuDeviceGetUuid) &&
      !find(library, "cuDeviceGetUuid", functions.cuDeviceGetUuid)) {
    missing = "cuDeviceGetUuid";
  }
  bool graphs = true;
#define GPUMEM_FIND_OF_GRAPHS(name) graphs = find(library, #name, functions.name) && graphs;
  GPUMEM_GRAPH_FUNCTIONS(GPUMEM_FIND_OF_GRAPHS)
#undef GPUMEM_FIND_OF_GRAPHS
  if (!graphs) functions.cuGraphGetNodes = nullptr;
  find(library, "cuStreamWaitValue32_v2", functions.cuStreamWaitValue32);
  find(library, "cuFuncLoad", functions.cuFuncLoad);
  find(library, "cuFuncGetParamInfo", functions.cuFuncGetParamInfo);
  find(library, "cuFuncGetName", functions.cuFuncGetName);
  find(library, "cuKernelGetFunction", functions.cuKernelGetFunction);
  return loaded;
}

/// Never destroyed: callbacks of the driver come after exit handlers.
const LoadedDriver& loaded_driver() {
  static const LoadedDriver& the_only = *new LoadedDriver(find_functions());
  return the_only;
}

}  // namespace

const Driver& driver() { return loaded_driver().functions; }

std::string load_driver() { return loaded_driver().missing; }

}  // namespace gpumem::inject
