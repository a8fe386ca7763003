#pragma once
// cuBLAS, loaded at run time: the program neither needs it nor its headers to be built or to start.

#include <memory>

#include "probes/kernels/matmul/matmul_geometry.hpp"

struct CUstream_st;

namespace gpumem::kernels {

/// A handle of cuBLAS on the current device, and the products that it computes. Nothing is rounded to fewer bits on the
/// way: what is computed is what a kernel of ordinary instructions computes. No tensor core takes part in products of
/// floats; those of doubles go through them all the same where there are some for doubles (49 TFLOP/s on an H200, which
/// computes 33 without).
class Cublas {
 public:
  /// Throws missing_capability_error where there is no cuBLAS, a probe error where it cannot start.
  Cublas();
  ~Cublas();
  Cublas(const Cublas&) = delete;
  Cublas& operator=(const Cublas&) = delete;

  /// C = A x B of row-major matrices in device memory. Queued, not waited for.
  void multiply(const float* a, const float* b, float* c, const ProductShape& shape, CUstream_st* stream) const;
  void multiply(const double* a, const double* b, double* c, const ProductShape& shape, CUstream_st* stream) const;

 private:
  struct Library;
  static std::shared_ptr<const Library> load();

  void use(CUstream_st* stream) const;

  std::shared_ptr<const Library> library_;
  void* handle_ = nullptr;
};

}  // namespace gpumem::kernels
