#pragma once
#include <string>
#include <vector>
namespace gpumem::measure {
struct KernelSource {
  struct Header { std::string name; std::string text; };
  std::string text;
  std::vector<Header> headers;
  std::vector<std::string> kernels;
};
struct CompiledKernels { std::string cubin; std::vector<std::string> names; };
[[nodiscard]] CompiledKernels compile(const KernelSource& source, const std::string& compute_capability);
}
