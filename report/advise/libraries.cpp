#include "report/advise/libraries.hpp"

#include <ranges>

namespace gpumem::report {

namespace {

struct NamedKernels {
  std::string_view library;
  CallersChoice choice;
  std::string_view beginnings;  ///< of their names, without what they return
};

constexpr auto nothing = CallersChoice::nothing;
constexpr auto layout = CallersChoice::layout;
constexpr auto indices = CallersChoice::indices;

/// The first that a name begins with counts.
constexpr NamedKernels libraries[] = {
    {"PyTorch", indices,
     "at::native::_scatter_gather at::native::embedding at::native::index at::native::vectorized_gather"},
    {"PyTorch", layout,
     "at::native::elementwise_kernel at::native::reduce_kernel at::native::unrolled_elementwise_kernel "
     "at::native::vectorized_elementwise_kernel"},
    {"PyTorch", nothing,
     "at:: at_cuda_detail:: c10:: pytorch_flash:: fmha_ elementwise_kernel_with_index "
     "randperm_handle_duplicate_keys_kernel"},
    {"CUB", nothing, "cub::"},
    {"Thrust", nothing, "thrust::"},
    {"CuPy", nothing, "cupy_cub_ cupy_scan cupy_bsum"},
    {"CuPy", indices, "cupy_take cupy_scatter"},
    {"CuPy", layout, "cupy_"},
    {"CUTLASS", nothing, "cutlass"},
    {"FlashAttention", nothing, "flash::"},
    {"cuDNN", nothing, "cudnn implicit_convolve_sgemm sm80_xmma_fprop sm90_xmma_fprop"},
    {"cuBLAS", nothing,
     "sm80_xmma_ sm90_xmma_ ampere_ volta_ turing_ maxwell_ nvjet_ cublas gemmSN_ splitKreduce_kernel"},
    {"cuBLAS", layout, "gemv2T_kernel_val gemv2N_kernel gemvNSP_kernel"},
    {"cuFFT", nothing, "regular_fft vector_fft"},
    {"cuRAND", nothing, "gen_sequenced generate_seed_pseudo"},
    {"cuSPARSE", nothing, "cusparse::"},
    {"cuSOLVER", nothing, "cusolver"},
    {"NCCL", nothing, "ncclDev"},
};

void skip(std::string_view& text, std::string_view beginning) {
  if (text.starts_with(beginning)) text.remove_prefix(beginning.size());
}

}  // namespace

std::optional<LibraryKernel> library_kernel(std::string_view kernel) {
  skip(kernel, "void ");
  skip(kernel, "(anonymous namespace)::");
  for (const auto& [library, choice, beginnings] : libraries) {
    for (const auto beginning : std::views::split(beginnings, ' ')) {
      if (kernel.starts_with(std::string_view(beginning.begin(), beginning.end())))
        return LibraryKernel{library, choice};
    }
  }
  return std::nullopt;
}

}  // namespace gpumem::report
