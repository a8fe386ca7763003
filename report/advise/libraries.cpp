#include "report/advise/libraries.hpp"

#include <algorithm>
#include <iterator>

namespace gpumem::report {

namespace {

struct NamedKernels {
  std::string_view beginning;  ///< of their names, without what they return
  LibraryKernel kernel;
};

constexpr auto nothing = CallersChoice::nothing;
constexpr auto layout = CallersChoice::layout;
constexpr auto indices = CallersChoice::indices;

/// The first that a name begins with counts.
constexpr NamedKernels libraries[] = {
    {"at::native::_scatter_gather", {"PyTorch", indices}},
    {"at::native::elementwise_kernel", {"PyTorch", layout}},
    {"at::native::embedding", {"PyTorch", indices}},
    {"at::native::index", {"PyTorch", indices}},
    {"at::native::reduce_kernel", {"PyTorch", layout}},
    {"at::native::unrolled_elementwise_kernel", {"PyTorch", layout}},
    {"at::native::vectorized_elementwise_kernel", {"PyTorch", layout}},
    {"at::native::vectorized_gather", {"PyTorch", indices}},
    {"at::", {"PyTorch", nothing}},
    {"at_cuda_detail::", {"PyTorch", nothing}},
    {"c10::", {"PyTorch", nothing}},
    {"pytorch_flash::", {"PyTorch", nothing}},
    {"fmha_", {"PyTorch", nothing}},
    {"elementwise_kernel_with_index", {"PyTorch", nothing}},
    {"randperm_handle_duplicate_keys_kernel", {"PyTorch", nothing}},
    {"cub::", {"CUB", nothing}},
    {"thrust::", {"Thrust", nothing}},
    {"cupy_cub_", {"CuPy", nothing}},
    {"cupy_scan", {"CuPy", nothing}},
    {"cupy_bsum", {"CuPy", nothing}},
    {"cupy_take", {"CuPy", indices}},
    {"cupy_scatter", {"CuPy", indices}},
    {"cupy_", {"CuPy", layout}},
    {"cutlass", {"CUTLASS", nothing}},
    {"flash::", {"FlashAttention", nothing}},
    {"cudnn", {"cuDNN", nothing}},
    {"implicit_convolve_sgemm", {"cuDNN", nothing}},
    {"sm80_xmma_fprop", {"cuDNN", nothing}},
    {"sm90_xmma_fprop", {"cuDNN", nothing}},
    {"sm80_xmma_", {"cuBLAS", nothing}},
    {"sm90_xmma_", {"cuBLAS", nothing}},
    {"ampere_", {"cuBLAS", nothing}},
    {"volta_", {"cuBLAS", nothing}},
    {"turing_", {"cuBLAS", nothing}},
    {"maxwell_", {"cuBLAS", nothing}},
    {"nvjet_", {"cuBLAS", nothing}},
    {"cublas", {"cuBLAS", nothing}},
    {"gemv2T_kernel_val", {"cuBLAS", layout}},
    {"gemv2N_kernel", {"cuBLAS", layout}},
    {"gemvNSP_kernel", {"cuBLAS", layout}},
    {"gemmSN_", {"cuBLAS", nothing}},
    {"splitKreduce_kernel", {"cuBLAS", nothing}},
    {"regular_fft", {"cuFFT", nothing}},
    {"vector_fft", {"cuFFT", nothing}},
    {"gen_sequenced", {"cuRAND", nothing}},
    {"generate_seed_pseudo", {"cuRAND", nothing}},
    {"cusparse::", {"cuSPARSE", nothing}},
    {"cusolver", {"cuSOLVER", nothing}},
    {"ncclDev", {"NCCL", nothing}},
};

void skip(std::string_view& text, std::string_view beginning) {
  if (text.starts_with(beginning)) text.remove_prefix(beginning.size());
}

}  // namespace

std::optional<LibraryKernel> library_kernel(std::string_view kernel) {
  skip(kernel, "void ");
  skip(kernel, "(anonymous namespace)::");
  const auto* found = std::ranges::find_if(
      libraries, [&](const NamedKernels& kernels) { return kernel.starts_with(kernels.beginning); });
  if (found == std::end(libraries)) return std::nullopt;
  return found->kernel;
}

}  // namespace gpumem::report
