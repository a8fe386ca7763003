#pragma once
// Compiled kernels on the current device. The driver loads them: its library is opened when the first module is, so the
// program starts where there is none.

#include <cstddef>
#include <memory>
#include <span>
#include <vector>

#include "engine/measure/kernel_source.hpp"

struct CUfunc_st;
struct CUmod_st;
struct CUstream_st;

namespace gpumem::measure {

/// Move-only owner, as those of cuda.hpp.
class Module {
 public:
  /// Into the current context, which the CUDA runtime has by then. Throws a probe error that says what was tried and
  /// what the driver said of it.
  explicit Module(const CompiledKernels& kernels);

  /// Queues a launch, without dynamic shared memory; errors of the kernel come up where the stream is waited for.
  /// `kernel` is its place in KernelSource::kernels, `arguments` point to one value for each parameter, of its very
  /// type: nobody checks that.
  void launch(std::size_t kernel, unsigned blocks, unsigned block_threads, CUstream_st* stream,
              std::span<void*> arguments) const;

 private:
  struct Unload {
    void operator()(CUmod_st* module) const noexcept;
  };
  std::unique_ptr<CUmod_st, Unload> module_;
  std::vector<CUfunc_st*> functions_;
};

}  // namespace gpumem::measure
