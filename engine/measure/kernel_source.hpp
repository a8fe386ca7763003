#pragma once
// Kernels as source text, and what compiling them gives.

#include <string>
#include <vector>

namespace gpumem::measure {

/// Text that the source may include.
struct KernelHeader {
  std::string name;  ///< as the source's #include names it
  std::string text;
};

struct KernelSource {
  std::string text;  ///< CUDA C++20
  std::vector<KernelHeader> headers;
  /// Expressions that name the kernels wanted of it, instances of templates among them:
  /// "gpumem::global::read<unsigned int, Pattern, 4>".
  std::vector<std::string> kernels;
};

struct CompiledKernels {
  std::string cubin;               ///< machine code of one architecture, as an ELF file
  std::vector<std::string> names;  ///< the kernels' in there, mangled, in the order of KernelSource::kernels
};

}  // namespace gpumem::measure
