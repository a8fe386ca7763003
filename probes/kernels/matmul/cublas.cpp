#include "probes/kernels/matmul/cublas.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include <string>
#include <type_traits>

#include "engine/base/error.hpp"

namespace gpumem::kernels {

namespace {

// As the cuBLAS library's documentation declares them, sections 2.2 to 2.8; these have not changed since version 11.
constexpr int success = 0;        // CUBLAS_STATUS_SUCCESS
constexpr int no_transpose = 0;   // CUBLAS_OP_N
constexpr int pedantic_math = 2;  // CUBLAS_PEDANTIC_MATH: no tensor cores for floats

template <class Real>
using Gemm = int (*)(void* handle, int transpose_a, int transpose_b, int m, int n, int k, const Real* alpha,
                     const Real* a, int lda, const Real* b, int ldb, const Real* beta, Real* c, int ldc);

void* open_library() {
  constexpr int of_this_build = CUDART_VERSION / 1000;
  for (const int version : {of_this_build, 13, 12}) {
    const std::string name = "libcublas.so." + std::to_string(version);
    for (const std::string& place :
         {name, "/usr/local/cuda/lib64/" + name, "/usr/local/cuda-" + std::to_string(version) + "/lib64/" + name,
          "/opt/cuda/lib64/" + name}) {
      if (void* library = dlopen(place.c_str(), RTLD_NOW | RTLD_LOCAL)) return library;
    }
  }
  throw missing_capability_error(
      "cuBLAS is not installed (libcublas.so.13 or .12 not found): install the CUDA Toolkit's cuBLAS, or name its "
      "folder in LD_LIBRARY_PATH");
}

void require(int status, const char* what) {
  if (status != success) throw probe_error(std::string(what) + " of cuBLAS: status " + std::to_string(status));
}

struct Sizes {
  int m;
  int n;
  int k;
};

Sizes sizes_of(const ProductShape& shape) {
  return {static_cast<int>(shape.m), static_cast<int>(shape.n), static_cast<int>(shape.k)};
}

}  // namespace

struct Cublas::Library {
  int (*create)(void** handle) = nullptr;
  int (*destroy)(void* handle) = nullptr;
  int (*set_stream)(void* handle, CUstream_st* stream) = nullptr;
  int (*set_math_mode)(void* handle, int mode) = nullptr;
  Gemm<float> sgemm = nullptr;
  Gemm<double> dgemm = nullptr;
};

std::shared_ptr<const Cublas::Library> Cublas::load() {
  void* const opened = open_library();  // never closed: it leaves state in the driver
  auto library = std::make_shared<Library>();
  const auto find = [&](auto& function, const char* name) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(opened, name));
    if (function == nullptr) {
      throw missing_capability_error(std::string("this cuBLAS has no ") + name + ": install that of CUDA 12 or newer");
    }
  };
  find(library->create, "cublasCreate_v2");
  find(library->destroy, "cublasDestroy_v2");
  find(library->set_stream, "cublasSetStream_v2");
  find(library->set_math_mode, "cublasSetMathMode");
  find(library->sgemm, "cublasSgemm_v2");
  find(library->dgemm, "cublasDgemm_v2");
  return library;
}

Cublas::Cublas() : library_(load()) {
  require(library_->create(&handle_), "cublasCreate");
  const int status = library_->set_math_mode(handle_, pedantic_math);
  if (status == success) return;
  library_->destroy(handle_);
  require(status, "cublasSetMathMode");
}

Cublas::~Cublas() { library_->destroy(handle_); }

void Cublas::use(CUstream_st* stream) const { require(library_->set_stream(handle_, stream), "cublasSetStream"); }

// It takes matrices column by column, and so reads a row-major matrix as its transpose: C' = B' x A'.

void Cublas::multiply(const float* a, const float* b, float* c, const ProductShape& shape, CUstream_st* stream) const {
  const auto [m, n, k] = sizes_of(shape);
  constexpr float alpha = 1;
  constexpr float beta = 0;
  use(stream);
  require(library_->sgemm(handle_, no_transpose, no_transpose, n, m, k, &alpha, b, n, a, k, &beta, c, n),
          "cublasSgemm");
}

void Cublas::multiply(const double* a, const double* b, double* c, const ProductShape& shape,
                      CUstream_st* stream) const {
  const auto [m, n, k] = sizes_of(shape);
  constexpr double alpha = 1;
  constexpr double beta = 0;
  use(stream);
  require(library_->dgemm(handle_, no_transpose, no_transpose, n, m, k, &alpha, b, n, a, k, &beta, c, n),
          "cublasDgemm");
}

}  // namespace gpumem::kernels
