#include "report/advise/libraries.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_libraries {

TEST_CASE("kernels of libraries are known by their names", "[kernel][explain]") {
  const auto library = [](const char* kernel) {
    const auto found = library_kernel(kernel);
    return found ? std::string(found->library) : "";
  };
  CHECK(library("void at::native::elementwise_kernel<128, 2, f>(int, f)") == "PyTorch");
  CHECK(library("void (anonymous namespace)::elementwise_kernel_with_index<int, f>(int, f)") == "PyTorch");
  CHECK(library("void cub::CUB_300102_SM_900::detail::scan::DeviceScanKernel<p>(int*)") == "CUB");
  CHECK(library("nvjet_sm90_tst_256x128_64x4_1x2_h_bz_coopA_TNT") == "cuBLAS");
  CHECK(library("cudnn_generated_fort_native_sdpa_sm90_flash_fprop") == "cuDNN");
  CHECK(library("cupy_add__float32_float32_float32") == "CuPy");
  CHECK(library("void regular_fft<1000u, EPT<10u>>(float*)") == "cuFFT");
}

TEST_CASE("a kernel of one's own is none of a library, whatever it is made of", "[kernel][explain]") {
  for (const char* kernel :
       {"gather_rows(float const*, int const*, float*)", "void scan<cub::Sum>(int*, cub::Sum)", "sgemm_naive(float*)",
        "embedding(float*)", "mine::at::native(int)", "", "void histogram<thrust::plus<int>>(int*)"}) {
    INFO(kernel);
    CHECK_FALSE(library_kernel(kernel));
  }
}

}  // namespace gpumem::report::test_libraries
