#include "engine/measure/module.hpp"

#include <cuda.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <filesystem>
#include <source_location>
#include <string>
#include <string_view>
#include <type_traits>

#include "engine/base/error.hpp"

namespace gpumem::measure {

namespace {

/// The functions of libcuda, named as there without the prefix.
struct Driver {
  decltype(&::cuGetErrorName) get_error_name = nullptr;
  decltype(&::cuGetErrorString) get_error_string = nullptr;
  decltype(&::cuModuleLoadData) module_load_data = nullptr;
  decltype(&::cuModuleUnload) module_unload = nullptr;
  decltype(&::cuModuleGetFunction) module_get_function = nullptr;
  decltype(&::cuLaunchKernel) launch_kernel = nullptr;

  /// As check() of cuda.hpp, for what the driver returns.
  void check(CUresult result, std::string_view what,
             std::source_location location = std::source_location::current()) const {
    if (result == CUDA_SUCCESS) return;
    const char* name = nullptr;
    const char* text = nullptr;
    get_error_name(result, &name);
    get_error_string(result, &text);
    throw probe_error(fmt::format("{}: {} ({}) [{}:{}]", what, name == nullptr ? "unknown error" : name,
                                  text == nullptr ? std::to_string(result) : text,
                                  std::filesystem::path(location.file_name()).filename().string(), location.line()));
  }
};

Driver load_driver() {
  void* const library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);  // never closed: the runtime has it open too
  if (library == nullptr) throw no_gpu_error("no NVIDIA driver found (libcuda.so.1): install one");
  Driver driver;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) throw no_gpu_error(fmt::format("this NVIDIA driver has no {}: install a newer one", name));
  };
  find(driver.get_error_name, "cuGetErrorName");
  find(driver.get_error_string, "cuGetErrorString");
  find(driver.module_load_data, "cuModuleLoadData");
  find(driver.module_unload, "cuModuleUnload");
  find(driver.module_get_function, "cuModuleGetFunction");
  find(driver.launch_kernel, "cuLaunchKernel");
  return driver;
}

const Driver& driver() {
  static const Driver loaded = load_driver();
  return loaded;
}

}  // namespace

void Module::Unload::operator()(CUmod_st* module) const noexcept { driver().module_unload(module); }

Module::Module(const CompiledKernels& kernels) {
  CUmodule module = nullptr;
  driver().check(driver().module_load_data(&module, kernels.cubin.data()), "load compiled kernels");
  module_.reset(module);
  for (const std::string& name : kernels.names) {
    CUfunction function = nullptr;
    driver().check(driver().module_get_function(&function, module, name.c_str()), "find the compiled kernel " + name);
    functions_.push_back(function);
  }
}

void Module::launch(std::size_t kernel, unsigned blocks, unsigned block_threads, CUstream_st* stream,
                    std::span<void*> arguments) const {
  driver().check(driver().launch_kernel(functions_.at(kernel), blocks, 1, 1, block_threads, 1, 1, 0, stream,
                                        arguments.data(), nullptr),
                 "launch a compiled kernel");
}

}  // namespace gpumem::measure
