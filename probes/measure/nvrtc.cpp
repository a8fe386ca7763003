#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wpedantic"
#pragma GCC diagnostic ignored "-Wshadow"
#include "probes/measure/nvrtc.hpp"
#include <cuda.h>
#include <dlfcn.h>
#include <nvrtc.h>
#include <map>
#include "probes/error.hpp"
#include "probes/measure/module.hpp"
namespace gpumem::measure {
template <class F> static F* sym(void* lib, const char* name, F*) { return reinterpret_cast<F*>(dlsym(lib, name)); }
#define NV(name) auto* f_##name = sym(lib, #name, &::name); (void)f_##name
#define DRV(name, real) auto* f_##name = sym(lib, real, (decltype(&::name))nullptr)
CompiledKernels compile(const KernelSource& s, const std::string& cc) {
  static void* lib = [] { void* l = dlopen("libnvrtc.so.13", RTLD_NOW); if (!l) l = dlopen("/usr/local/cuda/lib64/libnvrtc.so.13", RTLD_NOW); if (!l) l = dlopen("libnvrtc.so.12", RTLD_NOW); return l; }();
  if (!lib) throw missing_capability_error("NVRTC is not installed");
#define S(n) auto* n = reinterpret_cast<decltype(&::n)>(dlsym(lib, #n))
  S(nvrtcCreateProgram); S(nvrtcAddNameExpression); S(nvrtcCompileProgram); S(nvrtcGetProgramLogSize); S(nvrtcGetProgramLog); S(nvrtcGetCUBINSize); S(nvrtcGetCUBIN); S(nvrtcGetLoweredName); S(nvrtcDestroyProgram);
  static std::map<std::string, CompiledKernels> known;
  std::string key = s.text; for (auto& k : s.kernels) key += k;
  if (auto f = known.find(key); f != known.end()) return f->second;
  nvrtcProgram p;
  std::vector<const char*> names, texts;
  for (auto& h : s.headers) { names.push_back(h.name.c_str()); texts.push_back(h.text.c_str()); }
  nvrtcCreateProgram(&p, s.text.c_str(), "pattern.cu", (int)names.size(), texts.data(), names.data());
  for (auto& k : s.kernels) nvrtcAddNameExpression(p, k.c_str());
  std::string arch = "--gpu-architecture=sm_" + cc.substr(0, cc.find('.')) + cc.substr(cc.find('.') + 1);
  const char* opts[] = {arch.c_str(), "--std=c++20"};
  if (nvrtcCompileProgram(p, 2, opts) != NVRTC_SUCCESS) {
    std::size_t n; nvrtcGetProgramLogSize(p, &n); std::string log(n, 0); nvrtcGetProgramLog(p, log.data()); throw probe_error(log);
  }
  CompiledKernels c; std::size_t n; nvrtcGetCUBINSize(p, &n); c.cubin.resize(n); nvrtcGetCUBIN(p, c.cubin.data());
  for (auto& k : s.kernels) { const char* l; nvrtcGetLoweredName(p, k.c_str(), &l); c.names.push_back(l); }
  nvrtcDestroyProgram(&p);
  known[key] = c;
  return c;
}
static void* cuda() { static void* l = dlopen("libcuda.so.1", RTLD_NOW); return l; }
Module::Module(const CompiledKernels& c) {
  void* lib = cuda(); S(cuModuleLoadData); S(cuModuleGetFunction);
  CUmodule m; if (cuModuleLoadData(&m, c.cubin.data()) != CUDA_SUCCESS) throw probe_error("load module");
  module_ = m;
  for (auto& n : c.names) { CUfunction f; if (cuModuleGetFunction(&f, m, n.c_str()) != CUDA_SUCCESS) throw probe_error("function " + n); functions_.push_back(f); }
}
Module::~Module() { void* lib = cuda(); S(cuModuleUnload); cuModuleUnload((CUmodule)module_); }
void Module::launch(std::size_t k, unsigned blocks, unsigned threads, CUstream_st* stream, std::span<void*> a) const {
  void* lib = cuda(); S(cuLaunchKernel);
  auto r = cuLaunchKernel((CUfunction)functions_[k], blocks, 1, 1, threads, 1, 1, 0, stream, a.data(), nullptr);
  if (r != CUDA_SUCCESS) throw probe_error("launch " + std::to_string(r));
}
}
