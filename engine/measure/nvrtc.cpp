#include "engine/measure/nvrtc.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <mutex>
#include <type_traits>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/measure/kernel_cache.hpp"

namespace gpumem::measure {

namespace {

// As NVRTC's documentation declares them; these have not changed since CUDA 11.2.
using Program = void*;
constexpr int success = 0;            // NVRTC_SUCCESS
constexpr int failed_to_compile = 6;  // NVRTC_ERROR_COMPILATION

constexpr const char* or_else = "or name its folder in LD_LIBRARY_PATH; --indices FILE needs none";

void* open_library() {
  constexpr int of_this_build = CUDART_VERSION / 1000;
  for (const int version : {of_this_build, 13, 12}) {
    const std::string name = "libnvrtc.so." + std::to_string(version);
    for (const std::string& place :
         {name, "/usr/local/cuda/lib64/" + name, "/usr/local/cuda-" + std::to_string(version) + "/lib64/" + name,
          "/opt/cuda/lib64/" + name}) {
      if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  throw missing_capability_error(fmt::format(
      "NVRTC, which compiles kernels, is not installed (libnvrtc.so.13 or .12 not found): install the CUDA Toolkit's "
      "NVRTC (libnvrtc), {}",
      or_else));
}

struct Nvrtc {
  const char* (*error_string)(int result) = nullptr;
  int (*version)(int* major, int* minor) = nullptr;
  int (*number_of_architectures)(int* number) = nullptr;
  int (*architectures)(int* each) = nullptr;
  int (*create)(Program* program, const char* text, const char* name, int headers, const char* const* header_texts,
                const char* const* header_names) = nullptr;
  int (*destroy)(Program* program) = nullptr;
  int (*add_name)(Program program, const char* expression) = nullptr;
  int (*compile)(Program program, int options, const char* const* each) = nullptr;
  int (*log_size)(Program program, std::size_t* size) = nullptr;
  int (*log)(Program program, char* text) = nullptr;
  int (*cubin_size)(Program program, std::size_t* size) = nullptr;
  int (*cubin)(Program program, char* data) = nullptr;
  int (*lowered_name)(Program program, const char* expression, const char** name) = nullptr;

  void require(int result, const char* what) const {
    if (result != success) throw probe_error(fmt::format("{} of NVRTC: {}", what, error_string(result)));
  }
};

Nvrtc load_nvrtc() {
  void* const library = open_library();  // never closed: it takes long to open
  Nvrtc nvrtc;
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr)
      throw missing_capability_error(
          fmt::format("this NVRTC has no {}: install that of CUDA 12 or newer, {}", name, or_else));
  };
  find(nvrtc.error_string, "nvrtcGetErrorString");
  find(nvrtc.version, "nvrtcVersion");
  find(nvrtc.number_of_architectures, "nvrtcGetNumSupportedArchs");
  find(nvrtc.architectures, "nvrtcGetSupportedArchs");
  find(nvrtc.create, "nvrtcCreateProgram");
  find(nvrtc.destroy, "nvrtcDestroyProgram");
  find(nvrtc.add_name, "nvrtcAddNameExpression");
  find(nvrtc.compile, "nvrtcCompileProgram");
  find(nvrtc.log_size, "nvrtcGetProgramLogSize");
  find(nvrtc.log, "nvrtcGetProgramLog");
  find(nvrtc.cubin_size, "nvrtcGetCUBINSize");
  find(nvrtc.cubin, "nvrtcGetCUBIN");
  find(nvrtc.lowered_name, "nvrtcGetLoweredName");
  return nvrtc;
}

const Nvrtc& loaded() {
  static const Nvrtc nvrtc = load_nvrtc();  // a failure is tried again
  return nvrtc;
}

/// Code for another architecture would not run, or hold other instructions than the GPU executes.
void require_architecture(const Nvrtc& nvrtc, unsigned compute_capability) {
  int number = 0;
  nvrtc.require(nvrtc.number_of_architectures(&number), "nvrtcGetNumSupportedArchs");
  std::vector<int> known(static_cast<std::size_t>(std::max(number, 0)));
  nvrtc.require(nvrtc.architectures(known.data()), "nvrtcGetSupportedArchs");
  const int wanted = static_cast<int>(compute_capability);
  if (std::ranges::find(known, wanted) != known.end()) return;
  const bool too_old = !known.empty() && wanted > *std::ranges::min_element(known);
  throw missing_capability_error(fmt::format(
      "NVRTC {} does not compile for compute capability {}.{}: install that of {} CUDA Toolkit, {}", nvrtc_version(),
      compute_capability / 10, compute_capability % 10, too_old ? "a newer" : "an older", or_else));
}

/// A program of NVRTC, for as long as it takes to compile it.
class Compilation {
 public:
  Compilation(const Nvrtc& nvrtc, const KernelSource& source) : nvrtc_(nvrtc) {
    std::vector<const char*> texts;
    std::vector<const char*> names;
    for (const KernelHeader& header : source.headers) {
      texts.push_back(header.text.c_str());
      names.push_back(header.name.c_str());
    }
    nvrtc_.require(nvrtc_.create(&program_, source.text.c_str(), "kernels.cu", static_cast<int>(names.size()),
                                 texts.data(), names.data()),
                   "nvrtcCreateProgram");
  }
  ~Compilation() { nvrtc_.destroy(&program_); }
  Compilation(const Compilation&) = delete;
  Compilation& operator=(const Compilation&) = delete;

  [[nodiscard]] CompiledKernels run(const KernelSource& source, unsigned compute_capability) {
    for (const std::string& kernel : source.kernels) {
      nvrtc_.require(nvrtc_.add_name(program_, kernel.c_str()), "nvrtcAddNameExpression");
    }
    const std::string architecture = fmt::format("--gpu-architecture=sm_{}", compute_capability);
    const std::array options = {architecture.c_str(), "--std=c++20"};
    const int result = nvrtc_.compile(program_, static_cast<int>(options.size()), options.data());
    if (result == failed_to_compile) {
      throw probe_error(fmt::format("{} (NVRTC {}, sm_{})", first_error(), nvrtc_version(), compute_capability));
    }
    nvrtc_.require(result, "nvrtcCompileProgram");

    CompiledKernels kernels;
    std::size_t size = 0;
    nvrtc_.require(nvrtc_.cubin_size(program_, &size), "nvrtcGetCUBINSize");
    kernels.cubin.resize(size);
    nvrtc_.require(nvrtc_.cubin(program_, kernels.cubin.data()), "nvrtcGetCUBIN");
    for (const std::string& kernel : source.kernels) {
      const char* name = nullptr;
      nvrtc_.require(nvrtc_.lowered_name(program_, kernel.c_str(), &name), "nvrtcGetLoweredName");
      kernels.names.emplace_back(name);
    }
    return kernels;
  }

 private:
  /// The line of the log that says what is wrong, after which come the source and what follows from it.
  [[nodiscard]] std::string first_error() const {
    std::size_t size = 0;
    std::string log;
    if (nvrtc_.log_size(program_, &size) == success) log.resize(size);
    if (log.empty() || nvrtc_.log(program_, log.data()) != success) return "kernels.cu: error: not compiled, no log";
    const auto error = log.find("error:");  // warnings come before it
    const auto begin = error == std::string::npos ? 0 : log.rfind('\n', error) + 1;
    return log.substr(begin, log.find_first_of(std::string("\n\0", 2), begin) - begin);
  }

  const Nvrtc& nvrtc_;
  Program program_ = nullptr;
};

}  // namespace

std::string nvrtc_version() {
  const Nvrtc& nvrtc = loaded();
  int major = 0;
  int minor = 0;
  nvrtc.require(nvrtc.version(&major, &minor), "nvrtcVersion");
  return fmt::format("{}.{}", major, minor);
}

CompiledKernels compile(const KernelSource& source, unsigned compute_capability) {
  static std::mutex one_at_a_time;
  static std::map<std::string, CompiledKernels> of_this_run;
  const std::scoped_lock lock(one_at_a_time);

  // The version is part of the key, so NVRTC is needed even for what is in the cache: it costs milliseconds, and what
  // runs never depends on which files happen to be there.
  const std::string key = kernel_key(source, compute_capability, nvrtc_version());
  if (const auto known = of_this_run.find(key); known != of_this_run.end()) return known->second;
  const std::filesystem::path folder = kernel_cache_folder();
  auto kernels = cached_kernels(folder, key);
  if (!kernels || kernels->names.size() != source.kernels.size()) {
    require_architecture(loaded(), compute_capability);
    kernels = Compilation(loaded(), source).run(source, compute_capability);
    cache_kernels(folder, key, *kernels);
  }
  return of_this_run.emplace(key, std::move(*kernels)).first->second;
}

}  // namespace gpumem::measure
