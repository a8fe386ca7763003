#pragma once
#include <span>
#include "probes/measure/nvrtc.hpp"
struct CUstream_st;
namespace gpumem::measure {
class Module {
 public:
  explicit Module(const CompiledKernels& compiled);
  ~Module();
  Module(const Module&) = delete;
  Module& operator=(const Module&) = delete;
  void launch(std::size_t kernel, unsigned blocks, unsigned block_threads, CUstream_st* stream, std::span<void*> arguments) const;
 private:
  void* module_ = nullptr;
  std::vector<void*> functions_;
};
}
